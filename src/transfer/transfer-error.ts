/** Aborted transfers: the error, the remainder, and cleanup. */
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

/** Remainder of a failed transfer. */
export interface TransferRemainder {
  /** Whether it can be resumed, repeating at most one window. */
  readonly resumable: boolean;
  readonly disk?: string;
  readonly transfer?: string;
  /**
   * Whether the transfer is paused. Otherwise it has ended, or the service could not be reached.
   */
  readonly paused?: boolean;
  /** Whether the service could not be notified. It ends the transfer later. */
  readonly notNotified?: boolean;
  /** Whether the disk was created for the transfer and removed again. */
  readonly diskRemoved?: boolean;
  /** Whether an existing disk contains neither the old nor the new image. */
  readonly diskCorrupted?: boolean;
  /** Device that was overwritten with a part of the image. */
  readonly deviceCorrupted?: string;
  /** Whether the source cannot be read again, so that resuming is impossible. */
  readonly notRepeatable?: boolean;
  /** Path of the partial download. */
  readonly partial?: string;
}

/** Transfer that ended with an error, which is the `cause`. */
export class TransferAborted extends Error {
  readonly remainder: TransferRemainder;

  constructor(cause: unknown, remainder: TransferRemainder) {
    super('the transfer was stopped', { cause });
    this.remainder = remainder;
  }
}

/** Whether the failure may be temporary, so that the progress is worth saving. */
export function isTransient(error: unknown): boolean {
  if (error instanceof InterruptedError || error instanceof WaitTimeoutError) return true;
  if (error instanceof ConnectionError) return true;
  if (error instanceof ServerError) return error.retryable || error.code === 'no_space_on_server';
  return error instanceof VmctlError && error.code === 'transfer_paused';
}

/** Pauses an upload. Returns whether it worked. Without it, the service pauses the upload later. */
export async function tryPause(api: TransferApi, transfer: string): Promise<boolean> {
  try {
    const cleanup = api.forCleanup();
    if (!String((await cleanup.transfer(transfer))?.phase).startsWith('paused')) {
      await cleanup.act(transfer, 'pause');
    }
    return true;
  } catch {
    return false;
  }
}

/** Cancels a transfer and waits until it unlocks the disk, if any. Returns whether it worked. */
export async function tryCancel(
  api: TransferApi,
  transfer: string,
  disk?: string,
): Promise<boolean> {
  try {
    const cleanup = api.forCleanup();
    const phase = String((await cleanup.transfer(transfer))?.phase ?? 'finished');
    if (!/^(finished|cancelled|finalizing)/.test(phase)) await cleanup.act(transfer, 'cancel');
    if (disk !== undefined) await cleanup.waitForDisk(disk).catch(() => undefined);
    return true;
  } catch {
    return false;
  }
}

/**
 * Ends the upload of an earlier run, so that its disk can be uploaded again. Removes the journal.
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

/** Removes the disk of a failed upload. Returns whether it was removed. */
export async function tryRemoveDisk(api: TransferApi, disk: string): Promise<boolean> {
  const cleanup = api.forCleanup();
  try {
    await cleanup.removeDisk(disk);
    return true;
  } catch {
    // Deployed services remove the disk of a failed upload themselves.
    return (await cleanup.disk(disk).catch(() => ({}))) === undefined;
  }
}
