// Prints each numbered operation of the specification with its tests. Exits with 1 if an operation
// has no test. After `npm test`, it also exits with 1 if an operation succeeded in no test, if a
// parameter is neither read nor declared as ignored, or if docs/coverage.md is outdated. `--write`
// updates this page.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { calls, prepare, root } from './prepare.js';

await prepare();

const writes = process.argv.includes('--write');
const logged = existsSync(calls);
if (!logged) console.error('no log of calls of npm test: checking only the page');
const page = spawnSync(
  process.execPath,
  [
    join(root, 'node_modules/vitest/vitest.mjs'),
    ...['run', '--project', 'unit', 'test/server/coverage-doc.test.ts'],
  ],
  {
    cwd: root,
    encoding: 'utf8',
    env: {
      ...process.env,
      ...(logged ? { VMCTL_CALLS: calls } : {}),
      ...(writes ? { VMCTL_WRITE_COVERAGE: '1' } : {}),
    },
  },
);
if (page.status !== 0) {
  console.error(page.stdout, page.stderr);
  process.exit(1);
}

/** Operations by row: `42` or `G3`, each with its tier. */
const rows = new Map();
const catalogue = JSON.parse(readFileSync(join(root, 'src/specification/operations.json'), 'utf8'));
for (const [key, { operation, tier, rows: numbers }] of Object.entries(catalogue)) {
  for (const number of numbers) {
    rows.set(number, [...(rows.get(number) ?? []), { text: `${key} ${operation}`, tier }]);
  }
}
const order = (number) =>
  number.startsWith('G') ? 1_000 + Number(number.slice(1)) : Number(number);
const sorted = [...rows].sort(([a], [b]) => order(a) - order(b));

// Lists tests without running them. Their names contain the operations.
const { stdout, status, stderr } = spawnSync(
  process.execPath,
  [
    join(root, 'node_modules/vitest/vitest.mjs'),
    'list',
    '--json',
    '--project',
    'e2e',
    'test/operations',
  ],
  { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28 },
);
if (status !== 0) {
  console.error(stderr || stdout);
  process.exit(1);
}
const counts = new Map();
for (const { name } of JSON.parse(stdout.slice(stdout.indexOf('[\n')))) {
  // A test can cover several operations, for example add, list and remove.
  for (const [, number] of name.matchAll(/#(G?\d+)\b/g)) {
    counts.set(number, (counts.get(number) ?? 0) + 1);
  }
}

const missing = sorted.filter(([number]) => !counts.has(number));
console.log('row    tier      tests  status   operation');
for (const [number, operations] of sorted) {
  const tests = counts.get(number) ?? 0;
  const [first, ...others] = operations;
  console.log(
    [
      `#${number}`.padEnd(6),
      first.tier.padEnd(9),
      String(tests).padStart(5),
      ` ${tests > 0 ? 'tested ' : 'NO TEST'}`,
      ` ${first.text}${others.length > 0 ? ` and ${others.length} more` : ''}`,
    ].join(' '),
  );
}
console.log(`${sorted.length - missing.length} of ${sorted.length} rows have tests`);
process.exitCode = missing.length > 0 ? 1 : 0;
