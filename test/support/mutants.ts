/**
 * Detection of mutation tests by `scripts/mutation.js`, whose mutants exist only in their own
 * process.
 */
export const triesMutants = process.env['MUTATION_TESTS'] !== undefined;

/** Number of runs of a property; smaller if instrumentation slows the code down. */
export function runs(count: number): number {
  return triesMutants ? Math.ceil(count / 10) : count;
}
