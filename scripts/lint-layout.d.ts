/** Everything that is wrong with the layout of sources, given as texts by path below `src`; a line each. */
export function findLayoutProblems(
  texts: Iterable<readonly [file: string, text: string]>,
): string[];

/** Modules that each module may import, by name. */
export const modules: Readonly<Record<string, readonly string[]>>;
