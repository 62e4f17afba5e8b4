/** The part of tests of all there is that one run takes: all of it, or a third where time is short. */
import { createHash } from 'node:crypto';

/** `0`, `1` or `2` where a run takes a third alone; CI takes another one with each commit. */
const third = process.env['VMCTL_TEST_THIRD'];

/** Whether this run leaves two thirds of such tests to others. */
export const isThird = third !== undefined;

/** Those of the cases that this run takes, chosen by the hash of their names. */
export function thirdOf<Case>(
  cases: readonly Case[],
  nameOf: (one: Case) => string = String,
): readonly Case[] {
  if (third === undefined) return cases;
  return cases.filter((one) => {
    const hash = createHash('sha256').update(nameOf(one)).digest();
    // Of the bytes of the hash this one makes thirds that take nearly the same time.
    return hash.readUInt8(9) % 3 === Number(third);
  });
}
