/** Runs of tests in which `scripts/mutation.js` tries mutants: these are in their own process alone. */
export const triesMutants = process.env['MUTATION_TESTS'] !== undefined;

/** How often a property is tried: less often where instruments slow the code down. */
export function runs(count: number): number {
  return triesMutants ? Math.ceil(count / 10) : count;
}
