// Runs all tests. Additional arguments go to vitest. Prints a summary line. A complete run also
// logs called operations for `npm run coverage:api`.
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
    // No colours in files and logs.
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
