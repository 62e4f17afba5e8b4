/** Unit tests share one module graph; tests of whole processes run apart from each other. */
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Folders whose files take longest. A file that begins last keeps one worker busy and leaves the other idle. */
const slow = ['e2e', 'write-back', 'examples', 'commands', 'faults', 'transfer', 'images'];

/** Tests of whole processes. */
const apart =
  'test/{clients,commands,conformance,operations,recorded,e2e,faults,examples,write-back}/**/*.test.ts';

class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const found = slow.findIndex((folder) => moduleId.includes(`/test/${folder}/`));
      return found < 0 ? slow.length : found;
    };
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other));
  }
}

export default defineConfig({
  test: {
    // Tests of processes wait for them most of the time.
    maxWorkers: 2,
    sequence: { sequencer: SlowFirst },
    coverage: { provider: 'v8', include: ['src/**'] },
    projects: [
      {
        test: {
          name: 'unit',
          // Whatever does not run apart runs here: a new folder is not forgotten.
          include: ['test/**/*.test.ts'],
          exclude: [apart],
          pool: 'threads',
          isolate: false,
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'e2e',
          include: [apart],
          globalSetup: 'test/support/build.ts',
          pool: 'forks',
          isolate: false,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
