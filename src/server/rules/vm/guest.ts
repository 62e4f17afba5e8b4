/** What is asked of the guest and its console: file systems, sign-in, tickets, pictures, addresses. */
import { randomBytes } from 'node:crypto';
import type { EventCode } from '../../../model/events.ts';
import { requireState } from '../../jobs/moves.ts';
import type { StoredObject } from '../../store/document.ts';
import type { RuleContext } from '../context.ts';
import { nextMac } from '../network/mac.ts';
import type { ActionResult, Addressed } from '../notation.ts';
import { nicsOf, subjects, type Vm } from './vm.ts';

type Target = Addressed<'vm'>;

/** Seconds for which a ticket holds when nothing is said. */
const ticketLifetime = 7200;

/** An action that only needs the machine to be in the right state, and is told of. */
export function needsState(operation: string, event: EventCode) {
  return (ctx: RuleContext, { object }: Target): undefined => {
    requireState(ctx, 'vm', object as StoredObject, operation);
    ctx.event(event, subjects(ctx, object));
    return undefined;
  };
}

/** A ticket for the console: the one that was sent, or a new one. */
export function ticket(ctx: RuleContext, { object: vm }: Target, body: StoredObject): ActionResult {
  return { ticket: makeTicket(ctx, vm, body) };
}

/** The ticket itself, for every console of a machine. */
export function makeTicket(ctx: RuleContext, vm: Vm, body: StoredObject): StoredObject {
  requireState(ctx, 'vm', vm as StoredObject, 'ticket');
  const sent = (body['ticket'] ?? {}) as { value?: string; expiry?: number };
  ctx.event(164, subjects(ctx, vm));
  return {
    value: sent.value || randomBytes(9).toString('base64url'),
    expiry: sent.expiry ?? ticketLifetime,
  };
}

/** Only the machine of a hosted engine has a maintenance; this service is not hosted. */
export function maintenance(ctx: RuleContext): never {
  ctx.refuse('VM_NOT_HOSTED_ENGINE', { action: 'edit' });
}

/** Gives the interfaces their addresses in the order of their names. */
export function reorderMacAddresses(ctx: RuleContext, { object: vm }: Target): undefined {
  requireState(ctx, 'vm', vm as StoredObject, 'reorder_mac_addresses');
  const nics = nicsOf(ctx, vm).sort((a, b) => (a.name ?? '').localeCompare(b.name ?? ''));
  const addresses = nics.map((nic) => nic.mac?.address ?? nextMac(ctx, vm, 'edit')).sort();
  nics.forEach((nic, index) => {
    ctx.tx.update('nic', { ...nic, mac: { address: addresses[index] ?? '' } });
  });
  ctx.event(35, subjects(ctx, vm));
  return undefined;
}

/** Pins the processors to those of the host, one to one. */
export function autoPin(ctx: RuleContext, { object: vm }: Target, body: StoredObject): undefined {
  requireState(ctx, 'vm', vm as StoredObject, 'auto_pin_cpu_and_numa_nodes');
  const host = ctx.tx.get('host', vm.placement_policy?.hosts?.[0]?.id ?? '');
  if (!host) ctx.refuse('VM_PINNING_WITHOUT_HOST', { action: 'edit' });
  const optimize = body['optimize_cpu_settings'] === true;
  const topology = optimize ? host.cpu?.topology : vm.cpu?.topology;
  const { sockets = 1, cores = 1, threads = 1 } = topology ?? {};
  const pins = Array.from({ length: sockets * cores * threads }, (_, vcpu) => ({
    vcpu,
    cpu_set: String(vcpu),
  }));
  ctx.tx.update('vm', {
    ...vm,
    cpu: { ...vm.cpu, ...(topology ? { topology } : {}), cpu_tune: { vcpu_pins: pins } },
    cpu_pinning_policy: 'manual',
  });
  ctx.event(35, subjects(ctx, vm));
  return undefined;
}
