/** What is asked of the guest: frozen file systems, addresses of interfaces, processors. */

import { enums } from '../../../model/enums.ts';
import type { ActionBody } from '../../../model/resource.ts';
import type { Addressed } from '../../core/behavior.ts';
import type { RuleContext } from '../../core/context.ts';
import { Refusal } from '../../core/fault.ts';
import { requireState } from '../../core/transitions.ts';
import { nextMac } from '../network/mac.ts';
import { noteRunState, runStateOf } from './run-state.ts';
import { nicsOf, subjects, type Vm } from './vm.ts';

type Target = Addressed<'vm'>;

/** Freezes the file systems of the guest: what is on its disks belongs together until they thaw. */
export function freeze(ctx: RuleContext, { object: vm }: Target): undefined {
  requireState(ctx, 'vm', vm, 'freeze_filesystems');
  if (runStateOf(vm).frozen) ctx.refuse('VM_IS_FROZEN', { action: 'freeze the file systems of' });
  noteRunState(ctx, vm, { frozen: true });
  ctx.event('VM_FROZEN', subjects(ctx, vm));
  return undefined;
}

/** Lets the guest write again. */
export function thaw(ctx: RuleContext, { object: vm }: Target): undefined {
  requireState(ctx, 'vm', vm, 'thaw_filesystems');
  if (!runStateOf(vm).frozen && !ctx.site.dialect.thawsWhatIsNotFrozen) {
    ctx.refuse('VM_IS_NOT_FROZEN', { action: 'thaw the file systems of' });
  }
  noteRunState(ctx, vm, { frozen: false });
  ctx.event('VM_THAWED', subjects(ctx, vm));
  return undefined;
}

/** Origins of the machine that the service itself runs in, where it runs in one. */
const hostedEngine = new Set(['hosted_engine', 'managed_hosted_engine']);

/** Switches the maintenance of a hosted engine on or off, for all hosts that can run it. */
export function maintenance(ctx: RuleContext, { object: vm }: Target, body: ActionBody) {
  if (!hostedEngine.has(vm.origin ?? '')) ctx.refuse('VM_NOT_HOSTED_ENGINE', { action: 'edit' });
  const on = body['maintenance_enabled'] === true;
  for (const host of ctx.tx.list('host')) {
    const { hosted_engine: engine } = host;
    if (!engine) continue;
    ctx.tx.update('host', { ...host, hosted_engine: { ...engine, global_maintenance: on } });
  }
  ctx.event('VM_UPDATED', subjects(ctx, vm));
  return undefined;
}

/** Gives the interfaces their addresses in the order of their names. */
export function reorderMacAddresses(ctx: RuleContext, { object: vm }: Target): undefined {
  requireState(ctx, 'vm', vm, 'reorder_mac_addresses');
  const nics = nicsOf(ctx, vm).sort((a, b) => (a.name ?? '').localeCompare(b.name ?? ''));
  const addresses = nics.map((nic) => nic.mac?.address ?? nextMac(ctx, vm, 'edit')).sort();
  nics.forEach((nic, index) => {
    ctx.tx.update('nic', { ...nic, mac: { address: addresses[index] ?? '' } });
  });
  ctx.event('VM_UPDATED', subjects(ctx, vm));
  return undefined;
}

/** Pins the processors to those of the host, one to one. */
export function autoPin(ctx: RuleContext, { object: vm }: Target, body: ActionBody): undefined {
  requireState(ctx, 'vm', vm, 'auto_pin_cpu_and_numa_nodes');
  const optimize = body['optimize_cpu_settings'] === true;
  ctx.tx.update('vm', { ...vm, ...pinned(ctx, vm, optimize, 'edit') });
  ctx.event('VM_UPDATED', subjects(ctx, vm));
  return undefined;
}

/** What a machine is like with its processors pinned; `optimize`: as many as the host has. */
function pinned(
  ctx: RuleContext,
  vm: Vm,
  optimize: boolean,
  action: string,
): Pick<Vm, 'cpu' | 'cpu_pinning_policy'> {
  const host = ctx.tx.get('host', vm.placement_policy?.hosts?.[0]?.id ?? '');
  if (!host) ctx.refuse('VM_PINNING_WITHOUT_HOST', { action });
  const topology = optimize ? host.cpu?.topology : vm.cpu?.topology;
  const { sockets = 1, cores = 1, threads = 1 } = topology ?? {};
  const pins = Array.from({ length: sockets * cores * threads }, (_, vcpu) => ({
    vcpu,
    cpu_set: String(vcpu),
  }));
  return {
    cpu: { ...vm.cpu, ...(topology ? { topology } : {}), cpu_tune: { vcpu_pins: pins } },
    cpu_pinning_policy: 'manual',
  };
}

/** The deprecated way to say at the creation of a machine how its processors are pinned. */
export function autoPinNew(ctx: RuleContext, vm: Vm): void {
  const policy = ctx.parameters.text('auto_pinning_policy');
  if (policy === undefined) return;
  const known = enums.auto_pinning_policy.find((one) => one === policy);
  if (!known) {
    throw new Refusal(400, 'Invalid value', `auto_pinning_policy cannot be "${policy}".`);
  }
  vm.auto_pinning_policy = known;
  if (known !== 'disabled') Object.assign(vm, pinned(ctx, vm, known === 'adjust', 'add'));
}
