/** Cookie sessions: opened and ended durably, for all servers of the store at once. */

import { randomBytes } from 'node:crypto';
import { tokenByHash } from '../store/credentials.ts';
import {
  noteSessionUse,
  purgeSessions,
  removeSession,
  type SessionRow,
  sessionByHash,
  writeSession,
} from '../store/session-list.ts';
import { type Store, StoreError } from '../store/store.ts';
import type { Transaction } from '../store/transaction.ts';
import { hashOfToken } from './tokens.ts';

/** Sessions that are kept. */
const defaultLimit = 10_000;

/** Milliseconds that a session can be idle at most: whoever asks for more gets that. */
const longestIdle = 366 * 24 * 3_600_000;

/** Bounds of the time that what is stored of the last use may lag behind. */
const shortestLag = 1_000;
const longestLag = 60_000;

/** What a session is opened for. */
export interface SessionOpening {
  readonly user: string;
  /** Milliseconds without a request after which it ends. */
  readonly idle: number;
  /** Hash of the token that it is opened with; it ends with that. */
  readonly token?: string | undefined;
}

interface Found {
  readonly hash: string;
  readonly session: SessionRow | undefined;
}

/** Sessions that are remembered from one request to the next. */
const maxFound = 1_000;

/** Times are those of the service, which do not jump. */
export class Sessions {
  readonly #store: Store;
  readonly #limit: number;
  /** Openings between two looks for what is to be removed: each goes through all sessions. */
  readonly #purgeInterval: number;
  #untilPurge = 0;
  /** Hashes of sessions whose use is being noted. */
  readonly #noting = new Set<string>();
  /** By id, as of one version of the store. */
  readonly #found = new Map<string, Found>();
  #version = -1;

  constructor(store: Store, limit = defaultLimit) {
    this.#store = store;
    this.#limit = limit;
    this.#purgeInterval = Math.ceil(limit / 100);
  }

  /**
   * Opens a session and returns its id once it is durable; undefined where its token has ended, and
   * where nothing can be written: whoever has signed in is served without one.
   */
  async open({ user, idle, token }: SessionOpening, now: number): Promise<string | undefined> {
    const id = randomBytes(24).toString('base64url');
    const purges = this.#untilPurge <= 0;
    this.#untilPurge = (purges ? this.#purgeInterval : this.#untilPurge) - 1;
    try {
      return await this.#store.write((tx) => {
        if (token !== undefined && !tokenByHash(tx, token)) return undefined;
        if (purges) purgeSessions(tx, now, this.#limit - this.#purgeInterval);
        const stored = { user, idle: Math.min(Math.floor(idle), longestIdle), token, used: now };
        writeSession(tx, hashOfToken(id), stored);
        return id;
      });
    } catch (error) {
      if (error instanceof StoreError) return undefined;
      throw error;
    }
  }

  /** The user of a session that has not ended; counts as use. */
  use(tx: Transaction, id: string, now: number): string | undefined {
    const { hash, session } = this.#find(tx, id);
    if (!session || now - session.used > session.idle) return undefined;
    if (now - session.used >= lagOf(session.idle)) this.#noteUse(hash, now);
    return session.user;
  }

  #find(tx: Transaction, id: string): Found {
    // Where others write as well, the version has to be asked for, as the session has.
    if (this.#store.isShared) return found(tx, id);
    if (this.#version !== this.#store.version || this.#found.size > maxFound) {
      this.#found.clear();
      this.#version = this.#store.version;
    }
    const known = this.#found.get(id) ?? found(tx, id);
    if (known.session) this.#found.set(id, known);
    return known;
  }

  /** Notes a use without holding up the request: where that fails, the next one tries again. */
  #noteUse(hash: string, now: number): void {
    if (this.#noting.has(hash)) return;
    this.#noting.add(hash);
    this.#store
      .write((tx) => noteSessionUse(tx, hash, now))
      .catch(() => undefined)
      .finally(() => this.#noting.delete(hash));
  }

  /** Ends a session; undefined where there is none, which costs no write. */
  end(id: string): Promise<void> | undefined {
    const hash = hashOfToken(id);
    if (!this.#store.read((tx) => sessionByHash(tx, hash))) return undefined;
    return this.#store.write((tx) => removeSession(tx, hash));
  }
}

function found(tx: Transaction, id: string): Found {
  const hash = hashOfToken(id);
  return { hash, session: sessionByHash(tx, hash) };
}

/** Milliseconds that a use may be newer than the one that is stored. */
function lagOf(idle: number): number {
  return Math.min(longestLag, Math.max(shortestLag, idle / 10));
}
