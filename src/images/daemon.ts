/** Image daemon in the calling thread: listeners, tickets, shutdown. */
import type { Server } from 'node:net';
import { HashThreadPool } from '../hash/thread-pool.ts';
import type { Schedule } from '../http-listener/listener.ts';
import { type CreateListener, prepareListeners } from './api/server.ts';
import { openFileImage } from './backends/file.ts';
import { openNbdImage } from './backends/nbd.ts';
import { trackWrites, withChanges } from './dirty/backend.ts';
import { defaultLimits, type Limits } from './http/limits.ts';
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

interface Listening {
  /** Port of the network listener. */
  readonly port: number;
  /**
   * Removes the sockets from the file system, accepts no connections, and closes those that remain
   * after the grace period.
   */
  readonly close: (graceMs: number) => Promise<void>;
}

/** Opens the listeners of the options. Closes those that are open if one fails. */
async function startListening(
  createListener: CreateListener,
  options: ImageDaemonOptions,
  clock: Clock,
): Promise<Listening> {
  const { unixSocket, controlSocket } = options;
  const network = createListener('network', options.tls);
  const port = await listen(network.server, options.host, options.port);
  const listeners = [network];
  const removers: (() => Promise<void>)[] = [];
  const addLocal = async (path: string, kind: 'local' | 'control') => {
    const listener = createListener(kind);
    removers.push(await listenOnPath(listener.server, path));
    listeners.push(listener);
  };
  const close = async (graceMs: number) => {
    for (const remove of removers) await remove();
    const schedule: Schedule = (ms, run) => clock.schedule(ms, run);
    await Promise.all(listeners.map((listener) => listener.close(graceMs, schedule)));
  };
  try {
    if (unixSocket !== undefined) await addLocal(unixSocket, 'local');
    if (controlSocket !== undefined) await addLocal(controlSocket, 'control');
  } catch (error) {
    await close(0);
    throw error;
  }
  return { port, close };
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
  const services = { tickets, memory, hashThreads, version, unixSocket, wrapsAlgorithms };
  const createListener = prepareListeners(services, limits);
  const { port, close } = await startListening(createListener, options, clock);
  const end = async () => {
    await close(GRACE);
    await withTimeout(clock, DISK_GRACE, tickets.close());
    await hashThreads.close();
    // A server that hangs must not block the exit of the process.
    tickets.abandon();
  };
  let ending: Promise<void> | undefined;
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

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.removeListener('error', reject);
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : port);
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
