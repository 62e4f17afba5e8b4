/**
 * Test projects: unit tests share one module graph, tests of whole processes run in forks, and
 * tests that measure memory run isolated.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { selectSlowFiles } from './test/support/slow-tests.ts';

/**
 * Folders with the slowest files. A slow file that starts last would leave the other workers idle.
 */
const slow = ['e2e', 'write-back', 'examples', 'faults', 'commands', 'transfer', 'images'];

/** Tests of whole processes. */
const apart =
  'test/{clients,commands,conformance,operations,recorded,e2e,faults,examples,write-back,features/*/commands}/**/*.test.ts';

/** Folders with tests of complete jobs, with processes, kills and waits, which take most of the time. */
const wholeJobs = [
  ...['test/e2e', 'test/commands', 'test/faults', 'test/transfer/takeover'],
  ...featureFolders('commands'),
];

/** Tests of these folders that this run skips. */
const jobs = wholeJobs.flatMap(testsOf).filter((path) => !selectsCasesItself(path));
const chosen = new Set(selectSlowFiles(jobs));
const left = jobs.filter((path) => !chosen.has(path));

/** Folders of this name in the tests of features. */
function featureFolders(name: string): string[] {
  const all = new URL('test/features', import.meta.url);
  if (!existsSync(all)) return [];
  return readdirSync(all)
    .map((feature) => `test/features/${feature}/${name}`)
    .filter((folder) => existsSync(new URL(folder, import.meta.url)));
}

/** Lists the paths of the tests in a folder. */
function testsOf(folder: string): string[] {
  return readdirSync(new URL(folder, import.meta.url))
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `${folder}/${name}`);
}

/**
 * Whether the file selects its own cases. Selecting among such files as well would skip some cases
 * in each run.
 */
function selectsCasesItself(path: string): boolean {
  return readFileSync(new URL(path, import.meta.url), 'utf8').includes('slow-tests.ts');
}

/** Tests that measure the memory of their process. */
const measuring = 'test/{transfer/huge,images/memory}.test.ts';

/**
 * Order of test files: by project, because a worker that changes the project loads all modules
 * again; then slow folders, and large files first.
 */
class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ project, moduleId }: TestSpecification) => {
      const found = slow.findIndex((folder) => moduleId.includes(`/test/${folder}/`));
      const order = projects.findIndex(({ test }) => test.name === project.name);
      return order * (slow.length + 1) + (found < 0 ? slow.length : found);
    };
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other));
  }
}

const projects = [
  {
    test: {
      name: 'e2e',
      include: [apart],
      exclude: left,
      globalSetup: ['test/support/build.ts', 'test/support/postgres-setup.ts'],
      pool: 'forks' as const,
      isolate: false,
      testTimeout: 60_000,
      hookTimeout: 60_000,
    },
  },
  {
    test: {
      name: 'memory',
      include: [measuring],
      pool: 'forks' as const,
      isolate: true,
      testTimeout: 60_000,
      hookTimeout: 60_000,
    },
  },
  {
    test: {
      name: 'unit',
      // All other folders, so that new ones are included.
      include: ['test/**/*.test.ts'],
      exclude: [apart, measuring, ...left],
      pool: 'threads' as const,
      isolate: false,
      testTimeout: 60_000,
      // The first hook of a worker may load the whole server.
      hookTimeout: 60_000,
    },
  },
];

export default defineConfig({
  test: {
    // Most tests wait for processes and disks, so that two workers would leave two processors idle.
    maxWorkers: 3,
    sequence: { sequencer: SlowFirst },
    coverage: { provider: 'v8', include: ['src/**'] },
    projects,
  },
});
