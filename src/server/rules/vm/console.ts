/** Rules of graphics consoles: which there are, how a viewer reaches them, tickets. */
import { randomBytes } from 'node:crypto';
import type { Resource } from '../../../model/resource.ts';
import type { RuleContext } from '../context.ts';
import { rules } from '../notation.ts';
import type { Place } from '../places.ts';
import { deviceEvents } from './devices.ts';
import { makeTicket } from './guest.ts';
import { portOf } from './run.ts';
import type { Vm } from './vm.ts';

type Console = Resource<'graphics_console'>;

/** The id of a console says its protocol, in hexadecimal digits. */
export function consoleId(protocol: string): string {
  return Buffer.from(protocol).toString('hex');
}

/** The console that a machine has when nothing is said: that of its display. */
export function addConsole(ctx: RuleContext, vm: Vm): void {
  const collection = `/vms/${vm.id}/graphicsconsoles`;
  if (ctx.tx.count('graphics_console', { where: { collection } }) > 0) return;
  const protocol = vm.display?.type ?? 'vnc';
  ctx.tx.insert('graphics_console', collection, {
    id: consoleId(protocol),
    protocol,
    vm: { id: vm.id ?? '' },
  });
}

export const graphicsConsoleRules = rules({
  kind: 'graphics_console',
  events: deviceEvents,

  prepare(ctx, console, place) {
    const protocol = console.protocol ?? 'vnc';
    console.id = consoleId(protocol);
    if (ctx.tx.get('graphics_console', console.id, place.collection)) {
      ctx.refuse('CONSOLE_EXISTS', { action: 'add', protocol });
    }
  },

  present(ctx, console) {
    if (!ctx.parameters.flag('current') || !console.vm?.id) return {};
    const reached = reach(ctx, console);
    return reached ? { ...reached } : {};
  },

  actions: {
    ticket: (ctx, { place }, body) => ({ ticket: makeTicket(ctx, vmOf(ctx, place), body) }),

    proxy_ticket(ctx, { place }) {
      makeTicket(ctx, vmOf(ctx, place), {});
      return { proxy_ticket: { value: randomBytes(32).toString('base64') } };
    },

    remote_viewer_connection_file(ctx, { object, place }) {
      const vm = vmOf(ctx, place);
      const ticket = makeTicket(ctx, vm, {});
      return { remote_viewer_connection_file: connectionFile(ctx, vm, object, ticket) };
    },
  },
});

function vmOf(ctx: RuleContext, place: Place): Vm {
  return ctx.tx.get('vm', place.owner?.id ?? '') ?? {};
}

/** Address and ports of a console while its machine runs. */
function reach(
  ctx: RuleContext,
  console: Console,
): { address: string; port: number; tls_port?: number } | undefined {
  const vm = ctx.tx.get('vm', console.vm?.id ?? '');
  const address = ctx.tx.get('host', vm?.host?.id ?? '')?.address;
  if (!vm || !address) return undefined;
  const port = portOf(vm);
  return console.protocol === 'spice' ? { address, port, tls_port: port + 1 } : { address, port };
}

/** What a viewer needs to connect, in the form that virt-viewer reads. */
function connectionFile(
  ctx: RuleContext,
  vm: Vm,
  console: Console,
  ticket: { readonly value?: unknown; readonly expiry?: unknown },
): string {
  const { address, port, tls_port: secure } = reach(ctx, console) ?? { address: '', port: -1 };
  const lines = [
    '[virt-viewer]',
    `type=${console.protocol}`,
    `host=${address}`,
    `port=${port}`,
    `password=${String(ticket.value)}`,
    `# Password is valid for ${String(ticket.expiry)} seconds.`,
    'delete-this-file=1',
    'fullscreen=0',
    `title=${vm.name}:%d`,
    'toggle-fullscreen=shift+f11',
    'release-cursor=shift+f12',
    ...(secure ? [`tls-port=${secure}`, 'enable-smartcard=0', 'enable-usb-autoshare=1'] : []),
  ];
  return `${lines.join('\n')}\n`;
}
