/** The tests that see a mutant: those whose code runs in their own process. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: [
      'test/{model,wire,search,client,transfer,cli,server,images}/**/*.test.ts',
      'test/{conformance,operations,recorded,write-back}/**/*.test.ts',
    ],
    pool: 'threads',
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
