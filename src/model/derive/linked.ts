/** Types that a reference or a link of another type leads to: what does not say so itself has an id then. */
import { types } from './types.ts';

/** By their names, in the order in which they are found. */
export const linkedTypes: readonly string[] = [
  ...new Set(
    Object.values(types)
      .flatMap(({ attributes }) => Object.values(attributes))
      .flatMap(({ kind }) => /^(?:list )?(?:ref|links) (.+)$/.exec(kind)?.[1] ?? []),
  ),
];
