/** Passwords: kept as scrypt hashes, compared in constant time. */
import { randomBytes, scryptSync, timingSafeEqual } from 'node:crypto';
import type { Transaction } from '../store/transaction.ts';

export const scryptCost = { N: 2 ** 14, r: 8, p: 1 };
export const hashLength = 32;

export interface StoredPassword {
  readonly salt: Buffer;
  readonly hash: Buffer;
  /** False where the user has none: the hash is that of no password. */
  readonly exists: boolean;
}

/** The hash of a password, and what was mixed into it: 32 and 16 bytes. */
export interface SaltedHash {
  readonly salt: Buffer;
  readonly hash: Buffer;
}

/** Hashes that were made ahead of the transactions that need them, by their passwords. */
const madeAhead = new Map<string, SaltedHash>();

/** Keeps a hash for the next `setPassword` with this password; returns what forgets it. */
export function keepHash(password: string, made: SaltedHash): () => void {
  madeAhead.set(password, made);
  return () => {
    if (madeAhead.get(password) === made) madeAhead.delete(password);
  };
}

/**
 * Stores the password of a user (`admin@internal`). Hashing it here takes the time of the main thread:
 * whoever can wait makes the hash ahead.
 */
export function setPassword(tx: Transaction, user: string, password: string): void {
  storePassword(tx, user, madeAhead.get(password) ?? hashNow(password));
  madeAhead.delete(password);
}

/** Stores a password of which the hash is known. */
export function storePassword(tx: Transaction, user: string, { salt, hash }: SaltedHash): void {
  tx.statement('INSERT OR REPLACE INTO password (user, salt, hash) VALUES (?, ?, ?)').run(
    user,
    salt.toString('hex'),
    hash.toString('hex'),
  );
}

function hashNow(password: string): SaltedHash {
  const salt = randomBytes(16);
  return { salt, hash: scryptSync(password, salt, hashLength, scryptCost) };
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

const noSalt = Buffer.alloc(16);
const noHash = Buffer.alloc(hashLength);

/**
 * What is kept of a password. An unknown user has as much to compare as a known one, so that nobody
 * learns who exists from the time that it takes.
 */
export function storedPassword(tx: Transaction, user: string): StoredPassword {
  const row = tx.statement('SELECT salt, hash FROM password WHERE user = ?').get(user);
  return {
    salt: row ? Buffer.from(String(row['salt']), 'hex') : noSalt,
    hash: row ? Buffer.from(String(row['hash']), 'hex') : noHash,
    exists: row !== undefined,
  };
}

/** Whether a hash is the one of a stored password. */
export function isSamePassword({ hash, exists }: StoredPassword, given: Buffer): boolean {
  return timingSafeEqual(given, hash) && exists;
}
