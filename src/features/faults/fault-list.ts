/** Fault rules as they are stored, for all servers: by their number, with what is left of their times. */
import { readMeta, writeMeta } from '../../server/store/meta.ts';
import type { Transaction } from '../../server/store/transaction.ts';

/** One rule. */
export interface FaultRow {
  readonly number: number;
  /** What it says, JSON. */
  readonly rule: string;
  /** How often it still strikes; undefined where that has no end. */
  readonly remaining: number | undefined;
}

const lastNumber = 'last_fault';

/** All rules, in the order in which they were added. */
export function storedFaults(tx: Transaction): FaultRow[] {
  return tx
    .statement('SELECT number, rule, remaining FROM fault_rule ORDER BY number')
    .all()
    .map(({ number, rule, remaining }) => ({
      number: Number(number),
      rule: String(rule),
      remaining: remaining === null ? undefined : Number(remaining),
    }));
}

/** Sets so many numbers aside, which no other rule of the site gets; returns the first. */
export function reserveFaultNumbers(tx: Transaction, count: number): number {
  const prepare = (sql: string) => tx.statement(sql);
  const last = Number(readMeta(prepare, lastNumber) ?? 0);
  writeMeta(prepare, lastNumber, String(last + count));
  return last + 1;
}

/** Stores a new rule. */
export function writeFault(tx: Transaction, { number, rule, remaining }: FaultRow): void {
  tx.statement('INSERT INTO fault_rule (number, rule, remaining) VALUES (?, ?, ?)').run(
    number,
    rule,
    remaining ?? null,
  );
}

/** Counts that a rule strikes; false where its times are used up. The last time removes it. */
export function countFault(tx: Transaction, number: number): boolean {
  const row = tx
    .statement(
      'UPDATE fault_rule SET remaining = remaining - 1 WHERE number = ? AND remaining > 0 RETURNING remaining',
    )
    .get(number);
  if (!row) return false;
  if (Number(row['remaining']) === 0) removeFault(tx, number);
  return true;
}

/** Removes a rule. */
export function removeFault(tx: Transaction, number: number): void {
  tx.statement('DELETE FROM fault_rule WHERE number = ?').run(number);
}

/** Removes all rules. */
export function removeFaults(tx: Transaction): void {
  tx.statement('DELETE FROM fault_rule').run();
}

/** Forgets the rules of before, and their numbers. */
export function beginFaults(tx: Transaction): void {
  removeFaults(tx);
  writeMeta((sql) => tx.statement(sql), lastNumber, '0');
}

/** Whether there is something of before. */
export function hasFaults(tx: Transaction): boolean {
  return Number(readMeta((sql) => tx.statement(sql), lastNumber) ?? 0) > 0;
}
