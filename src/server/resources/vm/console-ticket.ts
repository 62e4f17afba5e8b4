/** Tickets of consoles: what opens one for a while, directly or through a proxy. */
import { randomBytes } from 'node:crypto';
import type { RuleContext } from '../../core/context.ts';
import { requireState } from '../../core/transitions.ts';
import type { StoredObject } from '../../store/document.ts';
import { type ConsoleTicket, noteRunState, runStateOf } from './run-state.ts';
import { subjects, type Vm } from './vm.ts';

/** Seconds for which a ticket holds when nothing is said. */
const ticketLifetime = 7200;
/** The same for one that is made for a connection file or for a proxy. */
const shortLifetime = 120;

/** What a client sends of a ticket. */
interface SentTicket {
  readonly value?: string;
  readonly expiry?: number;
}

/** Sets the ticket of a console: the one that was sent, or a new one. */
export function setTicket(
  ctx: RuleContext,
  vm: Vm,
  protocol: string,
  { value, expiry = ticketLifetime }: SentTicket = {},
): StoredObject {
  requireState(ctx, 'vm', vm, 'ticket');
  const ticket: ConsoleTicket = {
    value: value || randomBytes(9).toString('base64url'),
    until: ctx.steady + expiry * 1000,
  };
  noteRunState(ctx, vm, { tickets: { ...runStateOf(vm).tickets, [protocol]: ticket } });
  ctx.event('VM_TICKET_SET', subjects(ctx, vm));
  return { value: ticket.value, expiry };
}

/** The ticket of a console that holds, or a new one; with the seconds that are left of it. */
export function presentTicket(
  ctx: RuleContext,
  vm: Vm,
  protocol: string,
): { readonly value: string; readonly seconds: number } {
  requireState(ctx, 'vm', vm, 'ticket');
  const kept = runStateOf(vm).tickets?.[protocol];
  const left = kept ? Math.floor((kept.until - ctx.steady) / 1000) : 0;
  if (kept && left > 0) return { value: kept.value, seconds: left };
  const made = setTicket(ctx, vm, protocol, { expiry: shortLifetime });
  return { value: String(made['value']), seconds: shortLifetime };
}

/**
 * What tells a websocket proxy where it may connect to, and until when. It trusts the signature:
 * the fields that are signed are named, and the certificate of the key comes along.
 */
export function proxyTicket(
  ctx: RuleContext,
  vm: Vm,
  target: { readonly host: string; readonly port: number; readonly tls: boolean },
): string {
  requireState(ctx, 'vm', vm, 'ticket');
  const { own, sign } = ctx.site.certificates;
  const { host, port, tls } = target;
  const data = JSON.stringify({ host, port: String(port), ssl_target: tls });
  const signed = {
    salt: randomBytes(8).toString('base64'),
    validFrom: digits(ctx.now),
    validTo: digits(new Date(ctx.now.getTime() + shortLifetime * 1000)),
    data: encodeURIComponent(data),
  };
  const ticket = {
    ...signed,
    signedFields: Object.keys(signed).join(','),
    v2_signature: sign(Object.values(signed).join('')).toString('base64'),
    certificate: own,
  };
  return Buffer.from(JSON.stringify(ticket)).toString('base64');
}

/** `20261123140501`, in UTC. */
function digits(time: Date): string {
  return time.toISOString().replace(/\D/g, '').slice(0, 14);
}
