/** Ids of cookie sessions: each says what it was opened for, under a seal that only the servers of a site make. */

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** What a session is opened for. */
export interface SessionOpening {
  readonly user: string;
  /** Milliseconds without a request after which it ends. */
  readonly idle: number;
  /** Hash of the token that it is opened with; it ends with that. */
  readonly token: string | undefined;
  /** Service time of the opening. */
  readonly opened: number;
}

export class SessionIds {
  readonly #key: Uint8Array;

  constructor(key: Uint8Array) {
    this.#key = key;
  }

  /** A new id, which nobody can guess. */
  make({ user, idle, token, opened }: SessionOpening): string {
    const name = Buffer.from(user, 'utf8').toString('base64url');
    const nonce = randomBytes(12).toString('base64url');
    const text = [nonce, name, idle, opened, token ?? ''].join('.');
    return `${text}.${this.#seal(text).toString('base64url')}`;
  }

  /** What an id was made for; undefined where it was not made with this key. */
  read(id: string): SessionOpening | undefined {
    const end = id.lastIndexOf('.');
    if (end < 0) return undefined;
    const seal = this.#seal(id.slice(0, end));
    const given = Buffer.from(id.slice(end + 1), 'base64url');
    if (given.length !== seal.length || !timingSafeEqual(given, seal)) return undefined;
    const [, name = '', idle, opened, token = ''] = id.slice(0, end).split('.');
    return {
      user: Buffer.from(name, 'base64url').toString('utf8'),
      idle: Number(idle),
      token: token === '' ? undefined : token,
      opened: Number(opened),
    };
  }

  #seal(text: string): Buffer {
    return createHmac('sha256', this.#key).update(text).digest();
  }
}
