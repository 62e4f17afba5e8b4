// What request handlers share: everything of the daemon that outlives a request.
import type { HashThreads } from '../hash/hash-threads.ts';
import type { PieceMemory } from '../system/piece-memory.ts';
import type { Tickets } from '../tickets/registry.ts';

export interface Services {
  readonly tickets: Tickets;
  readonly memory: PieceMemory;
  readonly hashing: HashThreads;
  readonly version: string;
  /** The list of algorithms is a member of an object. */
  readonly wrapsAlgorithms: boolean;
  /** Path of the local listener, when there is one. */
  readonly unixSocket: string | undefined;
}
