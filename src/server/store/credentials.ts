/** Stored credentials: hashes of passwords and access tokens. */
import type { Transaction } from './transaction.ts';

/** Replaces an existing password. */
const replacing = 'ON CONFLICT ("user") DO UPDATE SET salt = excluded.salt, hash = excluded.hash';

/** Stores the salt and hash of the password of a user, both in hexadecimal. */
export function writePassword(tx: Transaction, user: string, salt: string, hash: string): void {
  tx.statement(`INSERT INTO password ("user", salt, hash) VALUES (?, ?, ?) ${replacing}`).run(
    user,
    salt,
    hash,
  );
}

/** Salt and hash of the password of a user, in hexadecimal; undefined without a password. */
export function readPassword(
  tx: Transaction,
  user: string,
): { readonly salt: string; readonly hash: string } | undefined {
  const row = tx.statement('SELECT salt, hash FROM password WHERE "user" = ?').get(user);
  return row && { salt: String(row['salt']), hash: String(row['hash']) };
}

/** Copies the password of a user to another one. */
export function copyPassword(tx: Transaction, from: string, to: string): void {
  tx.statement(
    `INSERT INTO password ("user", salt, hash) SELECT ?, salt, hash FROM password WHERE "user" = ? ${replacing}`,
  ).run(to, from);
}

/** Removes the password of a user. */
export function removePassword(tx: Transaction, user: string): void {
  tx.statement('DELETE FROM password WHERE "user" = ?').run(user);
}

/** A stored access token; `expires` is service time in milliseconds. */
export interface TokenRow {
  readonly user: string;
  readonly scope: string;
  readonly expires: number;
}

/** Stores a token by its hash. */
export function writeToken(
  tx: Transaction,
  hash: string,
  { user, scope, expires }: TokenRow,
): void {
  tx.statement('INSERT INTO token (hash, "user", scope, expires) VALUES (?, ?, ?, ?)').run(
    hash,
    user,
    scope,
    expires,
  );
}

/** The token with a hash. */
export function findToken(tx: Transaction, hash: string): TokenRow | undefined {
  const row = tx.statement('SELECT "user", scope, expires FROM token WHERE hash = ?').get(hash);
  return (
    row && {
      user: String(row['user']),
      scope: String(row['scope']),
      expires: Number(row['expires']),
    }
  );
}

/** Removes the token with a hash, if there is one. */
export function removeToken(tx: Transaction, hash: string): void {
  tx.statement('DELETE FROM token WHERE hash = ?').run(hash);
}

/**
 * Removes the tokens of a user that expire first, except for the last `kept`. Returns their hashes.
 */
export function removeOldestTokens(tx: Transaction, user: string, kept: number): string[] {
  const rows = tx
    .statement(
      'DELETE FROM token WHERE hash IN (SELECT hash FROM token WHERE "user" = ? ORDER BY expires DESC, hash LIMIT ? OFFSET ?) RETURNING hash',
    )
    .all(user, Number.MAX_SAFE_INTEGER, kept);
  return rows.map(({ hash }) => String(hash));
}

/** Removes the tokens that have expired by a service time. */
export function removeExpiredTokens(tx: Transaction, now: number): void {
  tx.statement('DELETE FROM token WHERE expires <= ?').run(now);
}
