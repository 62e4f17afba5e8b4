/** Graphics consoles of VMs that a hypervisor runs: addresses and tickets. */
import type { RuleContext } from '../../core/context.ts';
import { HypervisorError } from '../../core/hypervisor.ts';
import { requireState } from '../../core/transitions.ts';
import type { Vm } from '../../inventory/vm.ts';

/** Random bytes of a ticket. In base64, they have the maximum length of a password of VNC. */
export const realTicketBytes = 6;

/** Viewers use only the first 8 characters of a password. */
const passwordPattern = /^[\x21-\x7e]{1,8}$/;

/** Address of a console; undefined for SPICE, and while the VM has none. */
export function findRealConsole(
  { site }: RuleContext,
  { id = '' }: Vm,
  protocol: string | undefined,
): { readonly address: string; readonly port: number } | undefined {
  const port = protocol === 'spice' ? undefined : site.hypervisor?.consoles?.port(id);
  if (port === undefined) return undefined;
  // Viewers reach the server by the host name of its API.
  const address = site
    .address()
    .replace(/:\d+$/, '')
    .replace(/^\[|\]$/g, '');
  return { address, port };
}

/** Refuses a console that the hypervisor does not offer. */
export function requireRealConsole(ctx: RuleContext, vm: Vm, protocol: string): void {
  requireState(ctx, 'vm', vm, 'ticket');
  if (findRealConsole(ctx, vm, protocol)) return;
  const hypervisor = ctx.site.hypervisor?.name;
  const condition = ` for the protocol ${protocol}`;
  ctx.refuse('NOT_SUPPORTED_BY_HYPERVISOR', {
    action: 'ticket',
    type: 'VM',
    hypervisor,
    condition,
  });
}

/** Passes a ticket to the hypervisor after the commit, before the response. */
export function passTicket(
  ctx: RuleContext,
  vm: Vm,
  protocol: string,
  ticket: { readonly value: string; readonly seconds: number },
): void {
  requireRealConsole(ctx, vm, protocol);
  const { hypervisor } = ctx.site;
  if (!passwordPattern.test(ticket.value)) {
    const condition = ' for tickets with more than 8 characters, or other characters than ASCII';
    const { name } = hypervisor ?? {};
    ctx.refuse('NOT_SUPPORTED_BY_HYPERVISOR', {
      ...{ action: 'ticket', type: 'VM', hypervisor: name, condition },
    });
  }
  ctx.afterCommit.push(async () => {
    try {
      await hypervisor?.consoles?.setTicket(vm.id ?? '', ticket);
    } catch (error) {
      if (!(error instanceof HypervisorError)) throw error;
      ctx.refuse('SCREEN_UNREADABLE', { action: 'ticket' });
    }
  });
}
