/** Graphics consoles: protocols, addresses, tickets, screenshots. */

import { randomBytes } from 'node:crypto';
import { picture } from '../../../formats/png.ts';
import type { ActionBody, Resource } from '../../../model/resource.ts';
import { type ActionResult, defineBehavior, type LocatedObject } from '../../core/behavior.ts';
import type { CollectionRef } from '../../core/collection-ref.ts';
import type { RuleContext } from '../../core/context.ts';
import { pickDefined } from '../../core/member-selection.ts';
import { requireState } from '../../core/transitions.ts';
import {
  describeVmSubjects,
  findOwnerVm,
  getRunState,
  isRunning,
  recordRunState,
  type Vm,
} from '../../inventory/vm.ts';
import type { Base } from '../../inventory/vm-members.ts';
import type { StoredObject } from '../../store/kinds.ts';
import type { ConsoleTicket } from '../../store/stored-members.ts';
import { deviceEvents } from './devices.ts';
import { createProxyTicket, shortLifetime } from './proxy-ticket.ts';
import {
  findRealConsole,
  passTicket,
  realTicketBytes,
  requireRealConsole,
} from './real-console.ts';

export interface ConsoleAddress {
  readonly address: string;
  readonly port: number;
  /** TLS port, for SPICE only. */
  readonly tls_port?: number;
}

/** Address and ports of a console of a VM; undefined while it has no host. */
function consoleAddress(
  ctx: RuleContext,
  vm: Vm | undefined,
  protocol: string | undefined,
): ConsoleAddress | undefined {
  if (ctx.site.hypervisor) return vm && findRealConsole(ctx, vm, protocol);
  const address = ctx.tx.get('host', vm?.host?.id ?? '')?.address;
  if (!vm || !address) return undefined;
  const port = computePort(vm);
  return protocol === 'spice' ? { address, port, tls_port: port + 1000 } : { address, port };
}

/** Port of the console, the same in every run. */
function computePort(vm: Pick<Vm, 'id'>): number {
  return 5900 + (Number.parseInt((vm.id ?? '0').slice(0, 8), 16) % 1000);
}

/** Certificate that a viewer verifies: subject of the host, signed by the certificate authority. */
function consoleCertificate(ctx: RuleContext, vm: Vm): Resource<'certificate'> {
  const host = ctx.tx.get('host', vm.host?.id ?? '');
  const organization = host?.certificate?.organization ?? ctx.site.dialect.origin;
  const subject = host?.certificate?.subject ?? `O=${organization},CN=${host?.address ?? ''}`;
  return { content: ctx.site.certificates.ca, organization, subject };
}

/** The display of a running VM. SPICE has a separate TLS port, and a certificate. */
export function describeRunDisplay(ctx: RuleContext, vm: Vm): NonNullable<Vm['display']> {
  const reached = consoleAddress(ctx, vm, vm.display?.type);
  if (!reached) return { ...vm.display };
  const { tls_port: secure, ...plain } = reached;
  return {
    ...vm.display,
    ...plain,
    ...(secure === undefined
      ? {}
      : { secure_port: secure, certificate: consoleCertificate(ctx, vm) }),
  };
}

/** Default lifetime of a ticket in seconds. */
const ticketLifetime = 7200;

/** Ticket in a request. */
interface SentTicket {
  readonly value?: string;
  readonly expiry?: number;
}

/** Sets the ticket of a console: the sent value, or a new one. */
function setTicket(
  ctx: RuleContext,
  vm: Vm,
  protocol: string,
  { value, expiry = ticketLifetime }: SentTicket = {},
): StoredObject {
  requireState(ctx, 'vm', vm, 'ticket');
  const isReal = ctx.site.hypervisor !== undefined;
  const ticket: ConsoleTicket = {
    value: value || randomBytes(isReal ? realTicketBytes : 9).toString('base64url'),
    until: ctx.steady + expiry * 1000,
  };
  if (isReal) passTicket(ctx, vm, protocol, { value: ticket.value, seconds: expiry });
  recordRunState(ctx, vm, { tickets: { ...getRunState(vm).tickets, [protocol]: ticket } });
  ctx.event('VM_TICKET_SET', describeVmSubjects(ctx, vm));
  return { value: ticket.value, expiry };
}

/** The valid ticket of a console, or a new one, with its remaining seconds. */
function presentTicket(
  ctx: RuleContext,
  vm: Vm,
  protocol: string,
): { readonly value: string; readonly seconds: number } {
  requireState(ctx, 'vm', vm, 'ticket');
  const stored = getRunState(vm).tickets?.[protocol];
  const left = stored ? Math.floor((stored.until - ctx.steady) / 1000) : 0;
  if (stored && left > 0) {
    const ticket = { value: stored.value, seconds: left };
    if (ctx.site.hypervisor) passTicket(ctx, vm, protocol, ticket);
    return ticket;
  }
  const made = setTicket(ctx, vm, protocol, { expiry: shortLifetime });
  return { value: String(made['value']), seconds: shortLifetime };
}

