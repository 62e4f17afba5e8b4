/** Cookie session ids: each contains its opening parameters, sealed with a key of the site. */

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** Parameters of a new session. */
export interface SessionOpening {
  readonly user: string;
  /** Milliseconds without a request until it expires. */
  readonly idle: number;
  /** Hash of the token that opens the session. The session ends with the token. */
  readonly token: string | undefined;
  /** Service time of the opening. */
  readonly opened: number;
}

export class SessionIds {
  readonly #key: Uint8Array;

  constructor(key: Uint8Array) {
    this.#key = key;
  }

  /** Creates an unguessable id. */
  make({ user, idle, token, opened }: SessionOpening): string {
    const name = Buffer.from(user, 'utf8').toString('base64url');
    const nonce = randomBytes(12).toString('base64url');
    const text = [nonce, name, idle, opened, token ?? ''].join('.');
    return `${text}.${this.#seal(text).toString('base64url')}`;
  }

  /** The parameters in an id; undefined if another key sealed it. */
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
