/** Types that references or links of other types refer to. They have an id, declared or not. */
import { types } from './types.ts';

/** Names of these types, in order of their first reference. */
export const linkedTypes: readonly string[] = [
  ...new Set(
    Object.values(types)
      .flatMap(({ attributes }) => Object.values(attributes))
      .flatMap(({ kind }) => /^(?:list )?(?:ref|links) (.+)$/.exec(kind)?.[1] ?? []),
  ),
];
