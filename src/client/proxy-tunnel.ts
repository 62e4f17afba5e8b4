/**
 * Tunnels through HTTP proxies, and selection of the proxy for a server. The agents of undici do
 * not suffice, because transfers and TLS probes need plain sockets.
 */
import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { toError } from '../caught-errors.ts';
import { connectionError } from './connection-errors.ts';
import { ConnectionError, UsageError } from './errors.ts';
import { type EnvironmentVariables, proxyVariables } from './proxy-env.ts';

const connectTimeout = 10_000;
/** Maximum length of the response to CONNECT. */
const maxHeadLength = 64 * 1024;

/** Proxy for a server. `undefined` for plain http, hosts in NO_PROXY, and this computer. */
export function selectProxy(origin: string, env: EnvironmentVariables): URL | undefined {
  const name = proxyVariables.find((one) => env[one]);
  const text = name === undefined ? undefined : env[name];
  const to = new URL(origin);
  if (name === undefined || text === undefined) return undefined;
  if (to.protocol !== 'https:' || isExcepted(to, env)) return undefined;
  const address = text.includes('://') ? text : `http://${text}`;
  if (!/^https?:/.test(address) || !URL.canParse(address)) {
    throw new UsageError(`${name}: not the address of an http or https proxy`, {
      hint: `use ${name}=http://host:port, or add ${to.hostname} to NO_PROXY`,
    });
  }
  const proxy = new URL(address);
  try {
    decodeLogin(proxy);
  } catch {
    throw new UsageError(`${name}: user or password has malformed percent-encoding`, {
      hint: `in ${name}=http://user:password@host:port, write "%" in user or password as %25`,
    });
  }
  return proxy;
}

/**
 * Decoded `user:password` of an address. Throws `URIError` if the percent-encoding is malformed.
 */
function decodeLogin({ username, password }: URL): string {
  return `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
}

function isExcepted({ hostname, port }: URL, env: EnvironmentVariables): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (/^(localhost|.*\.localhost|127(\.\d+){3}|::1)$/.test(host)) return true;
  const exceptions = env['no_proxy'] || env['NO_PROXY'] || '';
  return exceptions.split(/[\s,]+/).some((exception) => {
    if (exception === '') return false;
    if (exception === '*') return true;
    const [, name = '', only] = /^\*?\.?(.*?)(?::(\d+))?$/.exec(exception) ?? [];
    if (host.includes(':')) return exception.replace(/^\[|\]$/g, '') === host;
    if (only !== undefined && only !== (port || '443')) return false;
    const wanted = name.toLowerCase();
    return host === wanted || host.endsWith(`.${wanted}`);
  });
}

/** Creates a connector that uses a proxy if one applies. */
export function proxyConnector(
  connect: buildConnector.connector,
  env: EnvironmentVariables,
): buildConnector.connector {
  return (options, callback) => {
    const origin = `${options.protocol}//${options.host ?? options.hostname}`;
    let proxy: URL | undefined;
    try {
      proxy = selectProxy(origin, env);
    } catch (error) {
      callback(toError(error), null);
      return;
    }
    if (!proxy) {
      connect(options, callback);
      return;
    }
    openTunnel(origin, proxy).then(
      (socket) => connect({ ...options, httpSocket: socket }, callback),
      (error: Error) => callback(error, null),
    );
  };
}

/** Connects to a server through its proxy. `undefined` if no proxy applies. */
export async function connectThroughProxy(
  origin: string,
  env: EnvironmentVariables,
): Promise<Socket | undefined> {
  const proxy = selectProxy(origin, env);
  return proxy && (await openTunnel(origin, proxy));
}

/** Requests a tunnel to a server from a proxy. */
async function openTunnel(origin: string, proxy: URL): Promise<Socket> {
  const { hostname, port } = new URL(origin);
  const to = `${hostname}:${port || 443}`;
  const socket = await connectToProxy(proxy);
  const login = decodeLogin(proxy);
  const lines = [
    `CONNECT ${to} HTTP/1.1`,
    `Host: ${to}`,
    ...(login === ':'
      ? []
      : [`Proxy-Authorization: Basic ${Buffer.from(login).toString('base64')}`]),
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  const status = await readStatusLine(socket, proxy);
  if (/^HTTP\/1\.\d 2\d\d/.test(status)) return socket;
  socket.destroy();
  const reason = status.replace(/^HTTP\/\S+ /, '') || 'invalid response';
  throw new ConnectionError(`proxy ${proxy.host} does not connect to ${to}: ${reason}`, {
    hint: reason.startsWith('407')
      ? 'add user and password to HTTPS_PROXY: http://user:password@host:port'
      : 'contact the administrator of the proxy; add hosts without proxy to NO_PROXY',
  });
}

async function connectToProxy(proxy: URL): Promise<Socket> {
  const isSecure = proxy.protocol === 'https:';
  const to = {
    host: proxy.hostname.replace(/^\[|\]$/g, ''),
    port: Number(proxy.port || (isSecure ? 443 : 80)),
    timeout: connectTimeout,
  };
  const socket = isSecure
    ? process.getBuiltinModule('node:tls').connect(to)
    : process.getBuiltinModule('node:net').connect(to);
  return await new Promise((resolve, reject) => {
    const fail = (error: unknown) => {
      socket.destroy();
      const explained = connectionError(error, {
        method: 'CONNECT',
        origin: proxy.origin,
        path: '/',
      });
      reject(
        new ConnectionError(`proxy: ${explained.message}`, {
          hint: 'check HTTPS_PROXY; add hosts without proxy to NO_PROXY',
          cause: error,
        }),
      );
    };
    socket.once('error', fail);
    socket.once('timeout', () => fail(Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' })));
    socket.once(isSecure ? 'secureConnect' : 'connect', () => {
      socket.removeAllListeners('error');
      resolve(socket);
    });
  });
}

/** Reads the status line of the response. Bytes after the head remain unread. */
function readStatusLine(socket: Socket, proxy: URL): Promise<string> {
  return new Promise((resolve, reject) => {
    let head = Buffer.alloc(0);
    const end = (act: () => void) => {
      socket.off('data', read);
      for (const event of ['error', 'timeout', 'end']) socket.off(event, fail);
      socket.setTimeout(0);
      act();
    };
    const fail = () =>
      end(() => {
        socket.destroy();
        reject(new ConnectionError(`proxy ${proxy.host} does not respond`, {}));
      });
    const read = (piece: Buffer) => {
      head = Buffer.concat([head, piece]);
      const at = head.indexOf('\r\n\r\n');
      if (at < 0 && head.length > maxHeadLength) fail();
      if (at < 0) return;
      end(() => {
        socket.pause();
        if (head.length > at + 4) socket.unshift(head.subarray(at + 4));
        resolve(head.subarray(0, at).toString('latin1').split('\r\n')[0] ?? '');
      });
    };
    socket.on('data', read);
    for (const event of ['error', 'timeout', 'end']) socket.once(event, fail);
  });
}
