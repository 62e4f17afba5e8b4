/**
 * Coordination of the servers of a site. The driver of a store that several servers use implements
 * it; `singleServer` implements it for the store in a data folder.
 */
import type { TaskList } from '../store/task-list.ts';
import type { ObjectOf } from '../store/transaction.ts';
import type { ServiceTime } from './clock.ts';
import type { RuleContext } from './context.ts';
import type { TransferAssignment } from './ports.ts';

export interface Coordination {
  /** Whether no other server used the site when this one opened it. */
  readonly isFirst: boolean;
  readonly secrets: SiteSecrets;
  readonly sessions: SessionCoordination;
  readonly work: WorkCoordination;
  readonly transfers: TransferCoordination;
  /** Service time of the running servers; undefined without one. */
  findTime(): number | undefined;
  /** Registers this server before it serves requests. */
  begin(server: CoordinatedServer): void;
  /** Permits other servers to start. */
  started(): void;
  /** Unregisters this server. */
  end(): Promise<void>;
  /**
   * Runs work that only reads, synchronously up to its first wait. Its actions before the first
   * wait must be repeatable: the work may restart with newer data.
   */
  runRead<T>(work: () => Promise<T>): Promise<T>;
  /** Runs a check after a request, if the request may have read changes of other servers. */
  checkAfterRequest(check: () => Promise<void>): Promise<void>;
  /** Throws `FolderInUse` if other servers may change images during a backup. */
  requireSingleServer(): void;
}

/** Secrets of a site, for all of its servers. */
export interface SiteSecrets {
  /** Whether the site has a password for a user, which a generated one does not replace. */
  keepsPassword(user: string): boolean;
  /** Key of cookie sessions; undefined if it is in the data folder. */
  readSessionKey(): Uint8Array | undefined;
  /** Certificate authority as text; `read` returns undefined if it is in the data folder. */
  readonly authority: { read(): string | undefined; write(text: string): void };
}

export interface SessionCoordination {
  /**
   * Whether `seen`, the last use of a session on this server since its start, is the last one on any
   * server.
   */
  isLastUse(seen: number | undefined): boolean;
}

/** Leases of work that runs after the commit of its task. */
export interface WorkCoordination {
  /** Milliseconds after which unfinished work starts again. */
  readonly leaseMs: number;
  /** Removes the task of ended work. False if another server has taken over, and records the end. */
  end(tasks: TaskList, seq: number): boolean;
}

type Transfer = ObjectOf<'image_transfer'>;

/** Tickets of image transfers on several servers. */
export interface TransferCoordination extends TransferAssignment {
  /** Seconds for which a ticket that is neither used nor renewed is valid. */
  readonly ticketLifetime: number;
  /** Milliseconds between two renewals of a used ticket, and between two checks of all tickets. */
  readonly renewIntervalMs: number;
  readonly checkIntervalMs: number;
  /** Waits until another server has closed a ticket. False if this server has to close it. */
  waitUntilClosed(ticket: string): Promise<boolean>;
  /** The change that reports to other servers that a ticket is closed. */
  release(ticket: string): ((ctx: RuleContext) => void) | undefined;
  /** Exchanges the state of the active transfers with other servers; called at each check. */
  synchronize(transfers: readonly Transfer[], tickets: OwnTickets): Promise<void>;
}

/** Open tickets of this server. */
export interface OwnTickets {
  readonly states: ReadonlyMap<string, { readonly active: boolean; readonly transferred: number }>;
  touch(id: string): Promise<void>;
  close(id: string): Promise<void>;
  /** Changes transfers on behalf of the system. */
  change(work: (ctx: RuleContext) => void): Promise<void>;
}

/** Parts of a running server that its coordination uses. */
export interface CoordinatedServer {
  readonly time: ServiceTime;
  /** URL of the image daemon: `https://HOST:PORT`. */
  readonly imagesUrl: string;
  /** Numbers of the tasks whose work is running. */
  listWork(): Iterable<number>;
  /** Called when other servers may have added tasks or changed their due times. */
  wake(): void;
  readonly report: (error: unknown) => void;
}

/** Milliseconds of a year. */
const year = 365 * 24 * 3600 * 1000;

/** Coordination of the only server of a site. */
export const singleServer: Coordination = {
  isFirst: true,
  secrets: {
    keepsPassword: () => false,
    readSessionKey: () => undefined,
    authority: { read: () => undefined, write: () => {} },
  },
  sessions: { isLastUse: (seen) => seen !== undefined },
  work: {
    // Interrupted work starts again when the server starts.
    leaseMs: year,
    end(tasks, seq) {
      tasks.remove(seq);
      return true;
    },
  },
  transfers: {
    ticketLifetime: 300,
    renewIntervalMs: 60_000,
    checkIntervalMs: 500,
    assign: (transfer) => transfer,
    isHere: () => true,
    findDaemonUrl: () => undefined,
    waitUntilClosed: async () => false,
    release: () => undefined,
    synchronize: async () => {},
  },
  findTime: () => undefined,
  begin: () => {},
  started: () => {},
  end: async () => {},
  runRead: (work) => work(),
  checkAfterRequest: async () => {},
  requireSingleServer: () => {},
};
