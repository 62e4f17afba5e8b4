/** Services that request handlers share: everything of the daemon that outlives a request. */
import type { HashThreadPool } from '../../hash/thread-pool.ts';
import type { PieceMemory } from '../system/piece-memory.ts';
import type { TicketRegistry } from '../tickets/registry.ts';

export interface Services {
  readonly tickets: TicketRegistry;
  readonly memory: PieceMemory;
  readonly hashThreads: HashThreadPool;
  readonly version: string;
  /** The list of algorithms is a member of an object. */
  readonly wrapsAlgorithms: boolean;
  /** Path of the local listener, when there is one. */
  readonly unixSocket: string | undefined;
}
