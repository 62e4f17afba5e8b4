/** Statements that work asks of the store. */
import type { Transaction } from '../../../src/server/store/transaction.ts';

/** How many statements work takes in a transaction. */
export function statementsOf(tx: Transaction, work: () => void): number {
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
