/** Raw TLS connections to the server for exact byte sequences. */
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import type { ServerProcess } from '../../support/server.ts';

export interface RawSocket {
  readonly socket: TLSSocket;
  /** Received text so far. */
  readonly received: () => string;
  /** Resolves with the received text when the connection closes. */
  readonly closed: Promise<string>;
  /** Resolves with the received text when it meets the condition or the connection closes. */
  until(met: (text: string) => boolean): Promise<string>;
}

/**
 * Opens a connection to the API or to another port of the server. TLS options can set a source
 * address or a session.
 */
export function openSocket(
  server: Pick<ServerProcess, 'ready' | 'ca'>,
  url = server.ready.base_url,
  options: ConnectionOptions = {},
): Promise<RawSocket> {
  const { hostname, port } = new URL(url);
  const where = { host: hostname, port: Number(port), ca: server.ca, ...options };
  return new Promise((resolve, reject) => {
    const socket = connect(where, () => {
      let text = '';
      let check = () => {};
      socket.on('data', (piece: Buffer) => {
        text += piece.toString('latin1');
        check();
      });
      socket.off('error', reject);
      socket.on('error', () => {});
      const closed = new Promise<string>((done) => {
        socket.once('close', () => done(text));
        socket.once('end', () => socket.end());
      });
      const until = (met: (text: string) => boolean) => {
        const reached = new Promise<string>((done) => {
          check = () => {
            if (met(text)) done(text);
          };
          check();
        });
        return Promise.race([reached, closed]);
      };
      resolve({ socket, received: () => text, closed, until });
    });
    socket.once('error', reject);
  });
}

/** Whether a text ends with a complete response. */
export function isAnswered(text: string): boolean {
  const end = text.lastIndexOf('HTTP/1.1 ');
  const head = text.indexOf('\r\n\r\n', end);
  if (end < 0 || head < 0) return false;
  if (/^HTTP\/1\.1 1\d\d/.test(text.slice(end))) return false;
  const length = Number(/content-length: (\d+)/i.exec(text.slice(end, head))?.[1] ?? 0);
  return Buffer.byteLength(text.slice(head + 4), 'latin1') >= length;
}

/** Sends bytes on a new connection; resolves with the first response. */
export async function sendRaw(server: ServerProcess, bytes: string | Buffer): Promise<string> {
  const raw = await openSocket(server);
  raw.socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  const text = await raw.until(isAnswered);
  raw.socket.destroy();
  return text;
}

/** Statuses of all responses in a text. */
export function statuses(text: string): number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
}
