/** Results of the fault catalogue, stored for `docs/reliability.md`. */
import { appendFileSync } from 'node:fs';

/** Whether to run the full catalogue (`npm run test:faults`) or the short one of CI. */
export const isFullRun = process.env['VMCTL_FAULTS'] === 'all';

/**
 * First number for the full catalogue, second for the short one: counts of kills, cuts, requests.
 */
export function chooseCount(all: number, short: number): number {
  return isFullRun ? all : short;
}

/**
 * Records the result of a row, in the words of the table: `recordResult('A1', '0 of 1,204 lost')`. Call
 * it after the assertions of a test, once or more per row.
 */
export function recordResult(row: string, reached: string): void {
  const file = process.env['VMCTL_FIGURES'];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify({ row, reached })}\n`);
}

/** Every n-th item of a list, starting with the first. */
export function sampleEvery<T>(list: readonly T[], each: number): T[] {
  return list.filter((_, index) => index % each === 0);
}
