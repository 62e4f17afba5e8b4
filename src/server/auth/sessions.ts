/**
 * Cookie sessions for all servers of a site. Opening one writes nothing, because its id contains
 * the parameters. The first use stores a row, so that clients that ignore the cookie cost nothing.
 */

import { type SessionCoordination, singleServer } from '../core/coordination.ts';
import { findToken } from '../store/credentials.ts';
import {
  findSession,
  getUserEnd,
  hasExpiredSessions,
  keepLatest,
  limitEnded,
  recordSession,
  removeExpiredSessions,
  removeSession,
  type SessionRow,
} from '../store/session-list.ts';
import type { Store } from '../store/store.ts';
import type { Transaction } from '../store/transaction.ts';
import { SessionIds, type SessionOpening } from './session-ids.ts';
import { hashOfToken } from './tokens.ts';

/** Maximum stored sessions: of all users, of one user, and recently ended ones of one user. */
export interface SessionLimits {
  readonly total: number;
  readonly perUser: number;
  readonly endedPerUser: number;
}

const defaultLimits: SessionLimits = { total: 10_000, perUser: 1_000, endedPerUser: 500 };

export interface SessionSettings {
  /** Key that seals the ids. */
  readonly key: Uint8Array;
  readonly limits?: SessionLimits;
  readonly coordination?: SessionCoordination;
}

/**
 * Milliseconds for which an id is valid without a row. Later, every session has a row, so an ended
 * one needs none.
 */
export const longestUnused = 60 * 60_000;

/** Maximum idle milliseconds of a session. Longer requests are reduced to it. */
const longestIdle = 366 * 24 * 3_600_000;

/** Maximum lag in milliseconds of the recorded last use. */
const longestLag = 5 * 60_000;

interface Found {
  readonly hash: string;
  readonly session: SessionRow;
  /** Whether the store has a row of the session. */
  readonly isRecorded: boolean;
}

/** All times are service time. */
export class Sessions {
  readonly #store: Store;
  readonly #ids: SessionIds;
  readonly #limits: SessionLimits;
  readonly #coordination: SessionCoordination;
  /** New rows between two purges, because each purge scans all rows. */
  readonly #purgeInterval: number;
  #untilPurge = 0;
  /** Hashes of sessions whose use is being recorded. */
  readonly #recording = new Set<string>();
  /** Last use of a session on this server, by its hash. */
  readonly #seen = new Map<string, number>();

  constructor(store: Store, settings: SessionSettings) {
    const { key, limits = defaultLimits, coordination = singleServer.sessions } = settings;
    this.#store = store;
    this.#ids = new SessionIds(key);
    this.#limits = limits;
    this.#coordination = coordination;
    this.#purgeInterval = Math.ceil(limits.total / 100);
  }

  /** Opens a session and returns its id. */
  open({ idle, ...opening }: SessionOpening): string {
    return this.#ids.make({ ...opening, idle: Math.min(Math.floor(idle), longestIdle) });
  }

  /** The user of an active session. Counts as use. */
  use(tx: Transaction, id: string, now: number): string | undefined {
    const known = this.#find(tx, id);
    if (!known || this.#isOver(known, now)) return undefined;
    const { hash, session, isRecorded } = known;
    if (this.#seen.size >= this.#limits.total) this.#seen.clear();
    this.#seen.set(hash, now);
    if (!isRecorded || now - session.used >= getLag(session)) {
      this.#recordUse(known, now);
    }
    return session.user;
  }

  #isOver({ hash, session, isRecorded }: Found, now: number): boolean {
    const seen = this.#seen.get(hash);
    // The last use may be later than recorded: on another server or before a restart.
    const mayLag = isRecorded && !this.#coordination.isLastUse(seen);
    const used = Math.max(session.used, seen ?? session.used);
    const idle = isRecorded ? session.idle : Math.min(session.idle, longestUnused);
    return session.ended || now - used > idle + (mayLag ? getLag(session) : 0);
  }

  #find(tx: Transaction, id: string): Found | undefined {
    const hash = hashOfToken(id);
    const noted = findSession(tx, hash);
    if (noted) return { hash, session: noted, isRecorded: true };
    const opening = this.#ids.read(id);
    if (!opening || !isOpen(tx, opening)) return undefined;
    const { opened: used, ...rest } = opening;
    return { hash, session: { ...rest, used, ended: false }, isRecorded: false };
  }

  /** Records a use without delaying the request. The next use retries after a failure. */
  #recordUse({ hash, session, isRecorded }: Found, now: number): void {
    if (this.#recording.has(hash)) return;
    this.#recording.add(hash);
    const noted = { ...session, used: now };
    this.#store
      .write((tx) => {
        if (findSession(tx, hash)) {
          recordSession(tx, hash, noted);
          return;
        }
        // The session may have ended since, or its token may have been revoked.
        if (isRecorded || !isOpen(tx, { ...session, opened: session.used })) return;
        this.#purgeIfDue(tx, noted);
        recordSession(tx, hash, noted);
      })
      .catch(() => undefined)
      .finally(() => this.#recording.delete(hash));
  }

  #purgeIfDue(tx: Transaction, { user, used: now }: SessionRow): void {
    keepLatest(tx, this.#limits.perUser - 1, user);
    this.#untilPurge -= 1;
    if (this.#untilPurge > 0) return;
    this.#untilPurge = this.#purgeInterval;
    removeExpiredSessions(tx, now, computeExpiredBefore(now));
    keepLatest(tx, this.#limits.total - this.#purgeInterval);
  }

  /** Removes expired sessions; called periodically. */
  async purge(now: number): Promise<void> {
    if (!this.#store.read((tx) => hasExpiredSessions(tx, now, computeExpiredBefore(now)))) return;
    await this.#store.write((tx) => removeExpiredSessions(tx, now, computeExpiredBefore(now)));
  }

  /** Ends a session durably; undefined without an active session, which avoids a write. */
  end(id: string, now: number): Promise<void> | undefined {
    const known = this.#store.read((tx) => this.#find(tx, id));
    if (!known || this.#isOver(known, now)) return undefined;
    const { hash, session } = known;
    this.#seen.delete(hash);
    const isOld = (this.#ids.read(id)?.opened ?? now) < computeExpiredBefore(now);
    return this.#store.write((tx) => {
      if (isOld) {
        removeSession(tx, hash);
        return;
      }
      // Its id remains valid without a row for some time, so its end is recorded.
      recordSession(tx, hash, { ...session, used: now, ended: true });
      limitEnded(tx, session.user, this.#limits.endedPerUser);
    });
  }
}

/** Service time before which ended or opened sessions have no valid id on any server. */
function computeExpiredBefore(now: number): number {
  return now - longestUnused - longestLag;
}

/** Maximum lag in milliseconds of the recorded last use of a session. */
function getLag({ idle }: SessionRow): number {
  return Math.min(longestLag, idle / 10);
}

/** Whether a session without a row was ended neither with its token nor by a user-wide end. */
function isOpen(tx: Transaction, { user, token, opened }: SessionOpening): boolean {
  return (
    (token === undefined || findToken(tx, token) !== undefined) && opened > getUserEnd(tx, user)
  );
}
