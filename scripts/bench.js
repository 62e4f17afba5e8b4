// Builds the programs in bench/ and the program that prints their rows as one table, and passes all
// arguments to it.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

// Original environment: a module below removes variables, and the table reports removed ones.
const { VMCTL_BUILT: _, ...given } = process.env;
const { prepare, root } = await import('./prepare.js');
await prepare();
const { rolldown } = await import('rolldown');

// Within node_modules, to resolve packages, and outside of dist, which another build may remove.
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
    // Packages are not bundled, as for users.
    external: (id) => !/^[./]/.test(id),
  });
  await built.write({ file, format: 'esm' });
  await built.close();
}
