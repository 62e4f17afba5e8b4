/** Passwords: scrypt hashes, computed off the main thread, compared in constant time. */

import { randomBytes, scrypt, scryptSync, timingSafeEqual } from 'node:crypto';
import { readPassword, writePassword } from '../store/credentials.ts';
import type { Store } from '../store/store.ts';
import type { Transaction } from '../store/transaction.ts';

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

const scryptCost = { N: 2 ** 14, r: 8, p: 1 };
const hashLength = 32;

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
  writePassword(tx, user, salt.toString('hex'), hash.toString('hex'));
}

function hashNow(password: string): SaltedHash {
  const salt = randomBytes(16);
  return { salt, hash: scryptSync(password, salt, hashLength, scryptCost) };
}

/** Whether the user has any password. */
export function hasPassword(tx: Transaction, user: string): boolean {
  return readPassword(tx, user) !== undefined;
}

const noSalt = Buffer.alloc(16);
const noHash = Buffer.alloc(hashLength);

/**
 * What is kept of a password. An unknown user has as much to compare as a known one, so that nobody
 * learns who exists from the time that it takes.
 */
export function storedPassword(tx: Transaction, user: string): StoredPassword {
  const row = readPassword(tx, user);
  return {
    salt: row ? Buffer.from(row.salt, 'hex') : noSalt,
    hash: row ? Buffer.from(row.hash, 'hex') : noHash,
    exists: row !== undefined,
  };
}

/** Whether a hash is the one of a stored password. */
export function isSamePassword({ hash, exists }: StoredPassword, given: Buffer): boolean {
  return timingSafeEqual(given, hash) && exists;
}
