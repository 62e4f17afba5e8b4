// Builds the programs in bench/ and what prints their rows as one table; all arguments are for that.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

// As it was given: what is loaded below removes from it, and the table says what had to be removed.
const { VMCTL_BUILT: _, ...given } = process.env;
const { prepare, root } = await import('./prepare.js');
await prepare();
const { rolldown } = await import('rolldown');

// Beside the packages that the programs use, where no build that somebody starts meanwhile removes it.
const cache = join(root, 'node_modules/.cache');
mkdirSync(cache, { recursive: true });
const folder = mkdtempSync(join(cache, 'bench-'));
try {
  const names = readdirSync(join(root, 'bench')).filter((name) => name.endsWith('.ts'));
  const programs = join(folder, 'programs');
  for (const name of names) {
    await bundle(`bench/${name}`, join(programs, name.replace(/\.ts$/, '.mjs')));
  }
  const main = join(folder, 'main.mjs');
  await bundle('bench/report/main.ts', main);
  const { status } = spawnSync(process.execPath, [main, programs, ...process.argv.slice(2)], {
    cwd: root,
    stdio: 'inherit',
    env: given,
  });
  process.exitCode = status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function bundle(input, file) {
  const built = await rolldown({
    input: join(root, input),
    platform: 'node',
    // Packages stay outside, as they are for whoever uses them.
    external: (id) => !/^[./]/.test(id),
  });
  await built.write({ file, format: 'esm' });
  await built.close();
}
