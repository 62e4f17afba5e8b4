/**
 * Hashing of passwords with scrypt, off the main thread: few at a time, because files are read and
 * written by the same threads, and in turns between the addresses that ask.
 */
import { randomBytes, scrypt } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { Refusal } from '../core/fault.ts';
import type { Store } from '../store/store.ts';
import { hashLength, type SaltedHash, scryptCost, storedPassword } from './passwords.ts';

export interface HashingLimits {
  readonly atOnce: number;
  /** Hashes that may wait, in all and for one address. */
  readonly waiting: number;
  readonly waitingPerAddress: number;
}

export const usualHashingLimits: HashingLimits = {
  // One processor is left to everything else; Node has four threads for files and hashes.
  atOnce: Math.max(1, Math.min(2, availableParallelism() - 1)),
  waiting: 512,
  waitingPerAddress: 256,
};

type Work = () => Promise<void>;

export class PasswordHashing {
  readonly #limits: HashingLimits;
  readonly #queues = new Map<string, Work[]>();
  #waiting = 0;
  #running = 0;

  constructor(limits: HashingLimits = usualHashingLimits) {
    this.#limits = limits;
  }

  /**
   * Runs work that hashes when it is the turn of an address. Refuses with 503 where too much waits.
   */
  run<T>(address: string, work: () => Promise<T>): Promise<T> {
    const queue = this.#queues.get(address) ?? [];
    const { waiting, waitingPerAddress } = this.#limits;
    if (this.#waiting >= waiting || queue.length >= waitingPerAddress) {
      return Promise.reject(
        new Refusal(
          503,
          'Service Unavailable',
          'Too many sign-ins are waiting. Try again in a moment.',
          { headers: { 'Retry-After': '2' } },
        ),
      );
    }
    return new Promise<T>((resolve, reject) => {
      queue.push(() => work().then(resolve, reject));
      this.#queues.set(address, queue);
      this.#waiting += 1;
      this.#next();
    });
  }

  #next(): void {
    if (this.#running >= this.#limits.atOnce) return;
    const first = this.#queues.entries().next();
    if (first.done) return;
    const [address, queue] = first.value;
    const work = queue.shift();
    // The address goes to the end of the line.
    this.#queues.delete(address);
    if (queue.length > 0) this.#queues.set(address, queue);
    if (!work) return;
    this.#waiting -= 1;
    this.#running += 1;
    work().finally(() => {
      this.#running -= 1;
      this.#next();
    });
  }
}

/** The hash of a password, made by another thread. */
export function hashPassword(password: string, salt: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password, salt, hashLength, scryptCost, (error, hash) => {
      if (error) reject(error);
      else resolve(hash);
    });
  });
}

/**
 * The hash of a password with the salt that the one of the user has, so that both can be compared; with
 * a new salt where the user has none.
 */
export async function hashAhead(store: Store, user: string, password: string): Promise<SaltedHash> {
  const stored = store.read((tx) => storedPassword(tx, user));
  const salt = stored.exists ? stored.salt : randomBytes(16);
  return { salt, hash: await hashPassword(password, salt) };
}
