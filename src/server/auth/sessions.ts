/**
 * Cookie sessions, for all servers of a site. To open one writes nothing: its id says what it was opened for.
 * It becomes a row of the store when it comes back, so that clients that ignore the cookie cost nothing.
 */

import { tokenByHash } from '../store/credentials.ts';
import {
  allEnded,
  hasOver,
  keepLatest,
  limitEnded,
  noteSession,
  removeOver,
  removeSession,
  type SessionRow,
  sessionByHash,
} from '../store/session-list.ts';
import type { Store } from '../store/store.ts';
import type { Transaction } from '../store/transaction.ts';
import { SessionIds, type SessionOpening } from './session-ids.ts';
import { hashOfToken } from './tokens.ts';

/** Sessions that are kept, of all users and of one; and of one those that were ended a short while ago. */
export interface SessionLimits {
  readonly total: number;
  readonly perUser: number;
  readonly endedPerUser: number;
}

const defaultLimits: SessionLimits = { total: 10_000, perUser: 1_000, endedPerUser: 500 };

/**
 * Milliseconds after its opening for which an id is good by itself. After that the store has a row of each
 * session, so that one which has ended needs none.
 */
export const longestUnused = 60 * 60_000;

/** Milliseconds that a session can be idle at most: whoever asks for more gets that. */
const longestIdle = 366 * 24 * 3_600_000;

/** Milliseconds that what is noted of the last use is behind at most. */
const longestLag = 5 * 60_000;

/** Sessions that are remembered from one request to the next. */
const maxFound = 1_000;

interface Found {
  readonly hash: string;
  readonly session: SessionRow;
  /** The store has it. */
  readonly isNoted: boolean;
}

/** Times are those of the service, which do not jump. */
export class Sessions {
  readonly #store: Store;
  readonly #ids: SessionIds;
  readonly #limits: SessionLimits;
  /** Sessions that are noted between two looks for what is to be removed: each goes through all of them. */
  readonly #purgeInterval: number;
  #untilPurge = 0;
  /** Hashes of sessions whose use is being noted. */
  readonly #noting = new Set<string>();
  /** When this server has seen a session last, by its hash. */
  readonly #seen = new Map<string, number>();
  /** By id, as of one version of the store. */
  readonly #found = new Map<string, Found>();
  #version = -1;

  constructor(store: Store, key: Uint8Array, limits: SessionLimits = defaultLimits) {
    this.#store = store;
    this.#ids = new SessionIds(key);
    this.#limits = limits;
    this.#purgeInterval = Math.ceil(limits.total / 100);
  }

  /** Opens a session, and returns its id. */
  open({ idle, ...opening }: SessionOpening): string {
    return this.#ids.make({ ...opening, idle: Math.min(Math.floor(idle), longestIdle) });
  }

  /** The user of a session that has not ended; counts as use. */
  use(tx: Transaction, id: string, now: number): string | undefined {
    const known = this.#find(tx, id);
    if (!known || this.#isOver(known, now)) return undefined;
    const { hash, session, isNoted } = known;
    if (this.#seen.size >= this.#limits.total) this.#seen.clear();
    this.#seen.set(hash, now);
    if (!isNoted || now - session.used >= lagOf(session)) {
      this.#noteUse(known, now);
    }
    return session.user;
  }

  #isOver({ hash, session, isNoted }: Found, now: number): boolean {
    const seen = this.#seen.get(hash);
    // It may have been seen later than what is noted, by others or before a restart.
    const mayLag = isNoted && (this.#store.isShared || seen === undefined);
    const used = Math.max(session.used, seen ?? session.used);
    const idle = isNoted ? session.idle : Math.min(session.idle, longestUnused);
    return session.ended || now - used > idle + (mayLag ? lagOf(session) : 0);
  }

  #find(tx: Transaction, id: string): Found | undefined {
    // Where others write as well, the version has to be asked for, as the session has.
    if (this.#store.isShared) return this.#look(tx, id);
    if (this.#version !== this.#store.version || this.#found.size > maxFound) {
      this.#found.clear();
      this.#version = this.#store.version;
    }
    const known = this.#found.get(id) ?? this.#look(tx, id);
    if (known) this.#found.set(id, known);
    return known;
  }

  #look(tx: Transaction, id: string): Found | undefined {
    const hash = hashOfToken(id);
    const noted = sessionByHash(tx, hash);
    if (noted) return { hash, session: noted, isNoted: true };
    const opening = this.#ids.read(id);
    if (!opening || !isOpen(tx, opening)) return undefined;
    const { opened: used, ...rest } = opening;
    return { hash, session: { ...rest, used, ended: false }, isNoted: false };
  }

  /** Notes a use without holding up the request: where that fails, the next one tries again. */
  #noteUse({ hash, session, isNoted }: Found, now: number): void {
    if (this.#noting.has(hash)) return;
    this.#noting.add(hash);
    const noted = { ...session, used: now };
    this.#store
      .write((tx) => {
        if (sessionByHash(tx, hash)) {
          noteSession(tx, hash, noted);
          return;
        }
        // It may have ended since, or its token may have been revoked.
        if (isNoted || !isOpen(tx, { ...session, opened: session.used })) return;
        this.#makeRoom(tx, noted);
        noteSession(tx, hash, noted);
      })
      .catch(() => undefined)
      .finally(() => this.#noting.delete(hash));
  }

  #makeRoom(tx: Transaction, { user, used: now }: SessionRow): void {
    keepLatest(tx, this.#limits.perUser - 1, user);
    this.#untilPurge -= 1;
    if (this.#untilPurge > 0) return;
    this.#untilPurge = this.#purgeInterval;
    removeOver(tx, now, endedBefore(now));
    keepLatest(tx, this.#limits.total - this.#purgeInterval);
  }

  /** Removes the sessions that are over; called now and then. */
  async purge(now: number): Promise<void> {
    if (!this.#store.read((tx) => hasOver(tx, now, endedBefore(now)))) return;
    await this.#store.write((tx) => removeOver(tx, now, endedBefore(now)));
  }

  /** Ends a session durably; undefined where there is none, which costs no write. */
  end(id: string, now: number): Promise<void> | undefined {
    const known = this.#store.read((tx) => this.#find(tx, id));
    if (!known || this.#isOver(known, now)) return undefined;
    const { hash, session } = known;
    this.#seen.delete(hash);
    const isOld = (this.#ids.read(id)?.opened ?? now) < endedBefore(now);
    return this.#store.write((tx) => {
      if (isOld) {
        removeSession(tx, hash);
        return;
      }
      // Its id stays good by itself for a while: until then it is noted that it has ended.
      noteSession(tx, hash, { ...session, used: now, ended: true });
      limitEnded(tx, session.user, this.#limits.endedPerUser);
    });
  }
}

/** Service time of an opening or an end for which no id is good by itself any more, at any server. */
function endedBefore(now: number): number {
  return now - longestUnused - longestLag;
}

/** Milliseconds that what is noted of the last use may be behind. */
function lagOf({ idle }: SessionRow): number {
  return Math.min(longestLag, idle / 10);
}

/** Whether a session without a row was ended neither with its token nor with others of its user. */
function isOpen(tx: Transaction, { user, token, opened }: SessionOpening): boolean {
  return (
    (token === undefined || tokenByHash(tx, token) !== undefined) && opened > allEnded(tx, user)
  );
}
