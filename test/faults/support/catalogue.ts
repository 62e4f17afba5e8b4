/** Figures of the fault catalogue: what a row reached, kept for `docs/reliability.md`. */
import { appendFileSync } from 'node:fs';

/** Whether every case of the catalogue is to run (`npm run test:faults`), or the short choice of CI. */
export const whole = process.env['VMCTL_FAULTS'] === 'all';

/** The first where the whole catalogue runs, otherwise the second: counts of kills, cuts, requests. */
export function count(all: number, short: number): number {
  return whole ? all : short;
}

/**
 * Notes what a row reached, in words that stand beside its bar: `figure('A1', '0 of 1,204 lost')`.
 * Call it after the assertions of the test, once or more for a row.
 */
export function figure(row: string, reached: string): void {
  const file = process.env['VMCTL_FIGURES'];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify({ row, reached })}\n`);
}

/** Every n-th of a list, beginning with the first. */
export function some<T>(list: readonly T[], each: number): T[] {
  return list.filter((_, index) => index % each === 0);
}
