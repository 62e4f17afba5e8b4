// One self-contained executable for Linux x64: Node with the files of the program inside of it.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const entry = fileURLToPath(new URL('executable-entry.cjs', import.meta.url));

/**
 * Writes the executable.
 * @param output path of what is written
 * @param runtime paths of `node` (26 or newer, for it makes executables of itself) and of its `license`
 * @param root folder of the project
 * @param files names of the program's files, relative to `root`
 * @returns the identity of the program: a digest of its files
 */
export function writeExecutable(output, runtime, root, files) {
  const work = mkdtempSync(join(tmpdir(), 'vmctl-executable-'));
  try {
    const sources = [
      ...files.map((name) => ({ name, path: join(root, name) })),
      { name: 'LICENSE.node', path: runtime.license },
    ];
    const identity = identityOf(sources);
    const manifest = {
      identity,
      files: sources.map(({ name, path }) => ({
        name,
        mode: statSync(path).mode & 0o111 ? 0o755 : 0o644,
      })),
    };
    writeFileSync(join(work, 'manifest.json'), JSON.stringify(manifest));
    writeFileSync(
      join(work, 'config.json'),
      JSON.stringify({
        main: entry,
        mainFormat: 'commonjs',
        executable: withoutSymbols(runtime.node, work),
        output,
        disableExperimentalSEAWarning: true,
        assets: {
          'manifest.json': join(work, 'manifest.json'),
          ...Object.fromEntries(sources.map(({ name, path }) => [name, path])),
        },
      }),
    );
    rmSync(output, { force: true });
    execFileSync(runtime.node, ['--build-sea', join(work, 'config.json')], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    chmodSync(output, 0o755);
    return identity;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function identityOf(sources) {
  const hash = createHash('sha256');
  for (const { name, path } of sources)
    hash.update(`${name}\0`).update(readFileSync(path)).update('\0');
  return hash.digest('hex').slice(0, 16);
}

/** Node without its table of symbols, a fifth of it; as it is where there are no tools for that. */
function withoutSymbols(node, work) {
  const output = join(work, 'node');
  try {
    execFileSync('strip', [node, '-o', output], { stdio: 'ignore' });
    return output;
  } catch {
    return node;
  }
}
