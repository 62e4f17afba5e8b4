/** Server sockets, and the host names for server certificates. */

import type { Server } from 'node:net';
import { hostname } from 'node:os';
import { getErrorMessage } from '../../caught-errors.ts';
import { reasonOfCode } from '../../system-errors.ts';
import { type Address, getUrlHost, isEverywhere, type ServerOptions } from './options.ts';

/** The error for a server that cannot listen. `option` is the flag that sets the address. */
export function cannotListen(error: unknown, at: Address, option: string): Error {
  const message = getErrorMessage(error);
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

/** Starts listening and resolves with the port. Rejects with a message about the address. */
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

/** Names and addresses by which clients may reach a server on these hosts. */
export function listCertificateNames(
  hosts: readonly string[],
  { hostNames = [] }: Pick<ServerOptions, 'hostNames'>,
): string[] {
  const names = [...hosts, 'localhost', '127.0.0.1', '::1', hostname(), ...hostNames];
  return [...new Set(names)].filter((host) => !isEverywhere(host));
}

/**
 * URL of the image daemon for clients: the host of the API if the daemon listens on all addresses.
 */
export function getUploadUrl(
  daemon: { readonly url: string; readonly port: number },
  { listen, imagesListen }: Pick<ServerOptions, 'listen' | 'imagesListen'>,
): string {
  return isEverywhere(imagesListen.host)
    ? `https://${getUrlHost(listen.host)}:${daemon.port}`
    : daemon.url;
}
