/** Counts of failed sign-ins as they are stored: by the hash of what they are about, for all servers. */
import type { Transaction } from './transaction.ts';

/** What is counted: a user at an address, an address, or a user wherever it is tried. */
export type CountScope = 'pair' | 'address' | 'user';

/** One count; times are service time in milliseconds. */
export interface SignInCount {
  readonly scope: CountScope;
  /** Hash of the user, the address or both: names come from anybody, and may be anything. */
  readonly subject: string;
  readonly failures: number;
  readonly last: number;
  /** When the next try is let in. */
  readonly until: number;
  /** The user has signed in from there. */
  readonly good: boolean;
}

/** The limit of a selection that has none. */
const noLimit = Number.MAX_SAFE_INTEGER;

/** The counts of these subjects, without those that are older than a time. */
export function signInCounts(
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
        // `writeSignInCount` wrote it.
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

/** Stores a count in place of the one before. */
export function writeSignInCount(tx: Transaction, count: SignInCount): void {
  const { scope, subject, failures, last, until, good } = count;
  tx.statement(
    `INSERT INTO sign_in_count (scope, subject, failures, last, until, good) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (subject) DO UPDATE SET failures = excluded.failures, last = excluded.last,
       until = excluded.until, good = excluded.good`,
  ).run(scope, subject, failures, last, until, good ? 1 : 0);
}

/** The time from which on nobody has to wait. */
export function latestWait(tx: Transaction): number {
  const row = tx.statement('SELECT max(until) AS latest FROM sign_in_count').get();
  return Number(row?.['latest'] ?? 0);
}

/** Removes counts that are older than a time, and of each scope all but the newest ones. */
export function purgeSignInCounts(tx: Transaction, since: number, kept: number): void {
  tx.statement('DELETE FROM sign_in_count WHERE last < ?').run(since);
  for (const scope of ['pair', 'address', 'user']) {
    tx.statement(
      'DELETE FROM sign_in_count WHERE subject IN (SELECT subject FROM sign_in_count WHERE scope = ? ORDER BY last DESC, subject LIMIT ? OFFSET ?)',
    ).run(scope, noLimit, kept);
  }
}
