/** Transfers of the memory of a VM: their progress, and streams between QEMU and a file. */
import { createReadStream, createWriteStream } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { getErrorCode } from '../../caught-errors.ts';
import { toRecord } from '../../records.ts';
import { HypervisorError } from '../../server/core/hypervisor.ts';
import { readRecord } from './run-record.ts';
import type { RunningVm } from './running-vm.ts';

/** States of QEMU after a transfer. */
const endStates: ReadonlySet<string> = new Set(['none', 'completed', 'failed', 'cancelled']);
const pollMs = 50;
/** Codes of errors after the peer has closed a connection. */
const closeCodes: ReadonlySet<string> = new Set([
  ...['EPIPE', 'ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE'],
]);
/** Bytes per second: no limit. */
const maxBandwidth = 2 ** 40;
/** Milliseconds until a process must have read all that it received. */
const loadTimeoutMs = 60_000;

export interface TransferOptions {
  /** Cancels the transfer; the VM continues. */
  readonly signal?: AbortSignal | undefined;
  /** Receives the progress in percent. */
  readonly onProgress?: (percent: number) => void;
}

/** Socket in the working folder of a process that sends its memory to the server. */
export const outgoing = 'out';
/** Socket in the working folder of a process that receives memory. */
export const incoming = 'in';

/** Sends the memory of a VM to a socket, named relative to its working folder. */
export async function sendMemory(
  vm: RunningVm,
  socket: string,
  parameters: Readonly<Record<string, number>> = {},
): Promise<void> {
  await vm.execute('migrate-set-parameters', { 'max-bandwidth': maxBandwidth, ...parameters });
  await vm.execute('migrate', { uri: `unix:${socket}` });
}

/** Waits until QEMU has sent all memory. Rejects with a `HypervisorError` after a failure. */
export async function waitForTransfer(
  vm: RunningVm,
  { signal, onProgress }: TransferOptions = {},
): Promise<void> {
  let isCancelled = false;
  for (;;) {
    const { status, ram, 'error-desc': reason } = toRecord(await vm.execute('query-migrate'));
    if (status === 'completed') return;
    if (status === 'cancelled') throw new HypervisorError('the transfer was cancelled');
    if (status === 'failed') {
      const detail = typeof reason === 'string' ? `: ${reason}` : '';
      throw new HypervisorError(`QEMU cannot transfer the memory${detail}`);
    }
    if (signal?.aborted && !isCancelled) {
      isCancelled = true;
      await vm.execute('migrate_cancel');
    }
    onProgress?.(computePercent(toRecord(ram)));
    await wait(pollMs);
  }
}

function computePercent({ total, remaining }: Record<string, unknown>): number {
  if (typeof total !== 'number' || typeof remaining !== 'number' || total === 0) return 0;
  return Math.max(0, Math.min(99, Math.round(100 * (1 - remaining / total))));
}

/** Ends a transfer that a crashed server has begun. The guest continues, unless it was paused. */
export async function endTransfers(vm: RunningVm): Promise<void> {
  const { status } = toRecord(await vm.execute('query-migrate'));
  if (typeof status === 'string' && !endStates.has(status)) {
    await waitForTransfer(vm, { signal: AbortSignal.abort() }).catch(() => undefined);
  }
  if ((await vm.readStatus()) !== 'postmigrate') return;
  if (readRecord(vm.process.folder)?.runs !== false) await vm.resume();
}

/** Waits until a process that receives memory is complete. QEMU ends after a failure. */
export async function waitForLoad(vm: RunningVm): Promise<void> {
  const until = performance.now() + loadTimeoutMs;
  while ((await vm.readStatus()) === 'inmigrate') {
    if (performance.now() > until) throw new HypervisorError('QEMU does not complete the transfer');
    await wait(pollMs);
  }
}

/** A file that receives the bytes of one connection. */
export interface Receiver {
  /** Resolves after the last byte is on the storage. */
  readonly done: Promise<void>;
  /** Stops to receive. */
  close(): void;
}

/** Listens on a socket and writes the bytes of its first connection to a new file. */
export async function receiveToFile(socket: string, file: string): Promise<Receiver> {
  const stopping = new AbortController();
  const output = createWriteStream(file, { flags: 'w', mode: 0o600 });
  const server = createServer();
  const connected = new Promise<Socket>((resolve, reject) => {
    server.once('connection', resolve);
    stopping.signal.addEventListener('abort', () => reject(stopping.signal.reason));
  });
  const write = async () => {
    try {
      const input = await connected;
      server.close();
      await pipeline(input, output, { signal: stopping.signal });
    } finally {
      server.close();
      output.destroy();
    }
  };
  const done = write();
  // A caller that fails before it waits closes the receiver.
  done.catch(() => undefined);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(socket, resolve);
  });
  return { done, close: () => stopping.abort() };
}

/** Sends a file to a socket on which a process listens. */
export async function sendFile(file: string, socket: string): Promise<void> {
  const connection = connect({ path: socket });
  try {
    await pipeline(createReadStream(file), connection);
  } catch (error) {
    // QEMU closes the connection after the last byte, or after an error that is in its log.
    if (!closeCodes.has(getErrorCode(error) ?? '')) throw error;
  } finally {
    connection.destroy();
  }
}
