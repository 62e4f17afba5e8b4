/** What a program in `bench/` was asked for, and how it answers. */
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
  // A program may play a part of its own, with words that only it knows.
  strict: false,
});

const textOf = (value: string | boolean | undefined) =>
  typeof value === 'string' ? value : undefined;

/** Once and small: to see that nothing is broken. */
export const quick = values.quick === true;

/** Rounds after the one that warms up; a program that needs more says so. */
export const roundsOr = (usual: number): number =>
  Number(textOf(values.rounds) ?? (quick ? 1 : usual));

/** Words of which a work has to have one in its name. */
export const only = textOf(values.only)?.split(',');

/** Size of an image, in bytes. */
export const size = bytesOf(textOf(values.size));

/** A folder to use again the next time. */
export const data = textOf(values.data);

function bytesOf(text: string | undefined): number | undefined {
  const [, number, unit] = /^(\d+)([MG]iB)$/.exec(text ?? '') ?? [];
  return number === undefined ? undefined : Number(number) * (unit === 'GiB' ? 2 ** 30 : 2 ** 20);
}

/** Answers with the rows; the last that a program does. */
export function answer(rows: readonly Row[]): void {
  process.stdout.write(JSON.stringify(rows));
}

/** Says what goes on, where it does not disturb the answer. */
export function say(text: string): void {
  process.stderr.write(`  ${text}\n`);
}
