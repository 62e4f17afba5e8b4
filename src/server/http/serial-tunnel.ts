/**
 * Serial consoles of real VMs. A request `CONNECT VM.serial:1` turns its connection into the console,
 * like a request to a proxy.
 */
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { getRequestHeader } from '../api/request.ts';
import type { Authenticator } from '../auth/authenticate.ts';
import { isPermitted } from '../auth/permissions.ts';
import type { Caller } from '../core/context.ts';
import { Refusal, refused } from '../core/fault.ts';
import { HypervisorError } from '../core/hypervisor.ts';
import type { Site } from '../core/ports.ts';
import type { Store } from '../store/store.ts';

/** Serves a connection after a CONNECT request. `head` are the bytes after the request. */
export type Tunnel = (request: IncomingMessage, socket: Duplex, head: Buffer) => Promise<void>;

interface TunnelParts {
  readonly store: Store;
  readonly site: Site;
  readonly authenticator: Authenticator;
}

/** Milliseconds in which a guest can read its last input. */
const lingerMs = 5_000;

const targetPattern = /^([0-9a-f-]{36})\.serial:1$/;

/** Creates the tunnel to the consoles; undefined if no VM of the site has one. */
export function createSerialTunnel(parts: TunnelParts): Tunnel | undefined {
  const { consoles } = parts.site.hypervisor ?? {};
  if (!consoles) return undefined;
  return async (request, socket, head) => {
    socket.on('error', () => socket.destroy());
    try {
      const vm = requireVm(parts, await authenticate(parts, request, socket), request.url ?? '');
      const target = await consoles.openSerial(vm);
      socket.once('close', () => endSoon(target));
      target.once('close', () => socket.destroy());
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      target.write(head);
      socket.pipe(target).pipe(socket);
    } catch (error) {
      refuse(socket, error);
    }
  };
}

/** Ends a console. QEMU discards input that the guest has not read when the connection closes. */
function endSoon(target: Duplex): void {
  const timer = setTimeout(() => target.destroy(), lingerMs);
  target.once('close', () => clearTimeout(timer));
  target.end();
}

async function authenticate(
  { authenticator }: TunnelParts,
  request: IncomingMessage,
  socket: Duplex & { readonly remoteAddress?: string },
): Promise<Caller> {
  const found = await authenticator.authenticate(
    {
      authorization: getRequestHeader(request, 'authorization'),
      ...{ cookie: undefined, prefer: undefined, sessionTtl: undefined },
      address: socket.remoteAddress ?? '',
    },
    '/',
  );
  if ('refusal' in found) throw found.refusal;
  if ('refused' in found) throw new Refusal(401, 'Unauthorized', found.refused);
  return found.caller;
}

/** The id of the VM in the target. Refuses VMs without a console, and callers without the permit. */
function requireVm({ store }: TunnelParts, caller: Caller, target: string): string {
  const [, id] = targetPattern.exec(target) ?? [];
  if (id === undefined) throw new Refusal(404, 'Not Found', 'CONNECT requires VM.serial:1.');
  store.read((tx) => {
    const permit = 'connect_to_serial_console';
    const object = { kind: 'vm', id } as const;
    if (!isPermitted(tx, caller, permit, object)) throw refused('NOT_AUTHORIZED', { permit });
    const vm = tx.get('vm', id);
    if (!vm) throw new Refusal(404, 'Not Found', `VM ${id} not found.`);
    if (vm.console?.enabled === true) return;
    throw new Refusal(409, 'Conflict', `The serial console of VM ${vm.name} is not enabled.`);
  });
  return id;
}

function refuse(socket: Duplex, error: unknown): void {
  const { status, reason, detail } =
    error instanceof HypervisorError
      ? new Refusal(409, 'Conflict', `${error.message}.`)
      : error instanceof Refusal
        ? error
        : new Refusal(500, 'Internal Server Error', '');
  const body = `${JSON.stringify({ reason, detail })}\n`;
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    ...['', body],
  ];
  socket.end(lines.join('\r\n'));
  socket.resume();
}
