/** Local sockets of image daemons: availability and connections. */
import { lookup } from 'node:dns/promises';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Dispatcher } from 'undici';

export interface LocalSocket {
  readonly path: string;
  /** Connections through the socket. The opener must destroy it. */
  readonly dispatcher: Dispatcher;
}

/** Prepares connections through the socket of a daemon. */
export async function openLocalSocket(path: string): Promise<LocalSocket> {
  const { openLocalAgent } = await import('../client/agent.ts');
  return { path, dispatcher: openLocalAgent(path) };
}

/** Whether the host of a URL is this computer. Paths from another computer are invalid here. */
export async function isThisComputer(url: string): Promise<boolean> {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  const addresses = isIP(host) ? [host] : await lookUp(host);
  const own = Object.values(networkInterfaces())
    .flatMap((some) => some ?? [])
    .map(({ address }) => address);
  return addresses.some((address) => /^127\./.test(address) || own.includes(address));
}

/** Whether the socket exists and is writable for this user. */
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
