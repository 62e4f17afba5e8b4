/** How often a property is tried: less often where mutants are tried and instruments slow the code down. */
export function runs(count: number): number {
  return process.env['MUTATION_TESTS'] === undefined ? count : Math.ceil(count / 10);
}
