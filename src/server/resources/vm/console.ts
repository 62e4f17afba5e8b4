/** Rules of graphics consoles: which there are, how a viewer reaches them, tickets. */
import type { ActionBody, Resource } from '../../../model/resource.ts';
import { type ActionResult, type Addressed, define } from '../../core/behavior.ts';
import type { Place } from '../../core/collection-ref.ts';
import type { RuleContext } from '../../core/context.ts';
import type { StoredObject } from '../../store/document.ts';
import { consoleAddress, consoleCertificate } from './console-address.ts';
import { presentTicket, proxyTicket, setTicket } from './console-ticket.ts';
import { deviceEvents } from './devices.ts';
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

export const graphicsConsoleRules = define('graphics_console', {
  events: deviceEvents,

  beforeCreate(ctx, console, place) {
    const protocol = console.protocol ?? 'vnc';
    console.id = consoleId(protocol);
    if (ctx.tx.get('graphics_console', console.id, place.collection)) {
      ctx.refuse('CONSOLE_EXISTS', { action: 'add', protocol });
    }
  },

  present(ctx, console) {
    if (!ctx.parameters.flag('current') || !console.vm?.id) return {};
    return { ...consoleAddress(ctx, ctx.tx.get('vm', console.vm.id), console.protocol) };
  },

  actions: {
    ticket: (ctx, { object, place }, body) => ({
      ticket: setTicket(ctx, vmOf(ctx, place), protocolOf(object), body['ticket'] as StoredObject),
    }),

    proxy_ticket(ctx, { object, place }) {
      const vm = vmOf(ctx, place);
      const reached = consoleAddress(ctx, vm, object.protocol);
      const secure = reached?.tls_port;
      const target = {
        host: reached?.address ?? '',
        port: secure ?? reached?.port ?? 0,
        tls: secure !== undefined,
      };
      return { proxy_ticket: { value: proxyTicket(ctx, vm, target) } };
    },

    remote_viewer_connection_file: (ctx, { object, place }) => ({
      remote_viewer_connection_file: connectionFile(ctx, vmOf(ctx, place), object),
    }),
  },
});

function protocolOf({ protocol = 'vnc' }: Console): string {
  return protocol;
}

/** The console that is meant where none is named: SPICE where there is one. */
export function ticketOfVm(
  ctx: RuleContext,
  { object: vm }: Addressed<'vm'>,
  body: ActionBody,
): ActionResult {
  const where = { collection: `/vms/${vm.id}/graphicsconsoles` };
  const protocols = ctx.tx.list('graphics_console', { where }).map(protocolOf);
  const protocol = protocols.includes('spice') ? 'spice' : (protocols[0] ?? 'vnc');
  return { ticket: setTicket(ctx, vm, protocol, body['ticket']) };
}

function vmOf(ctx: RuleContext, place: Place): Vm {
  return ctx.tx.get('vm', place.owner?.id ?? '') ?? {};
}

/** What a viewer needs to connect, in the form that virt-viewer reads. */
function connectionFile(ctx: RuleContext, vm: Vm, console: Console): string {
  const protocol = protocolOf(console);
  const ticket = presentTicket(ctx, vm, protocol);
  const reached = consoleAddress(ctx, vm, protocol);
  const secure = reached?.tls_port;
  const ca = oneLine(ctx.site.certificates.ca);
  const spice =
    secure === undefined
      ? []
      : [
          `tls-port=${secure}`,
          `enable-smartcard=${vm.display?.smartcard_enabled ? 1 : 0}`,
          'enable-usb-autoshare=1',
          'usb-filter=-1,-1,-1,-1,0',
          'tls-ciphers=DEFAULT',
          `host-subject=${consoleCertificate(ctx, vm).subject}`,
          `ca=${ca}`,
          'secure-channels=main;inputs;cursor;playback;record;display;smartcard;usbredir',
        ];
  const lines = [
    '[virt-viewer]',
    `type=${protocol}`,
    `host=${reached?.address ?? ''}`,
    `port=${reached?.port ?? -1}`,
    `password=${oneLine(ticket.value)}`,
    `# Password is valid for ${ticket.seconds} seconds.`,
    'delete-this-file=1',
    'fullscreen=0',
    `title=${vm.name}:%d`,
    'toggle-fullscreen=shift+f11',
    'release-cursor=shift+f12',
    'secure-attention=ctrl+alt+end',
    ...spice,
    '',
    // What lets a viewer ask the service itself about the machine.
    '[ovirt]',
    `host=${ctx.site.address()}`,
    `vm-guid=${vm.id}`,
    `admin=${ctx.caller.administrator ? 1 : 0}`,
    `ca=${ca}`,
  ];
  return `${lines.join('\n')}\n`;
}

/** Ini files have one line for each value. */
function oneLine(text: string): string {
  return text.replaceAll('\n', '\\n');
}
