// Node runtimes of the executables: one version, verified by its digests.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

// Node 26 requires libatomic, which small systems lack.
export const version = '24.21.0';

/** Program in the npm package of each system, and SHA-512 of the package, as `npm view` prints it. */
const systems = {
  'linux-x64': {
    program: 'bin/node',
    integrity:
      'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  },
  'win-x64': {
    program: 'bin/node.exe',
    integrity:
      'sha512-0ddSuAi9KnmYzfjJwKfFUO5YfljMVfa9smiGRQXmp5QGhm8KXk7xbqkFNeaPXVaL6sfZ5oGfCD7q8wWY/TnypA==',
  },
};

/**
 * Downloads Node for a system to a folder below `cache`, unless it exists. Returns the path of the
 * program, and of its license in the package for Linux. Throws if the digest differs.
 */
export function nodeRuntime(cache, system = 'linux-x64') {
  const { program, integrity } = systems[system];
  const folder = join(cache, `node-${version}-${system}`);
  if (!existsSync(folder)) fetchInto(cache, folder, system, integrity);
  return { node: join(folder, program), license: join(folder, 'LICENSE') };
}

function fetchInto(cache, folder, system, integrity) {
  const draft = join(cache, `draft-${process.pid}`);
  mkdirSync(draft, { recursive: true });
  try {
    const name = execFileSync('npm', ['pack', '--silent', `node-${system}@${version}`], {
      cwd: draft,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    }).trim();
    const archive = readFileSync(join(draft, name));
    const digest = `sha512-${createHash('sha512').update(archive).digest('base64')}`;
    if (digest !== integrity) throw new Error(`${name} has another digest: ${digest}`);
    execFileSync('tar', ['-xf', name], { cwd: draft });
    renameSync(join(draft, 'package'), folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}
