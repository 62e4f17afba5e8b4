// Builds dist/: the command with lazy chunks, the threads of the image daemon, bundles of features, tables
// for completion, the server for tests, notices of bundled packages.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { formatBillOfMaterials, listNativeFolders } from './bundle/bill-of-materials.js';
import { chunks } from './bundle/chunks.js';
import { writeHandMade } from './bundle/hand-made.js';
import { lean } from './bundle/lean.js';
import { modelAsJson } from './bundle/model-as-json.js';
import { BundledPackages } from './bundle/notices.js';

const root = fileURLToPath(new URL('..', import.meta.url));

const common = {
  cwd: root,
  platform: 'node',
  // Native modules are external, because they are optional.
  external: ['libsql', 'koffi', 'keytar', 'pg-native', 'pg-cloudflare'],
  checks: { pluginTimings: false },
  resolve: { mainFields: ['module', 'main'] },
};
const output = {
  dir: join(root, 'dist'),
  minify: true,
  sourcemap: true,
  comments: false,
  // A single non-ASCII character makes V8 store a file with two bytes for each character.
  charset: 'ascii',
};

const packages = new BundledPackages();
rmSync(join(root, 'dist'), { recursive: true, force: true });
await writeHandMade(root);
await write(
  {
    ...common,
    input: {
      main: 'src/cli/main.ts',
      testkit: 'src/testkit/testkit.ts',
    },
    plugins: [lean(root), modelAsJson],
  },
  {
    ...output,
    // Node loads CommonJS faster, and its compiled code can be cached.
    format: 'cjs',
    exports: 'named',
    dynamicImportInCjs: false,
    codeSplitting: chunks(root),
    entryFileNames: '[name].cjs',
    chunkFileNames: 'chunks/[name]-[hash].cjs',
  },
);
await write(
  { ...common, input: { 'images-worker': 'src/images/worker.ts' } },
  { ...output, format: 'esm' },
);
await write(
  { ...common, input: { 'hash-thread': 'src/hash/worker.ts' } },
  { ...output, format: 'esm' },
);
// Bundles of features.
for (const feature of readdirSync(join(root, 'src/features'))) {
  const script = join(root, 'src/features', feature, 'bundle.js');
  if (!existsSync(script)) continue;
  const { bundle } = await import(pathToFileURL(script).href);
  await bundle({ write, common, output, root });
}

// What completion offers, so that it need not load the commands.
execFileSync(
  process.execPath,
  [join(root, 'bin/vmctl.js'), '__completion', join(root, 'dist/completion')],
  {
    env: { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' },
    stdio: 'inherit',
  },
);

// Test server as an ES module, with types.
writeFileSync(
  join(root, 'dist/testkit.js'),
  "import kit from './testkit.cjs';\nexport const startServer = kit.startServer;\n",
);
writeFileSync(
  join(root, 'dist/testkit.d.ts'),
  `${readFileSync(join(root, 'src/testkit/types.ts'), 'utf8')}
/** Starts a server. Resolves when it responds. Rejects for invalid options. */
export declare function startServer(options?: TestServerOptions): Promise<TestServer>;
`,
);
writeFileSync(join(root, 'dist/THIRD-PARTY-NOTICES.txt'), packages.notices());
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
writeFileSync(
  join(root, 'dist/vmctl.cdx.json'),
  formatBillOfMaterials(manifest, [...packages.folders, ...listNativeFolders(root, manifest)]),
);

async function write(input, format) {
  const bundle = await rolldown({ ...input, plugins: [...(input.plugins ?? []), packages.plugin] });
  await bundle.write(format);
  await bundle.close();
}
