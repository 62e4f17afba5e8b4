/** Unit tests share one module graph; tests of whole processes run apart from each other. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // Tests of processes wait for them most of the time.
    maxWorkers: 2,
    coverage: { provider: 'v8', include: ['src/**'] },
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/{model,wire,search,client,transfer,cli,server,images}/**/*.test.ts'],
          pool: 'threads',
          isolate: false,
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'e2e',
          include: [
            'test/{clients,commands,conformance,operations,recorded,e2e,faults,examples,write-back}/**/*.test.ts',
          ],
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
