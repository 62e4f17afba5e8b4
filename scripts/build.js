// Builds dist/: the command with lazy chunks, and the image daemon's thread.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { lean } from './bundle/lean.js';
import { modelAsJson } from './bundle/model-as-json.js';

const root = fileURLToPath(new URL('..', import.meta.url));

const common = {
  cwd: root,
  platform: 'node',
  // Native modules stay outside: they are optional and found at run time.
  external: ['libsql', 'koffi', 'keytar'],
  resolve: { mainFields: ['module', 'main'] },
};
const output = { dir: join(root, 'dist'), minify: true, sourcemap: true, comments: false };

rmSync(join(root, 'dist'), { recursive: true, force: true });
await write(
  { ...common, input: { main: 'src/cli/main.ts' }, plugins: [lean(root), modelAsJson] },
  {
    ...output,
    // Node loads modules of this form with less ado, and their compiled code can be kept.
    format: 'cjs',
    exports: 'named',
    dynamicImportInCjs: false,
    entryFileNames: '[name].cjs',
    chunkFileNames: 'chunks/[name]-[hash].cjs',
  },
);
await write(
  { ...common, input: { 'images-worker': 'src/images/worker.ts' } },
  { ...output, format: 'esm' },
);

async function write(input, format) {
  const bundle = await rolldown(input);
  await bundle.write(format);
  await bundle.close();
}
