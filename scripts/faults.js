// Runs the complete fault catalogue: all tests whose name begins with the id of a row. Records the
// results in test/data/reliability-runs.json, and writes docs/reliability.md from the last run of
// each row.
//
//   npm run test:faults
//   npm run test:faults -- A5 C1      some rows
//   npm run test:faults -- --short    all rows, as short as in CI; records nothing
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { prepare, root } from './prepare.js';
import { reliabilityPage } from './reliability-page.js';

await prepare();

const words = process.argv.slice(2);
const short = words.includes('--short');
const asked = words.filter((word) => word !== '--short');
const catalogue = JSON.parse(readFileSync(join(root, 'test/data/reliability.json'), 'utf8'));
const ids = catalogue.rows.map(({ id }) => id);
const unknown = asked.filter((id) => !ids.includes(id));
if (unknown.length > 0) {
  console.error(`unknown row ${unknown.join(', ')}; rows: ${ids.join(' ')}`);
  process.exit(2);
}
const chosen = asked.length > 0 ? asked : ids;

const folder = mkdtempSync(join(tmpdir(), 'vmctl-faults-'));
const results = join(folder, 'results.json');
const figures = join(folder, 'figures.jsonl');
const began = Date.now();
const { status } = spawnSync(
  process.execPath,
  [
    join(root, 'node_modules/vitest/vitest.mjs'),
    ...['run', '--reporter=verbose', '--reporter=json', `--outputFile.json=${results}`],
    ...['--testNamePattern', `(^|\\s)(${chosen.join('|')}) `, ...filesNaming()],
  ],
  {
    cwd: root,
    stdio: 'inherit',
    env: {
      ...process.env,
      VMCTL_FIGURES: figures,
      ...(short ? {} : { VMCTL_FAULTS: 'all' }),
    },
  },
);
const tests = JSON.parse(readFileSync(results, 'utf8')).testResults.flatMap(
  ({ name, assertionResults }) =>
    assertionResults.flatMap(({ ancestorTitles, title, status }) => {
      const named = new Set([...ancestorTitles, title].flatMap(parseRows));
      return [...named].map((id) => ({ id, file: relative(root, name), status }));
    }),
);
const reached = existsSync(figures)
  ? readFileSync(figures, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
  : [];
rmSync(folder, { recursive: true, force: true });
const runsFile = join(root, 'test/data/reliability-runs.json');
const runs = existsSync(runsFile) ? JSON.parse(readFileSync(runsFile, 'utf8')) : {};
if (!short) {
  for (const id of chosen) note(id);
  const known = Object.fromEntries(ids.flatMap((id) => (runs[id] ? [[id, runs[id]]] : [])));
  writeFileSync(runsFile, `${JSON.stringify(known, null, 2)}\n`);
  writeFileSync(join(root, 'docs/reliability.md'), reliabilityPage(catalogue, known));
  console.log('updated docs/reliability.md');
}
process.exitCode = status ?? 1;

/** Rows in the name of a test or group. */
function parseRows(title) {
  const [begin] = /^(?:[A-I]\d{0,2} )*/.exec(title) ?? [''];
  return begin.split(' ').filter((word) => ids.includes(word));
}

/** Test files that name a row. Loading other files would take longer than the tests. */
function filesNaming() {
  const quoted = new RegExp(`['"\`](?:[A-I]\\d{0,2} )*(?:${chosen.join('|')}) `);
  return readdirSync(join(root, 'test'), { recursive: true })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join('test', name))
    .filter((name) => quoted.test(readFileSync(join(root, name), 'utf8')));
}

/** Records the result of a row. */
function note(id) {
  const own = tests.filter((test) => test.id === id);
  if (own.length === 0) return;
  const count = (status) => own.filter((test) => test.status === status).length;
  const [passed, failed] = [count('passed'), count('failed')];
  runs[id] = {
    day: new Date(began).toISOString().slice(0, 10),
    node: process.versions.node,
    passed,
    failed,
    skipped: own.length - passed - failed,
    files: [...new Set(own.map(({ file }) => file))].sort(),
    reached: [...new Set(reached.filter(({ row }) => row === id).map(({ reached }) => reached))],
  };
}
