/** Settings and output of a program in `bench/`. */
import { parseArgs } from 'node:util';
import type { Row } from '../report/row.ts';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    only: { type: 'string' },
    size: { type: 'string' },
    data: { type: 'string' },
  },
  // Allow other arguments, because a program can start itself with its own.
  strict: false,
});

const getText = (value: string | boolean | undefined) =>
  typeof value === 'string' ? value : undefined;

/** Whether to run once with small sizes, to check the program. */
export const quick = values.quick === true;

/** Rounds after the warm-up round. Programs can have another default. */
export const roundsOr = (usual: number): number =>
  Number(getText(values.rounds) ?? (quick ? 1 : usual));

/** Words of which the name of a work must contain one. */
export const only = getText(values.only)?.split(',');

/** Size of an image in bytes. */
export const size = parseBytes(getText(values.size));

/** Folder to reuse in the next run. */
export const data = getText(values.data);

function parseBytes(text: string | undefined): number | undefined {
  const [, number, unit] = /^(\d+)([MG]iB)$/.exec(text ?? '') ?? [];
  return number === undefined ? undefined : Number(number) * (unit === 'GiB' ? 2 ** 30 : 2 ** 20);
}

/** Prints the rows as the last action of a program. */
export function answer(rows: readonly Row[]): void {
  process.stdout.write(JSON.stringify(rows));
}

/** Prints progress to stderr. */
export function say(text: string): void {
  process.stderr.write(`  ${text}\n`);
}
