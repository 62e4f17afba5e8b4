// Runs the benchmarks in bench/, or those that are named; what begins with the first flag is theirs:
// --quick runs each once and small, bench/transfer.ts knows more.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
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
  const before = processorTime();
  const { status } = spawnSync(process.execPath, [outfile, ...flags], {
    cwd: root,
    stdio: 'inherit',
  });
  failed ||= status !== 0;
  warnOfOthers(before, processorTime());
}
rmSync(folder, { recursive: true, force: true });
process.exitCode = failed ? 1 : 0;

/** Time of all processors since the start, and what of it other machines on the same host had. */
function processorTime() {
  if (!existsSync('/proc/stat')) return undefined;
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n', 1);
  const times = line.trim().split(/\s+/).slice(1, 9).map(Number);
  return { all: times.reduce((sum, one) => sum + one, 0), stolen: times[7] ?? 0 };
}

/** Figures of a machine that is not there all the time mean little, even as ratios. */
function warnOfOthers(before, after) {
  if (!before || !after) return;
  const share = (100 * (after.stolen - before.stolen)) / (after.all - before.all);
  if (share >= 2) {
    console.log(
      `other machines on this host took ${share.toFixed(0)} % of the time: measure again`,
    );
  }
}
