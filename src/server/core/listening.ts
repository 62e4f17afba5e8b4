/** Where a server listens: the socket, and the names that its certificate needs. */
import type { Server } from 'node:net';
import { hostname } from 'node:os';
import { reasonOfCode } from '../../system-errors.ts';
import { type Address, isEverywhere, type ServerOptions, urlHost } from './options.ts';

/** Why a server cannot listen; `option` is the flag that names the address. */
export function cannotListen(error: unknown, at: Address, option: string): Error {
  const message = error instanceof Error ? error.message : String(error);
  // The daemon in its thread reports only the message: `listen EADDRINUSE: address already in use`.
  const code = /\bE[A-Z]{3,}\b/.exec(message)?.[0] ?? '';
  if (!message.startsWith('listen ') && !message.startsWith('getaddrinfo '))
    return new Error(message);
  const reason = reasonOfCode(code) ?? message;
  return new Error(
    `cannot listen on ${at.host}:${at.port}: ${reason}. Use another address with ${option}.`,
    { cause: error },
  );
}

/** Lets a server listen; resolves with its port. Rejects with what is wrong with the address. */
export function listen(server: Server, at: Address): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(cannotListen(error, at, '--listen'));
    });
    server.listen(at.port, at.host, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : at.port);
    });
  });
}

/** The names and addresses by which clients may reach a server on these hosts. */
export function certificateNames(
  hosts: readonly string[],
  { hostNames = [] }: Pick<ServerOptions, 'hostNames'>,
): string[] {
  const names = [...hosts, 'localhost', '127.0.0.1', '::1', hostname(), ...hostNames];
  return [...new Set(names)].filter((host) => !isEverywhere(host));
}

/** Where clients reach the image daemon: one that listens everywhere has no address of its own. */
export function uploadUrl(
  daemon: { readonly url: string; readonly port: number },
  { listen, imagesListen }: Pick<ServerOptions, 'listen' | 'imagesListen'>,
): string {
  return isEverywhere(imagesListen.host)
    ? `https://${urlHost(listen.host)}:${daemon.port}`
    : daemon.url;
}
