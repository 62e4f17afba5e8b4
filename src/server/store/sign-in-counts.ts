/** Stored counts of failed sign-ins by the hash of their subject, for all servers. */
import type { Transaction } from './transaction.ts';

/** Subject of a count: a user at an address, an address, or a user at any address. */
export type CountScope = 'pair' | 'address' | 'user';

/** A count; times are service time in milliseconds. */
export interface SignInCount {
  readonly scope: CountScope;
  /** Hash of the user, the address or both: clients send arbitrary names. */
  readonly subject: string;
  readonly failures: number;
  readonly last: number;
  /** Earliest time of the next attempt. */
  readonly until: number;
  /** Whether the user has signed in from the address. */
  readonly good: boolean;
}

/** Placeholder for an unlimited selection. */
const noLimit = Number.MAX_SAFE_INTEGER;

/** The counts of these subjects that are not older than a time. */
export function readSignInCounts(
  tx: Transaction,
  subjects: readonly string[],
  since: number,
): Map<string, SignInCount> {
  const places = subjects.map(() => '?').join(', ');
  const rows = tx
    .statement(
      `SELECT scope, subject, failures, last, until, good FROM sign_in_count WHERE subject IN (${places}) AND last >= ?`,
    )
    .all(...subjects, since);
  return new Map(
    rows.map((row) => {
      const subject = String(row['subject']);
      const count = {
        // `writeSignInCount` stored this text.
        scope: row['scope'] as CountScope,
        subject,
        failures: Number(row['failures']),
        last: Number(row['last']),
        until: Number(row['until']),
        good: Number(row['good']) !== 0,
      };
      return [subject, count];
    }),
  );
}

/** Stores a count and replaces the previous one. */
export function writeSignInCount(tx: Transaction, count: SignInCount): void {
  const { scope, subject, failures, last, until, good } = count;
  tx.statement(
    `INSERT INTO sign_in_count (scope, subject, failures, last, until, good) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (subject) DO UPDATE SET failures = excluded.failures, last = excluded.last,
       until = excluded.until, good = excluded.good`,
  ).run(scope, subject, failures, last, until, good ? 1 : 0);
}

/** The time after which no delay applies. */
export function latestWait(tx: Transaction): number {
  const row = tx.statement('SELECT max(until) AS latest FROM sign_in_count').get();
  return Number(row?.['latest'] ?? 0);
}

/** Removes counts older than a time, and all but the newest ones of each scope. */
export function purgeSignInCounts(tx: Transaction, since: number, kept: number): void {
  tx.statement('DELETE FROM sign_in_count WHERE last < ?').run(since);
  for (const scope of ['pair', 'address', 'user']) {
    tx.statement(
      'DELETE FROM sign_in_count WHERE subject IN (SELECT subject FROM sign_in_count WHERE scope = ? ORDER BY last DESC, subject LIMIT ? OFFSET ?)',
    ).run(scope, noLimit, kept);
  }
}
