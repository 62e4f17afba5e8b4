/** Coordination of the servers of a site in PostgreSQL. */
import { randomUUID } from 'node:crypto';
import { hasPassword } from '../../server/auth/passwords.ts';
import type {
  CoordinatedServer,
  Coordination,
  SessionCoordination,
  SiteSecrets,
  WorkCoordination,
} from '../../server/core/coordination.ts';
import { FolderInUse } from '../../server/files/access.ts';
import type { Transaction } from '../../server/store/transaction.ts';
import { Heartbeat, heartbeatTimeoutMs } from './heartbeat.ts';
import { listServers } from './server-list.ts';
import { SharedTransfers } from './shared-transfers.ts';
import type { PostgresStore } from './store.ts';

/** Sessions that other servers may have used since. */
export const sharedSessions: SessionCoordination = { isLastUse: () => false };

/** Leases that heartbeats renew. */
export const sharedWork: WorkCoordination = {
  leaseMs: heartbeatTimeoutMs,
  end: (tasks, seq) => tasks.remove(seq),
};

export class PostgresCoordination implements Coordination {
  readonly isFirst: boolean;
  readonly secrets: SiteSecrets;
  readonly sessions = sharedSessions;
  readonly work = sharedWork;
  readonly transfers: SharedTransfers;
  readonly #store: PostgresStore;
  readonly #id = randomUUID();
  #heartbeat: Heartbeat | undefined;

  constructor(store: PostgresStore) {
    this.#store = store;
    this.isFirst = store.isFirst;
    this.transfers = new SharedTransfers(store, this.#id);
    this.secrets = {
      keepsPassword: (user) => store.read((tx) => hasPassword(tx, user)),
      readSessionKey: () => store.read(readSessionKey),
      authority: {
        read: () => store.meta('authority'),
        write: (text) => store.setMeta('authority', text),
      },
    };
  }

  findTime(): number | undefined {
    const times = this.#store.read(listServers).map(({ seen }) => seen);
    return times.length === 0 ? undefined : Math.max(...times);
  }

  begin(server: CoordinatedServer): void {
    this.#heartbeat = new Heartbeat(this.#store, this.#id, server);
  }

  started(): void {
    this.#store.started();
  }

  async end(): Promise<void> {
    await this.#heartbeat?.end();
  }

  runRead<T>(work: () => Promise<T>): Promise<T> {
    return this.#store.assumingNoChange(work);
  }

  checkAfterRequest(check: () => Promise<void>): Promise<void> {
    return check();
  }

  requireSingleServer(): void {
    if (this.#store.read(listServers).length <= 1) return;
    throw new FolderInUse(
      'Other servers use this site; their changes would make the copy inconsistent.',
      'stop all servers but one, or copy the database and the images with their own tools',
    );
  }
}

/** The key with which all servers seal session ids. */
function readSessionKey(tx: Transaction): Uint8Array {
  const key = tx.statement('SELECT key FROM session_key').get()?.['key'];
  if (typeof key !== 'string') throw new Error('The store has no key for sessions.');
  return Buffer.from(key, 'utf8');
}
