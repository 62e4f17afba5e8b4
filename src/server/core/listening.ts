/** Where a server listens: the socket, and the names that its certificate needs. */
import type { Server } from 'node:net';
import { hostname } from 'node:os';
import { type Address, isEverywhere, type ServerOptions } from './options.ts';

/** Lets a server listen; resolves with its port. Rejects with what is wrong with the address. */
export function listen(server: Server, at: Address): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        error.code === 'EADDRINUSE'
          ? new Error(
              `${at.host}:${at.port} is taken already. Choose another address with --listen.`,
            )
          : error,
      );
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
