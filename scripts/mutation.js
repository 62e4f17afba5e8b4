// Mutation testing: changes expressions of the code, and counts the changes that a test detects.
// `npm run test:mutation -- search wire --sample 400 --seed 7` selects 400 random mutants of each
// of these modules, by default of all. Exits with 1 below 75 %. Only code in the process of the
// tests has the mutant: they run the source there instead of the built command if possible
// (`test/support/mutants.ts`). Separate server processes never have it.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import { Instrumenter } from '@stryker-mutator/instrumenter';
import { mutantKey } from './mutation-sample.js';
import { prepare, root } from './prepare.js';

/**
 * Modules with their tests, because other tests would detect nothing. `quick` contains the
 * beginnings of paths of fast tests, in order.
 */
const modules = {
  resources: {
    folder: 'src/server/resources',
    tests: ['test/server/**', 'test/operations/**', 'test/conformance/**'],
    quick: ['test/server/', 'test/operations/'],
  },
  inventory: {
    folder: 'src/server/inventory',
    tests: ['test/server/**', 'test/operations/**', 'test/conformance/**'],
    quick: ['test/server/', 'test/operations/'],
  },
  wire: {
    folder: 'src/wire',
    tests: ['test/wire/**'],
    quick: ['documents', 'scalars', 'links', 'json', 'xml'].map((name) => `test/wire/${name}`),
  },
  search: { folder: 'src/search', tests: ['test/search/**'], quick: [] },
  transfer: {
    folder: 'src/transfer',
    // Without test/e2e, which takes a minute and a half for a single mutant.
    tests: ['test/transfer/**'],
    quick: [
      'blocks',
      'journal',
      'local',
      'partial',
      'rate',
      'remote',
      'range',
      'split',
      'web',
      'stream',
      'open',
      'sequential',
      'down',
    ].map((name) => `test/transfer/${name}`),
  },
  client: {
    folder: 'src/client',
    tests: ['test/client/**', 'test/cli/**'],
    quick: ['test/client/', 'test/cli/verbs/', 'test/cli/output/dry-run'],
  },
};
const expected = 75;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string', default: '400' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e6)) },
    concurrency: { type: 'string', default: '2' },
  },
});
const chosen = positionals.length > 0 ? positionals : Object.keys(modules);
const unknown = chosen.filter((module) => !Object.hasOwn(modules, module));
if (unknown.length > 0) {
  console.error(
    `unknown module ${unknown.join(', ')}; available: ${Object.keys(modules).join(', ')}`,
  );
  process.exit(2);
}

await prepare();
const report = join(root, 'coverage/mutation.json');
const lines = [];
for (const module of chosen) {
  const { folder, tests, quick } = modules[module];
  const mutants = await mutantsIn(folder);
  const sample = draw(mutants, Number(values.sample), Number(values.seed));
  const sampleFile = join(root, 'coverage/mutation-sample.json');
  mkdirSync(join(root, 'coverage'), { recursive: true });
  writeFileSync(sampleFile, JSON.stringify(sample.map((mutant) => mutantKey(mutant, root))));
  Object.assign(process.env, {
    MUTATION_SAMPLE: sampleFile,
    MUTATION_ROOT: root,
    MUTATION_TESTS: tests.join(','),
    MUTATION_QUICK_TESTS: quick.join(','),
  });
  console.log(`${module}: ${sample.length} of ${mutants.length} mutants, seed ${values.seed}`);
  await new Stryker({
    mutate: [`${folder}/**/*.ts`],
    checkers: ['sample'],
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner', join(root, 'scripts/mutation-sample.js')],
    vitest: { configFile: 'vitest.mutation.config.ts', related: true },
    coverageAnalysis: 'perTest',
    concurrency: Number(values.concurrency),
    reporters: ['json', 'progress-append-only'],
    jsonReporter: { fileName: report },
    tempDirName: 'coverage/mutants',
    ignorePatterns: ['coverage'],
    disableTypeChecks: false,
    // The compiler has no API for reading its settings.
    tsconfigFile: 'coverage/no-tsconfig.json',
    // The tests of the slowest module take two minutes. Longer runs are hung.
    dryRunTimeoutMinutes: 10,
    timeoutMS: 20_000,
  }).runMutationTest();
  lines.push(summary(module));
}
rmSync(join(root, 'coverage/mutants'), { recursive: true, force: true });
console.log(lines.map(({ text }) => text).join('\n'));
process.exitCode = lines.every(({ score }) => score >= expected) ? 0 : 1;

/** All mutants of the files below a folder, with positions. */
async function mutantsIn(folder) {
  const files = readdirSync(join(root, folder), { recursive: true })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(root, folder, name));
  const silent = () => {};
  const logger = { isDebugEnabled: () => false, debug: silent, info: silent, warn: silent };
  const { mutants } = await new Instrumenter(logger).instrument(
    files.map((name) => ({ name, mutate: true, content: readFileSync(name, 'utf8') })),
    { ignorers: [], excludedMutations: [], plugins: null },
  );
  return mutants;
}

/** Random selection from a list, reproducible by seed. */
function draw(list, count, seed) {
  let state = seed >>> 0;
  const random = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const left = [...list];
  const drawn = [];
  while (drawn.length < count && left.length > 0) {
    drawn.push(...left.splice(Math.floor(random() * left.length), 1));
  }
  return drawn;
}

/** Counts detected mutants, and writes the others to a file. */
function summary(module) {
  const { files } = JSON.parse(readFileSync(report, 'utf8'));
  const counts = { killed: 0, timedOut: 0, survived: 0 };
  const survivors = [];
  for (const [file, { mutants }] of Object.entries(files)) {
    for (const { status, replacement, location, mutatorName } of mutants) {
      if (status === 'Killed') counts.killed++;
      if (status === 'Timeout') counts.timedOut++;
      if (status !== 'Survived' && status !== 'NoCoverage') continue;
      counts.survived++;
      survivors.push(
        `${file}:${location.start.line} ${mutatorName}: ${replacement ?? ''} (${status})`,
      );
    }
  }
  const list = join(root, `coverage/mutation-${module}.txt`);
  writeFileSync(list, `${survivors.join('\n')}\n`);
  const noticed = counts.killed + counts.timedOut;
  const total = noticed + counts.survived;
  const score = (100 * noticed) / Math.max(1, total);
  const text = `${module}: ${score.toFixed(1)} % of ${total} mutants detected (${expected} %), ${counts.timedOut} of them because a test did not end; the others are in ${list}`;
  return { score, text };
}
