/** Tests for `scripts/mutation.js`: those that it names, in the process that has the mutants. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: (process.env['MUTATION_TESTS'] ?? 'test')
      .split(',')
      .map((tests) => `${tests}/*.test.ts`),
    // Those that measure time measure that of the instruments here, and take longest.
    testNamePattern: /^(?!.*grows with the length alone)/,
    pool: 'threads',
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
