// Builds the fuzzer in test/fuzz and runs it with all arguments.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { root } from './prepare.js';

// Within node_modules, to resolve packages.
const cache = join(root, 'node_modules/.cache');
mkdirSync(cache, { recursive: true });
const folder = mkdtempSync(join(cache, 'fuzz-'));
try {
  const built = await rolldown({
    input: { main: join(root, 'test/fuzz/main.ts'), worker: join(root, 'test/fuzz/worker.ts') },
    platform: 'node',
    external: (id) => !/^[./]/.test(id),
  });
  await built.write({ dir: folder, format: 'esm', entryFileNames: '[name].mjs', sourcemap: true });
  await built.close();
  const words = ['--enable-source-maps', join(folder, 'main.mjs'), ...process.argv.slice(2)];
  const { status } = spawnSync(process.execPath, words, { cwd: root, stdio: 'inherit' });
  process.exitCode = status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
