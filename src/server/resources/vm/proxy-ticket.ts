/** Tickets of consoles for a websocket proxy. */
import { randomBytes } from 'node:crypto';
import type { RuleContext } from '../../core/context.ts';
import { requireState } from '../../core/transitions.ts';
import type { Vm } from '../../inventory/vm.ts';

/** Lifetime in seconds of tickets for connection files and proxies. */
export const shortLifetime = 120;

/**
 * A signed, expiring ticket with the address that a websocket proxy may connect to. It names the
 * signed fields and contains the certificate of the key.
 */
export function createProxyTicket(
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