const width = 640;
const height = 480;
const background = 0x000020;
const ink = 0xd0d0d0;
/** Pixels per dot of a letter. */
const scale = 3;
const margin = 24;
const lineHeight = 10;
const letterWidth = 4;

/** Letters of three by five dots: a bit mask per row, with the left dot as 4. */
const letters: Readonly<Record<string, readonly number[]>> = {
  a: [2, 5, 7, 5, 5],
  b: [6, 5, 6, 5, 6],
  c: [3, 4, 4, 4, 3],
  d: [6, 5, 5, 5, 6],
  e: [7, 4, 6, 4, 7],
  f: [7, 4, 6, 4, 4],
  g: [3, 4, 5, 5, 3],
  h: [5, 5, 7, 5, 5],
  i: [7, 2, 2, 2, 7],
  j: [1, 1, 1, 5, 2],
  k: [5, 5, 6, 5, 5],
  l: [4, 4, 4, 4, 7],
  m: [5, 7, 7, 5, 5],
  n: [6, 5, 5, 5, 5],
  o: [2, 5, 5, 5, 2],
  p: [6, 5, 6, 4, 4],
  q: [2, 5, 5, 6, 3],
  r: [6, 5, 6, 5, 5],
  s: [3, 4, 2, 1, 6],
  t: [7, 2, 2, 2, 2],
  u: [5, 5, 5, 5, 7],
  v: [5, 5, 5, 5, 2],
  w: [5, 5, 7, 7, 5],
  x: [5, 5, 2, 5, 5],
  y: [5, 5, 2, 2, 2],
  z: [7, 1, 2, 4, 7],
  0: [7, 5, 5, 5, 7],
  1: [2, 6, 2, 2, 7],
  2: [6, 1, 2, 4, 7],
  3: [6, 1, 2, 1, 6],
  4: [5, 5, 7, 1, 1],
  5: [7, 4, 6, 1, 6],
  6: [3, 4, 7, 5, 7],
  7: [7, 1, 2, 2, 2],
  8: [7, 5, 7, 5, 7],
  9: [7, 5, 7, 1, 6],
  '-': [0, 0, 7, 0, 0],
  _: [0, 0, 0, 0, 7],
  '.': [0, 0, 0, 0, 2],
  ':': [0, 2, 0, 2, 0],
  ' ': [0, 0, 0, 0, 0],
};
/** Replacement for unsupported characters. */
const block = [7, 7, 7, 7, 7];

/** Renders a screenshot. Refuses a VM without a console. */
export function renderScreenshot(
  ctx: RuleContext,
  { object: vm }: LocatedObject<'vm'>,
): ActionResult {
  requireState(ctx, 'vm', vm, 'screenshot');
  const where = { collection: `/vms/${vm.id}/graphicsconsoles` };
  if (ctx.tx.count('graphics_console', { where }) === 0) {
    ctx.refuse('VM_WITHOUT_SCREEN', { action: 'take a screenshot of' });
  }
  const { hypervisor } = ctx.site;
  const screen = hypervisor?.takeScreen(vm.id ?? '');
  if (hypervisor && !screen) ctx.refuse('SCREEN_UNREADABLE', { action: 'take a screenshot of' });
  ctx.event('VM_SCREENSHOT_TAKEN', describeVmSubjects(ctx, vm));
  if (screen) return { screenshot: screen };
  const state = getRunState(vm).frozen ? 'file systems frozen' : '';
  const lines = [vm.name ?? '', vm.status ?? '', vm.fqdn ?? '', state, ctx.timestamp.slice(0, 19)];
  return { screenshot: draw(lines.map((line) => line.toLowerCase())) };
}

function draw(lines: readonly string[]): Buffer {
  return picture(width, height, (x, y) => {
    const column = Math.floor((x - margin) / scale);
    const row = Math.floor((y - margin) / scale);
    return column >= 0 && row >= 0 && isInk(lines, column, row) ? ink : background;
  });
}

function isInk(lines: readonly string[], column: number, row: number): boolean {
  const letter = lines[Math.floor(row / lineHeight)]?.[Math.floor(column / letterWidth)];
  if (letter === undefined) return false;
  const dots = (letters[letter] ?? block)[row % lineHeight] ?? 0;
  return (dots & (4 >> (column % letterWidth))) !== 0;
}

type Console = Resource<'graphics_console'>;

/** The id of a console is its protocol in hexadecimal digits. */
export function formatConsoleId(protocol: string): string {
  return Buffer.from(protocol).toString('hex');
}

/** Adds the default console of a VM: the protocol of its display. */
export function addConsole(
  ctx: RuleContext,
  { id = '', display }: Base & { id?: string },
  kind: 'vm' | 'instance_type' = 'vm',
): void {
  const collection = `/${kind.replace('_', '')}s/${id}/graphicsconsoles`;
  if (ctx.tx.count('graphics_console', { where: { collection } }) > 0) return;
  const protocol = display?.type ?? 'vnc';
  ctx.tx.insert('graphics_console', collection, {
    id: formatConsoleId(protocol),
    protocol,
    [kind]: { id },
  });
}

