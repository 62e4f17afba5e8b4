// Writes package-lock.json without download addresses, which depend on the computer. It runs in an
// empty folder, because npm omits packages of other platforms if packages are installed.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'vmctl-lock-'));
copyFileSync(join(root, 'package.json'), join(folder, 'package.json'));
execFileSync(
  'npm',
  ['install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund'],
  {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  },
);
const lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'));
for (const entry of Object.values(lock.packages)) delete entry.resolved;
writeFileSync(join(root, 'package-lock.json'), `${JSON.stringify(lock, null, 2)}\n`);
rmSync(folder, { recursive: true, force: true });
