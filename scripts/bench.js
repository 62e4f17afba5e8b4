// Runs the benchmarks in bench/, or those that are named; what begins with the first flag is theirs:
// --quick runs each once and small, bench/transfer.ts knows more.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { prepare, root } from './prepare.js';

await prepare();
const { rolldown } = await import('rolldown');

const words = process.argv.slice(2);
const first = words.findIndex((word) => word.startsWith('-'));
const [named, flags] = first < 0 ? [words, []] : [words.slice(0, first), words.slice(first)];
const all = readdirSync(join(root, 'bench')).filter((name) => name.endsWith('.ts'));
const chosen = all.filter((name) => named.length === 0 || named.includes(basename(name, '.ts')));
const folder = mkdtempSync(join(root, 'dist/bench-'));
let failed = false;
for (const name of chosen) {
  const outfile = join(folder, name.replace(/\.ts$/, '.mjs'));
  const bundle = await rolldown({
    input: join(root, 'bench', name),
    platform: 'node',
    // Packages stay outside, as they are for whoever uses them.
    external: (id) => !/^[./]/.test(id),
  });
  await bundle.write({ file: outfile, format: 'esm' });
  await bundle.close();
  console.log(`== ${basename(name, '.ts')}`);
  const { status } = spawnSync(process.execPath, [outfile, ...flags], {
    cwd: root,
    stdio: 'inherit',
  });
  failed ||= status !== 0;
}
rmSync(folder, { recursive: true, force: true });
process.exitCode = failed ? 1 : 0;
