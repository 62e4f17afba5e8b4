/** Cookie sessions of clients that ask for persistent authentication (specification 5.4). */
import { randomBytes } from 'node:crypto';

interface Session {
  readonly user: string;
  /** Milliseconds without a request after which the session ends. */
  readonly idle: number;
  lastUsed: number;
}

/** Sessions live in memory: a restart ends them, and clients sign in again. */
export class Sessions {
  readonly #sessions = new Map<string, Session>();
  readonly #limit = 10_000;

  /** Opens a session and returns its id. */
  open(user: string, idle: number, now: number): string {
    if (this.#sessions.size >= this.#limit) this.#purge(now);
    const id = randomBytes(24).toString('base64url');
    this.#sessions.set(id, { user, idle, lastUsed: now });
    return id;
  }

  /** The user of a session that has not ended; counts as use. */
  use(id: string, now: number): string | undefined {
    const session = this.#sessions.get(id);
    if (!session) return undefined;
    if (now - session.lastUsed > session.idle) {
      this.#sessions.delete(id);
      return undefined;
    }
    session.lastUsed = now;
    return session.user;
  }

  /** Ends a session. */
  end(id: string): void {
    this.#sessions.delete(id);
  }

  #purge(now: number): void {
    for (const [id, session] of this.#sessions) {
      if (now - session.lastUsed > session.idle) this.#sessions.delete(id);
    }
    const oldest = this.#sessions.keys().next();
    if (this.#sessions.size >= this.#limit && !oldest.done) this.#sessions.delete(oldest.value);
  }
}
