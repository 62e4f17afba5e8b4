/** Sockets of image daemons on this machine: whether they can be used, and connections through them. */
import { lookup } from 'node:dns/promises';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Dispatcher } from 'undici';

export interface LocalSocket {
  readonly path: string;
  /** Connections through it; to be destroyed by whoever opened it. */
  readonly dispatcher: Dispatcher;
}

/** Prepares connections through the socket of a daemon. */
export async function openLocalSocket(path: string): Promise<LocalSocket> {
  const { Agent } = await import('../client/undici.ts');
  return { path, dispatcher: new Agent({ connections: 8, connect: { socketPath: path } }) };
}

/**
 * Whether the host of a URL is this machine. A path that another machine tells means nothing here,
 * or something else.
 */
export async function isThisMachine(url: string): Promise<boolean> {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  const addresses = isIP(host) ? [host] : await lookUp(host);
  const own = Object.values(networkInterfaces())
    .flatMap((some) => some ?? [])
    .map(({ address }) => address);
  return addresses.some((address) => /^127\./.test(address) || own.includes(address));
}

/** Whether there is such a socket, and this user may use it. */
export async function isWritable(path: string): Promise<boolean> {
  return await access(path, constants.W_OK).then(
    () => true,
    () => false,
  );
}

async function lookUp(host: string): Promise<string[]> {
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address);
  } catch {
    return [];
  }
}
