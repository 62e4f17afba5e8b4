/** Options common to all transfers, and the progress that they report. */
import type { Client } from '../client/client.ts';
import type { RateLimit } from './rate-limit.ts';

/** Where a transfer is, in the order in which uploads and downloads go through it. */
export type Phase = 'preparing' | 'copying' | 'flushing' | 'verifying' | 'finalizing' | 'done';

export interface TransferEvent {
  readonly phase: Phase;
  /** Bytes that are in place because they were sent or received, by this run or an earlier one. */
  readonly transferred: number;
  /** Those of them that an earlier run moved. */
  readonly resumed: number;
  /** Bytes that did not have to travel, because they are zeros. */
  readonly skipped: number;
  /** Bytes of the image; 0 while that is not known yet. */
  readonly total: number;
}

export type ProgressListener = (event: TransferEvent) => void;

/** Keeps the counts of a transfer and tells them. */
export class ProgressReporter {
  readonly #listener: ProgressListener | undefined;
  #phase: Phase = 'preparing';
  #transferred = 0;
  #resumed = 0;
  #skipped = 0;
  #total = 0;

  constructor(listener: ProgressListener | undefined) {
    this.#listener = listener;
  }

  get transferred(): number {
    return this.#transferred;
  }

  get skipped(): number {
    return this.#skipped;
  }

  /** A new phase; `total` where it has become known. */
  enterPhase(phase: Phase, total = this.#total): void {
    this.#phase = phase;
    this.#total = total;
    this.#tell();
  }

  /** Bytes that have arrived; negative when some have to be sent once more. */
  addTransferred(bytes: number): void {
    this.#transferred += bytes;
    this.#tell();
  }

  /** Bytes that an earlier run moved. */
  addResumed(bytes: number): void {
    this.#transferred += bytes;
    this.#resumed += bytes;
    this.#tell();
  }

  /** Bytes that need not travel. */
  addSkipped(bytes: number): void {
    this.#skipped += bytes;
    this.#tell();
  }

  #tell(): void {
    this.#listener?.({
      phase: this.#phase,
      transferred: this.#transferred,
      resumed: this.#resumed,
      skipped: this.#skipped,
      total: this.#total,
    });
  }
}

export interface TransferOptions {
  readonly client: Client;
  /** Address of the service, as the journal names it. */
  readonly server: string;
  /** Folder of the journals. */
  readonly journals: string;
  /** Connections at a time; the daemon may want fewer. */
  readonly parallel: number;
  /** Compare checksums when everything has been moved. */
  readonly verify: boolean;
  /** Repetitions of a request that failed for a reason that may pass. */
  readonly retries: number;
  /** How fast bytes may travel, over all connections. */
  readonly limit?: RateLimit;
  readonly signal: AbortSignal;
  readonly onEvent?: ProgressListener;
  /** Told in words what the user should know although nothing failed. */
  readonly onNote?: (note: string) => void;
}
