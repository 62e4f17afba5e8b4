/** Tests for `scripts/mutation.js`: those that it names, in the process that has the mutants. */
import { relative } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const listed = (name: string) => (process.env[name] ?? '').split(',').filter((one) => one !== '');
const quick = listed('MUTATION_QUICK_TESTS');
const tests = listed('MUTATION_TESTS');

/** A mutant is done with at the first test that fails: those that fail soon come before slow ones. */
class QuickFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const path = relative(process.cwd(), moduleId);
      const found = quick.findIndex((start) => path.startsWith(start));
      return found < 0 ? quick.length : found;
    };
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other));
  }
}

export default defineConfig({
  test: {
    include: (tests.length > 0 ? tests : ['test/**']).map((one) =>
      one.endsWith('**') ? `${one}/*.test.ts` : `${one}.test.ts`,
    ),
    // These measure time and memory, which are those of the instruments here.
    exclude: ['**/linear-time.test.ts', '**/huge.test.ts'],
    sequence: { sequencer: QuickFirst },
    pool: 'threads',
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
