/** Password hashes (scrypt), computed off the main thread and compared in constant time. */

import { randomBytes, scrypt, scryptSync, timingSafeEqual } from 'node:crypto';
import { readPassword, writePassword } from '../store/credentials.ts';
import type { Store } from '../store/store.ts';
import type { Transaction } from '../store/transaction.ts';

/** Hashes a password in another thread. */
export function hashPassword(password: string, salt: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password, salt, hashLength, scryptCost, (error, hash) => {
      if (error) reject(error);
      else resolve(hash);
    });
  });
}

/**
 * Hashes a password with the salt of the user, so that both hashes can be compared; with a new salt
 * if the user has no password.
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
  /** False if the user has no password: then no password has this hash. */
  readonly exists: boolean;
}

/** The hash of a password and its salt: 32 and 16 bytes. */
export interface SaltedHash {
  readonly salt: Buffer;
  readonly hash: Buffer;
}

/** Hashes computed before the transactions that need them, by password. */
const madeAhead = new Map<string, SaltedHash>();

/**
 * Provides a hash for the next `setPassword` with this password. The returned function removes it.
 */
export function keepHash(password: string, made: SaltedHash): () => void {
  madeAhead.set(password, made);
  return () => {
    if (madeAhead.get(password) === made) madeAhead.delete(password);
  };
}

/**
 * Stores the password of a user (`admin@internal`). Hashes synchronously unless the caller has
 * provided the hash.
 */
export function setPassword(tx: Transaction, user: string, password: string): void {
  storePassword(tx, user, madeAhead.get(password) ?? hashNow(password));
  madeAhead.delete(password);
}

/** Stores a password by its hash. */
export function storePassword(tx: Transaction, user: string, { salt, hash }: SaltedHash): void {
  writePassword(tx, user, salt.toString('hex'), hash.toString('hex'));
}

function hashNow(password: string): SaltedHash {
  const salt = randomBytes(16);
  return { salt, hash: scryptSync(password, salt, hashLength, scryptCost) };
}

/** Whether the user has a password. */
export function hasPassword(tx: Transaction, user: string): boolean {
  return readPassword(tx, user) !== undefined;
}

const noSalt = Buffer.alloc(16);
const noHash = Buffer.alloc(hashLength);

/**
 * The stored password of a user. The result for an unknown user takes as long to compare, so that
 * response times do not reveal which users exist.
 */
export function storedPassword(tx: Transaction, user: string): StoredPassword {
  const row = readPassword(tx, user);
  return {
    salt: row ? Buffer.from(row.salt, 'hex') : noSalt,
    hash: row ? Buffer.from(row.hash, 'hex') : noHash,
    exists: row !== undefined,
  };
}

/** Whether a hash matches a stored password. */
export function isSamePassword({ hash, exists }: StoredPassword, given: Buffer): boolean {
  return timingSafeEqual(given, hash) && exists;
}
