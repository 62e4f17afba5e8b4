/** Image daemon in the calling thread: listeners, tickets, shutdown. */
import type { AddressInfo, Server } from 'node:net';
import { HashThreadPool } from '../hash/thread-pool.ts';
import { ImageServer } from './api/server.ts';
import { openFileImage } from './backends/file.ts';
import { openNbdImage } from './backends/nbd.ts';
import { trackWrites, withChanges } from './dirty/backend.ts';
import { defaultLimits, type Limits } from './http/admission.ts';
import { type Clock, monotonicClock } from './system/clock.ts';
import { PieceMemory } from './system/piece-memory.ts';
import { listenOnPath } from './system/unix-socket.ts';
import { TicketRegistry } from './tickets/registry.ts';
import type { OpenBackend } from './tickets/ticket.ts';
import type { ImageDaemon, ImageDaemonOptions } from './types.ts';

/** Milliseconds for pending requests at shutdown. */
const GRACE = 8000;
/** Additional milliseconds for pending disk operations. */
const DISK_GRACE = 2000;

/** Dependencies that tests replace. */
export interface DaemonDependencies {
  clock: Clock;
  openBackend: OpenBackend;
  memory: PieceMemory;
  limits: Partial<Limits>;
}

/** Starts to listen. Rejects if an address is not available or the certificate is invalid. */
export async function runDaemon(
  options: ImageDaemonOptions,
  parts: Partial<DaemonDependencies> = {},
): Promise<ImageDaemon> {
  const clock = parts.clock ?? monotonicClock;
  const tickets = new TicketRegistry(clock, parts.openBackend ?? imageOpener(clock));
  for (const ticket of options.tickets ?? []) tickets.add(ticket);
  const memory = parts.memory ?? new PieceMemory();
  const { unixSocket, controlSocket, version = '1.0.0', wrapsAlgorithms = false } = options;
  const limits = {
    ...defaultLimits,
    ...(options.maxConnections === undefined ? {} : { connections: options.maxConnections }),
    ...(options.maxPerAddress === undefined ? {} : { perAddress: options.maxPerAddress }),
    ...parts.limits,
  };
  const hashThreads = new HashThreadPool();
  const face = new ImageServer(
    { tickets, memory, hashThreads, version, unixSocket, wrapsAlgorithms },
    clock,
    limits,
  );
  const servers: Server[] = [];
  const closers: (() => Promise<void>)[] = [];

  const network = face.createServer('network', options.tls);
  await listen(network, options.host, options.port);
  servers.push(network);
  const addLocal = async (path: string, server: Server) => {
    closers.push(await listenOnPath(server, path));
    servers.push(server);
  };
  try {
    if (unixSocket !== undefined) await addLocal(unixSocket, face.createServer('local'));
    if (controlSocket !== undefined) {
      await addLocal(controlSocket, face.createServer('control'));
    }
  } catch (error) {
    for (const remove of closers) await remove();
    for (const server of servers) server.close();
    throw error;
  }

  const end = async () => {
    for (const remove of closers) await remove();
    for (const server of servers) server.close();
    await withTimeout(clock, GRACE, face.finish());
    face.destroy();
    await withTimeout(clock, DISK_GRACE, tickets.close());
    await hashThreads.close();
    // A server that hangs must not block the exit of the process.
    tickets.abandon();
  };
  let ending: Promise<void> | undefined;
  const { port } = network.address() as AddressInfo;
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  return {
    url: `${options.tls ? 'https' : 'http'}://${host}:${port}`,
    port,
    ...(unixSocket === undefined ? {} : { unixSocket }),
    ...(controlSocket === undefined ? {} : { controlSocket }),
    add: async (ticket) => tickets.add(ticket),
    state: async (id) => tickets.state(id),
    extend: async (id, timeout) => tickets.extend(id, timeout),
    touch: async (id) => tickets.touch(id),
    remove: (id, waitMs) => tickets.remove(id, waitMs),
    close: () => {
      ending ??= end();
      return ending;
    },
  };
}

/** Opens images in files and NBD exports. */
function imageOpener(clock: Clock): OpenBackend {
  return async ({ image, size, ops, sparse, dirty = false, changes, trackingBitmap }) => {
    const writable = ops.includes('write');
    const asksServer = dirty && !changes;
    const opened = await (image.kind === 'file'
      ? openFileImage({ path: image.path, size, writable, sparse })
      : openNbdImage({ ...image, size, writable, sparse, dirty: asksServer, clock }));
    if (changes) return withChanges(opened, size, changes);
    if (trackingBitmap === undefined || !writable) return opened;
    try {
      return await trackWrites(opened, trackingBitmap);
    } catch (error) {
      await opened.close();
      throw error;
    }
  };
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.removeListener('error', reject);
      resolve();
    });
  });
}

/** Waits for `work`, at most `ms` milliseconds. */
async function withTimeout(clock: Clock, ms: number, work: Promise<unknown>): Promise<void> {
  let stop: () => void = () => {};
  const limit = new Promise<void>((resolve) => {
    stop = clock.schedule(ms, resolve);
  });
  await Promise.race([work, limit]);
  stop();
}
