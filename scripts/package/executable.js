// Self-contained executables for Linux and Windows x64: Node with the files of the program.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { removeSignature } from './windows-signature.js';

/** Marker with which Node detects an embedded program. */
const sentinelFuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

/** Tool in the documentation of Node that embeds a program. */
const postject = join(dirname(createRequire(import.meta.url).resolve('postject')), 'cli.js');

const entry = fileURLToPath(new URL('executable-entry.cjs', import.meta.url));

/**
 * Writes the executable.
 * @param output path of the executable
 * @param runtime paths of `node`, which runs here, and of its `license`
 * @param root folder of the project
 * @param files names of the program's files, relative to `root`
 * @param windowsNode `node.exe` of the same version, for an executable for Windows
 * @returns identity of the program: a digest of its files
 */
export async function writeExecutable(output, runtime, root, files, windowsNode) {
  const work = mkdtempSync(join(tmpdir(), 'vmctl-executable-'));
  try {
    const sources = [
      ...files.map((name) => ({ name, path: join(root, name) })),
      { name: 'LICENSE.node', path: runtime.license },
    ];
    const identity = computeIdentity(sources);
    const manifest = { identity, files: sources.map(({ name }) => name) };
    writeFileSync(join(work, 'manifest.json'), JSON.stringify(manifest));
    const blob = join(work, 'blob');
    writeFileSync(
      join(work, 'config.json'),
      JSON.stringify({
        main: await bundledEntry(work),
        output: blob,
        disableExperimentalSEAWarning: true,
        assets: {
          'manifest.json': join(work, 'manifest.json'),
          ...Object.fromEntries(sources.map(({ name, path }) => [name, path])),
        },
      }),
    );
    run(runtime.node, ['--experimental-sea-config', join(work, 'config.json')]);
    const draft = windowsNode
      ? withoutSignature(windowsNode, work)
      : withoutSymbols(runtime.node, work);
    run(process.execPath, [
      postject,
      draft,
      'NODE_SEA_BLOB',
      blob,
      '--sentinel-fuse',
      sentinelFuse,
    ]);
    copyFileSync(draft, output);
    chmodSync(output, 0o755);
    return identity;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Runs a program. An error contains its output. */
function run(program, words) {
  execFileSync(program, words, { stdio: 'pipe' });
}

/** Entry bundled into one file, because the executable cannot load others before it. */
async function bundledEntry(work) {
  const file = join(work, 'entry.cjs');
  const bundle = await rolldown({ input: entry, platform: 'node' });
  await bundle.write({ file, format: 'cjs' });
  await bundle.close();
  return file;
}

function computeIdentity(sources) {
  const hash = createHash('sha256');
  for (const { name, path } of sources)
    hash.update(`${name}\0`).update(readFileSync(path)).update('\0');
  return hash.digest('hex').slice(0, 16);
}

/** Copy of Node for Windows without its signature, which the embedded program makes invalid. */
function withoutSignature(node, work) {
  const output = join(work, 'node.exe');
  writeFileSync(output, removeSignature(readFileSync(node)));
  return output;
}

/** Copy of Node without symbols, a fifth of its size, if `strip` is installed. */
function withoutSymbols(node, work) {
  const output = join(work, 'node');
  try {
    execFileSync('strip', [node, '-o', output], { stdio: 'ignore' });
  } catch {
    copyFileSync(node, output);
  }
  return output;
}
