/** Options of all transfers, and their progress events. */
import type { Client } from '../client/client.ts';
import type { RateLimit } from './rate-limit.ts';

/** Phase of a transfer, in order. */
export type Phase = 'preparing' | 'copying' | 'flushing' | 'verifying' | 'finalizing' | 'done';

export interface TransferEvent {
  readonly phase: Phase;
  /** Bytes that this run or an earlier one has sent or received. */
  readonly transferred: number;
  /** Bytes that an earlier run transferred, included in `transferred`. */
  readonly resumed: number;
  /** Bytes of zeros that need no transfer. */
  readonly skipped: number;
  /** Bytes of the image; 0 until known. */
  readonly total: number;
}

export type ProgressListener = (event: TransferEvent) => void;

/** Counts the bytes of a transfer and reports events. */
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

  /** Enters a phase, with the total if it has become known. */
  enterPhase(phase: Phase, total = this.#total): void {
    this.#phase = phase;
    this.#total = total;
    this.#report();
  }

  /** Adds transferred bytes. Negative if bytes must be sent again. */
  addTransferred(bytes: number): void {
    this.#transferred += bytes;
    this.#report();
  }

  /** Adds bytes that an earlier run transferred. */
  addResumed(bytes: number): void {
    this.#transferred += bytes;
    this.#resumed += bytes;
    this.#report();
  }

  /** Adds bytes that need no transfer. */
  addSkipped(bytes: number): void {
    this.#skipped += bytes;
    this.#report();
  }

  #report(): void {
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
  /** Address of the service, as in the journal. */
  readonly server: string;
  /** Folder of the journals. */
  readonly journals: string;
  /** Maximum connections. The daemon can reduce them. */
  readonly parallel: number;
  /** Compares checksums after the transfer. */
  readonly verify: boolean;
  /** Retries of a request after a temporary failure. */
  readonly retries: number;
  /** Rate limit over all connections. */
  readonly limit?: RateLimit;
  readonly signal: AbortSignal;
  readonly onEvent?: ProgressListener;
  /** Called with notes for the user that are not failures. */
  readonly onNote?: (note: string) => void;
}
