/** Counter of store statements. */
import type { Transaction } from '../../../src/server/store/transaction.ts';

/** Number of statements of work in a transaction. */
export function countStatements(tx: Transaction, work: () => void): number {
  const plain = tx.statement.bind(tx);
  let count = 0;
  tx.statement = (sql) => {
    count += 1;
    return plain(sql);
  };
  try {
    work();
  } finally {
    tx.statement = plain;
  }
  return count;
}
