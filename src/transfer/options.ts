/** What uploads and downloads have in common. */
import type { Client } from '../client/client.ts';
import type { Listener } from './progress.ts';
import type { RateLimit } from './rate-limit.ts';

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
  readonly onEvent?: Listener;
  /** Told in words what the user should know although nothing failed. */
  readonly onNote?: (note: string) => void;
}
