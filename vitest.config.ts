/**
 * Unit tests share one module graph; tests of whole processes run apart from each other; those that
 * measure the memory of their process have it for themselves.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { thirdOf } from './test/support/thirds.ts';

/** Folders whose files take longest. A file that begins last keeps one worker busy and leaves the other idle. */
const slow = ['e2e', 'write-back', 'examples', 'faults', 'commands', 'transfer', 'images'];

/** Tests of whole processes. */
const apart =
  'test/{clients,commands,conformance,operations,recorded,e2e,faults,examples,write-back,features/*/commands}/**/*.test.ts';

/** Where tests go through whole jobs, with processes, kills and waits: they take most of the time. */
const wholeJobs = [
  ...['test/e2e', 'test/commands', 'test/faults', 'test/transfer/takeover'],
  ...featureFolders('commands'),
];

/** Those of them that a run of a third leaves to others. */
const jobs = wholeJobs.flatMap(testsOf).filter((path) => !takesThirdItself(path));
const chosen = new Set(thirdOf(jobs));
const left = jobs.filter((path) => !chosen.has(path));

/** Folders of this name in the tests of features. */
function featureFolders(name: string): string[] {
  const all = new URL('test/features', import.meta.url);
  if (!existsSync(all)) return [];
  return readdirSync(all)
    .map((feature) => `test/features/${feature}/${name}`)
    .filter((folder) => existsSync(new URL(folder, import.meta.url)));
}

/** Paths of the tests in a folder. */
function testsOf(folder: string): string[] {
  return readdirSync(new URL(folder, import.meta.url))
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `${folder}/${name}`);
}

/** Whether a third of its cases is run each time: a third of the files as well would leave some out for good. */
function takesThirdItself(path: string): boolean {
  return readFileSync(new URL(path, import.meta.url), 'utf8').includes('thirds.ts');
}

/** Tests that measure the memory of the process that they run in. */
const measuring = 'test/{transfer/huge,images/memory}.test.ts';

/**
 * One project after the other, because a worker that changes to another project is ended and loads all
 * modules anew; in each of them slow folders first, and large files before small ones.
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
    },
  },
  {
    test: {
      name: 'unit',
      // Whatever does not run apart runs here: a new folder is not forgotten.
      include: ['test/**/*.test.ts'],
      exclude: [apart, measuring, ...left],
      pool: 'threads' as const,
      isolate: false,
      testTimeout: 60_000,
    },
  },
];

export default defineConfig({
  test: {
    // Most tests wait for processes and disks: with one worker for each of two processors, these idle.
    maxWorkers: 3,
    sequence: { sequencer: SlowFirst },
    coverage: { provider: 'v8', include: ['src/**'] },
    projects,
  },
});
