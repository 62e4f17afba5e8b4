// Type check of the project, and of pages for browsers in features, which are separate TypeScript projects.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const features = join(root, 'src/features');
const pages = readdirSync(features)
  .map((name) => join(features, name, 'browser'))
  .filter((folder) => existsSync(join(folder, 'tsconfig.json')));

for (const options of [['--checkers', '2'], ...pages.map((folder) => ['-p', folder])]) {
  const tsc = join(root, 'node_modules/.bin/tsc');
  const { status } = spawnSync(tsc, ['--noEmit', ...options], { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}
