/** Connection to a serial console through the API of `vmctl serve --hypervisor qemu`. */
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect, type TLSSocket } from 'node:tls';
import { toRecord } from '../records.ts';
import { connectionError } from './connection-errors.ts';
import {
  AuthError,
  ConflictError,
  ConnectionError,
  ForbiddenError,
  ServerError,
} from './errors.ts';
import type { Http } from './http.ts';
import type { StoredToken } from './session.ts';

/** Milliseconds for the connection and its response, and the maximum length of a response in bytes. */
const timeoutMs = 20_000;
const maxLength = 64 * 2 ** 10;

/**
 * Connects to the serial console of a VM. Resolves with undefined if the service offers none:
 * engines, and servers that simulate VMs.
 */
export async function openSerialConsole(
  http: Http,
  { site: { origin }, token }: StoredToken,
  vm: string,
): Promise<Duplex | undefined> {
  // Only servers of vmctl have this endpoint. Others never receive the next request.
  const live = await http.send({ method: 'GET', origin, path: '/_vmctl/live' });
  if (live.status !== 200) return undefined;
  const target = `${vm}.serial:1`;
  const socket = await connectSafely(http, origin, target);
  const lines = [`CONNECT ${target} HTTP/1.1`, `Host: ${target}`, `Authorization: Bearer ${token}`];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  const head = await readHead(socket);
  // A server without consoles closes the connection.
  if (head === undefined) return undefined;
  const status = Number(/^HTTP\/1\.\d (\d{3})/.exec(head)?.[1]);
  if (status === 200) return socket;
  throw await readRefusal(socket, status);
}

async function connectSafely(http: Http, origin: string, target: string): Promise<TLSSocket> {
  const url = new URL(origin);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const proxy = await http.connectThroughProxy(origin);
  const socket = connect({
    ...http.trust,
    ...{ host, port: Number(url.port || 443) },
    ...(proxy ? { socket: proxy } : {}),
    ...(isIP(host) ? {} : { servername: host }),
  });
  socket.setTimeout(timeoutMs);
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('secureConnect', resolve);
      socket.once('error', reject);
      socket.once('timeout', () =>
        reject(Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' })),
      );
    });
  } catch (error) {
    socket.destroy();
    throw connectionError(error, { method: 'CONNECT', origin, path: target });
  }
  socket.on('error', () => socket.destroy());
  return socket;
}

/** Reads the head of the response. Later bytes remain unread. Undefined if the connection ends before. */
function readHead(socket: TLSSocket): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    let read = Buffer.alloc(0);
    const end = (act: () => void) => {
      socket.off('data', receive);
      socket.off('close', close);
      socket.off('timeout', fail);
      socket.setTimeout(0);
      act();
    };
    const close = () => end(() => resolve(undefined));
    const fail = () =>
      end(() => {
        socket.destroy();
        reject(new ConnectionError('the server does not respond to the request for the console'));
      });
    const receive = (piece: Buffer) => {
      read = Buffer.concat([read, piece]);
      const at = read.indexOf('\r\n\r\n');
      if (at < 0 && read.length > maxLength) fail();
      if (at < 0) return;
      end(() => {
        socket.pause();
        if (read.length > at + 4) socket.unshift(read.subarray(at + 4));
        resolve(read.toString('latin1', 0, at));
      });
    };
    socket.on('data', receive);
    socket.once('close', close);
    socket.once('timeout', fail);
  });
}

async function readRefusal(socket: Duplex, status: number): Promise<Error> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of socket) {
    const bytes = Buffer.from(piece);
    pieces.push(bytes);
    length += bytes.length;
    if (length > maxLength) break;
  }
  const text = parseDetail(Buffer.concat(pieces).toString('utf8')) ?? `status ${status}`;
  if (status === 401) return new AuthError(text);
  if (status === 403) return new ForbiddenError(text);
  return status === 409 ? new ConflictError(text) : new ServerError(text);
}

function parseDetail(text: string): string | undefined {
  try {
    const { detail } = toRecord(JSON.parse(text));
    return typeof detail === 'string' && detail !== '' ? detail : undefined;
  } catch {
    return undefined;
  }
}
