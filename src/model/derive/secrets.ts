/** Names of the attributes whose values are secrets. */
import { types } from './types.ts';

const declared = Object.values(types).flatMap(({ attributes }) => Object.entries(attributes));

/** All of them but `value`, which is one because of where it stands. */
export const secretAttributes: readonly string[] = [
  ...new Set(
    declared
      .filter(([name, { secret }]) => secret === true && name !== 'value')
      .map(([name]) => name),
  ),
];
