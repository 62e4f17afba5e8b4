/** Passwords: kept as scrypt hashes, compared in constant time. */
import { createHmac, randomBytes, scryptSync, timingSafeEqual } from 'node:crypto';
import type { Transaction } from '../store/transaction.ts';

const cost = { N: 2 ** 14, r: 8, p: 1 };

/** Stores the password of a user (`admin@internal`). */
export function setPassword(tx: Transaction, user: string, password: string): void {
  const salt = randomBytes(16);
  tx.statement('INSERT OR REPLACE INTO password (user, salt, hash) VALUES (?, ?, ?)').run(
    user,
    salt.toString('hex'),
    scryptSync(password, salt, 32, cost).toString('hex'),
  );
}

/** Gives a user the password of another one. */
export function copyPassword(tx: Transaction, from: string, to: string): void {
  tx.statement(
    'INSERT OR REPLACE INTO password (user, salt, hash) SELECT ?, salt, hash FROM password WHERE user = ?',
  ).run(to, from);
}

/** Whether the user has any password. */
export function hasPassword(tx: Transaction, user: string): boolean {
  return tx.statement('SELECT 1 FROM password WHERE user = ?').get(user) !== undefined;
}

/** Takes the password of a user who is gone. */
export function dropPassword(tx: Transaction, user: string): void {
  tx.statement('DELETE FROM password WHERE user = ?').run(user);
}

/** Whether the user has this password already; spares a new hash at every start. */
export function checkPassword(tx: Transaction, user: string, password: string): boolean {
  const row = tx.statement('SELECT salt, hash FROM password WHERE user = ?').get(user);
  // An unknown user costs as much as a wrong password, so that nobody learns who exists.
  const salt = Buffer.from(String(row?.['salt'] ?? '00'.repeat(16)), 'hex');
  const hash = Buffer.from(String(row?.['hash'] ?? '00'.repeat(32)), 'hex');
  const same = timingSafeEqual(scryptSync(password, salt, 32, cost), hash);
  return same && row !== undefined;
}

/**
 * Remembers for a short time which passwords were right: Basic authentication sends the password
 * with every request, and scrypt is slow on purpose.
 */
export class PasswordCache {
  readonly #key = randomBytes(32);
  readonly #right = new Map<string, number>();
  readonly #milliseconds = 60_000;

  /** As `checkPassword`, remembering what was right. `now` in milliseconds since the epoch. */
  check(tx: Transaction, user: string, password: string, now: number): boolean {
    const mac = createHmac('sha256', this.#key).update(`${user}\0${password}`).digest('hex');
    if ((this.#right.get(mac) ?? 0) > now) return true;
    if (!checkPassword(tx, user, password)) return false;
    if (this.#right.size > 1_000) this.#right.clear();
    this.#right.set(mac, now + this.#milliseconds);
    return true;
  }

  /** Forgets everything; called when a password changes. */
  clear(): void {
    this.#right.clear();
  }
}
