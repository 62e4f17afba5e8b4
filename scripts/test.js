// Runs all tests; further arguments go to vitest. Ends with a plain line that says how many.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepare, root } from './prepare.js';

await prepare();

const folder = mkdtempSync(join(tmpdir(), 'vmctl-results-'));
const results = join(folder, 'results.json');
const { status } = spawnSync(
  process.execPath,
  [
    join(root, 'node_modules/vitest/vitest.mjs'),
    'run',
    '--reporter=dot',
    '--reporter=json',
    `--outputFile.json=${results}`,
    ...process.argv.slice(2),
  ],
  { cwd: root, stdio: 'inherit' },
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