/** Replaces all consoles of a VM with that of its display. */
export function replaceConsole(ctx: RuleContext, vm: Vm): void {
  const collection = `/vms/${vm.id}/graphicsconsoles`;
  for (const { id = '' } of ctx.tx.list('graphics_console', { where: { collection } })) {
    ctx.tx.remove('graphics_console', id, collection);
  }
  addConsole(ctx, vm);
}

/**
 * Sets the display type to that of the remaining consoles, SPICE first, or removes it. `removed` is
 * the id of a console that is about to be deleted.
 */
function followConsoles(
  ctx: RuleContext,
  { owner, collection }: CollectionRef,
  removed?: string,
): void {
  if (!owner || !isDisplayOwner(owner.kind)) return;
  const object = ctx.tx.get(owner.kind, owner.id);
  if (!object) return;
  const protocols = ctx.tx
    .list('graphics_console', { where: { collection } })
    .filter(({ id }) => id !== removed)
    .map(({ protocol }) => protocol);
  const type = protocols.includes('spice') ? 'spice' : protocols[0];
  const { type: _before, ...display } = object.display ?? {};
  ctx.tx.update(owner.kind, { ...object, display: { ...display, ...pickDefined({ type }) } });
}

const displayOwners = ['vm', 'template', 'instance_type'] as const;

function isDisplayOwner(kind: string): kind is (typeof displayOwners)[number] {
  return displayOwners.some((one) => one === kind);
}

export const graphicsConsoleBehavior = defineBehavior('graphics_console', {
  events: deviceEvents,

  beforeCreate(ctx, console, ref) {
    const protocol = console.protocol ?? 'vnc';
    console.id = formatConsoleId(protocol);
    if (ctx.tx.get('graphics_console', console.id, ref.collection)) {
      ctx.refuse('CONSOLE_EXISTS', { action: 'add', protocol });
    }
  },

  afterCreate: (ctx, { ref }) => followConsoles(ctx, ref),

  beforeDelete: (ctx, { ref, object }) => followConsoles(ctx, ref, object.id),

  /** Stopped VMs have no current consoles. */
  listed(ctx, ref) {
    if (!ctx.parameters.flag('current') || !ctx.site.dialect.engineAnswers) return undefined;
    const vm = findOwnerVm(ctx, ref);
    return vm && !isRunning(vm) ? [] : undefined;
  },

  present(ctx, console) {
    if (!ctx.parameters.flag('current') || !console.vm?.id) return {};
    return { ...consoleAddress(ctx, ctx.tx.get('vm', console.vm.id), console.protocol) };
  },

  actions: {
    ticket: (ctx, { object, ref }, body) => ({
      ticket: setTicket(ctx, findOwnerVm(ctx, ref) ?? {}, readProtocol(object), body['ticket']),
    }),

    proxy_ticket(ctx, { object, ref }) {
      const vm = findOwnerVm(ctx, ref) ?? {};
      if (ctx.site.hypervisor) requireRealConsole(ctx, vm, readProtocol(object));
      if (ctx.site.dialect.engineAnswers && !isRunning(vm)) {
        ctx.refuse('CONSOLE_UNAVAILABLE', { action: 'ticket' });
      }
      const reached = consoleAddress(ctx, vm, object.protocol);
      const secure = reached?.tls_port;
      const target = {
        host: reached?.address ?? '',
        port: secure ?? reached?.port ?? 0,
        tls: secure !== undefined,
      };
      return { proxy_ticket: { value: createProxyTicket(ctx, vm, target) } };
    },

    remote_viewer_connection_file: (ctx, { object, ref }) => ({
      remote_viewer_connection_file: connectionFile(ctx, findOwnerVm(ctx, ref) ?? {}, object),
    }),
  },
});

function readProtocol({ protocol = 'vnc' }: Console): string {
  return protocol;
}

/** Sets the ticket of the default console: SPICE if it exists. */
export function setVmTicket(
  ctx: RuleContext,
  { object: vm }: LocatedObject<'vm'>,
  body: ActionBody,
): ActionResult {
  const where = { collection: `/vms/${vm.id}/graphicsconsoles` };
  const protocols = ctx.tx.list('graphics_console', { where }).map(readProtocol);
  const first = ctx.site.hypervisor && protocols.includes('vnc') ? 'vnc' : 'spice';
  const protocol = protocols.includes(first) ? first : (protocols[0] ?? 'vnc');
  return { ticket: setTicket(ctx, vm, protocol, body['ticket']) };
}

/** Connection file in the format of virt-viewer. */
function connectionFile(ctx: RuleContext, vm: Vm, console: Console): string {
  const protocol = readProtocol(console);
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
    // Access to the API for viewers.
    '[ovirt]',
    `host=${ctx.site.address()}`,
    `vm-guid=${vm.id}`,
    `admin=${ctx.caller.administrator ? 1 : 0}`,
    `ca=${ca}`,
  ];
  return `${lines.join('\n')}\n`;
}

/** INI files have one line per value. */
function oneLine(text: string): string {
  return text.replaceAll('\n', '\\n');
}
