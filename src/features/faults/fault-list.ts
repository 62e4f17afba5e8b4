/** Stored fault rules of all servers, by number, with their remaining counts. */
import { readMeta, writeMeta } from '../../server/store/meta.ts';
import type { Transaction } from '../../server/store/transaction.ts';

/** A stored rule. */
export interface FaultRow {
  readonly number: number;
  /** The rule as JSON. */
  readonly rule: string;
  /** Remaining number of failures; undefined if unlimited. */
  readonly remaining: number | undefined;
}

const lastNumber = 'last_fault';

/** All rules in the order of their creation. */
export function listStoredFaults(tx: Transaction): FaultRow[] {
  return tx
    .statement('SELECT number, rule, remaining FROM fault_rule ORDER BY number')
    .all()
    .map(({ number, rule, remaining }) => ({
      number: Number(number),
      rule: String(rule),
      remaining: remaining === null ? undefined : Number(remaining),
    }));
}

/** Reserves `count` unique rule numbers; returns the first. */
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

/**
 * Decrements the remaining count of a rule and removes the rule at zero; false if it was used up.
 */
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

export function removeFault(tx: Transaction, number: number): void {
  tx.statement('DELETE FROM fault_rule WHERE number = ?').run(number);
}

export function removeFaults(tx: Transaction): void {
  tx.statement('DELETE FROM fault_rule').run();
}

/** Removes all rules and restarts the numbering. */
export function resetFaults(tx: Transaction): void {
  removeFaults(tx);
  writeMeta((sql) => tx.statement(sql), lastNumber, '0');
}

/** Whether rules were ever added to the store. */
export function hasFaults(tx: Transaction): boolean {
  return Number(readMeta((sql) => tx.statement(sql), lastNumber) ?? 0) > 0;
}
