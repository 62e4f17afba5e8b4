/** Services that request handlers share for the lifetime of the daemon. */
import type { HashThreadPool } from '../../hash/thread-pool.ts';
import type { PieceMemory } from '../system/piece-memory.ts';
import type { TicketRegistry } from '../tickets/registry.ts';

export interface Services {
  readonly tickets: TicketRegistry;
  readonly memory: PieceMemory;
  readonly hashThreads: HashThreadPool;
  readonly version: string;
  /** Whether the list of algorithms is a member of an object. */
  readonly wrapsAlgorithms: boolean;
  /** Path of the local listener, if any. */
  readonly unixSocket: string | undefined;
}
