// Runs all tests; further arguments go to vitest. Ends with a plain line that says how many. A run of
// all tests also leaves a log of the operations that they called: `npm run coverage:api` reads it.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { calls, prepare, root } from './prepare.js';

await prepare();

const whole = process.argv.length === 2;
if (whole) rmSync(calls, { recursive: true, force: true });
const folder = mkdtempSync(join(tmpdir(), 'vmctl-results-'));
const results = join(folder, 'results.json');
const { status } = spawnSync(
  process.execPath,
  [
    join(root, 'node_modules/vitest/vitest.mjs'),
    'run',
    // Nobody reads colours in a file or a log.
    ...(process.stdout.isTTY ? [] : ['--no-color']),
    '--reporter=dot',
    '--reporter=json',
    `--outputFile.json=${results}`,
    ...process.argv.slice(2),
  ],
  {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...(whole ? { VMCTL_SERVE_CALL_LOG: calls } : {}) },
  },
);
try {
  const { numPassedTests, numFailedTests, numPendingTests } = JSON.parse(
    readFileSync(results, 'utf8'),
  );
  console.log(`${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests} skipped`);
} catch {
  console.error('The tests did not run to their end.');
}
rmSync(folder, { recursive: true, force: true });
process.exitCode = status ?? 1;
