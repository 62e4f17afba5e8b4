/** Aborted transfers: the error, what is left behind, and cleaning up after it. */
import {
  ConnectionError,
  InterruptedError,
  ServerError,
  VmctlError,
  WaitTimeoutError,
} from '../client/errors.ts';
import type { Journal } from './journal.ts';
import type { TransferOptions } from './progress.ts';
import { TransferApi } from './transfer-api.ts';

/** What a transfer that did not succeed left behind. */
export interface TransferRemainder {
  /** Going on later needs no byte twice, but for one window. */
  readonly resumable: boolean;
  readonly disk?: string;
  readonly transfer?: string;
  /** The transfer waits for somebody to go on; otherwise it is over, or nobody could tell it. */
  readonly paused?: boolean;
  /** The service could not be told that it is over; it ends the transfer by itself, later. */
  readonly notNotified?: boolean;
  /** The disk was made for the transfer, and is gone again. */
  readonly diskRemoved?: boolean;
  /** The disk was there before; what it holds now is neither the old image nor the new one. */
  readonly diskCorrupted?: boolean;
  /** The device that held something before, and holds a part of the image now. */
  readonly deviceCorrupted?: string;
  /** What was sent cannot be read again: going on is impossible. */
  readonly notRepeatable?: boolean;
  /** Where the bytes of a download are kept. */
  readonly partial?: string;
}

/** A transfer that ended with an error, which is the `cause`. */
export class TransferAborted extends Error {
  readonly remainder: TransferRemainder;

  constructor(cause: unknown, remainder: TransferRemainder) {
    super('the transfer was stopped', { cause });
    this.remainder = remainder;
  }
}

/** Whether the reason may be gone later: then what was done is worth keeping. */
export function isTransient(error: unknown): boolean {
  if (error instanceof InterruptedError || error instanceof WaitTimeoutError) return true;
  if (error instanceof ConnectionError) return true;
  if (error instanceof ServerError) return error.retryable || error.code === 'no_space_on_server';
  return error instanceof VmctlError && error.code === 'transfer_paused';
}

/** Pauses an upload; whether that worked. One that is not told pauses by itself, later. */
export async function tryPause(api: TransferApi, transfer: string): Promise<boolean> {
  try {
    const cleanup = api.forCleanup();
    if (!String((await cleanup.transfer(transfer))?.['phase']).startsWith('paused')) {
      await cleanup.act(transfer, 'pause');
    }
    return true;
  } catch {
    return false;
  }
}

/** Cancels a transfer and waits until it lets go of the disk, if it has it; whether that worked. */
export async function tryCancel(
  api: TransferApi,
  transfer: string,
  disk?: string,
): Promise<boolean> {
  try {
    const cleanup = api.forCleanup();
    const phase = String((await cleanup.transfer(transfer))?.['phase'] ?? 'finished');
    if (!/^(finished|cancelled|finalizing)/.test(phase)) await cleanup.act(transfer, 'cancel');
    if (disk !== undefined) await cleanup.waitForDisk(disk).catch(() => undefined);
    return true;
  } catch {
    return false;
  }
}

/**
 * Ends the transfer of an upload that an earlier run did not finish, so that its disk can be uploaded to
 * anew. The journal is removed.
 */
export async function endInterrupted(
  { client, signal }: Pick<TransferOptions, 'client' | 'signal'>,
  journal: Journal,
): Promise<void> {
  const { transfer, header } = journal;
  if (transfer !== undefined) {
    client.own(transfer);
    await tryCancel(new TransferApi(client, signal), transfer, header.disk);
  }
  journal.remove();
}

/** Removes a disk that nobody will miss; whether it is gone. */
export async function tryRemoveDisk(api: TransferApi, disk: string): Promise<boolean> {
  const cleanup = api.forCleanup();
  try {
    await cleanup.removeDisk(disk);
    return true;
  } catch {
    // Services of the family remove the disk of a failed upload themselves.
    return (await cleanup.disk(disk).catch(() => ({}))) === undefined;
  }
}
