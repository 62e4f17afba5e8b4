// Installs packages and builds the command if necessary, so that all scripts work in a fresh clone.
import { execFileSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
/** Folder where servers log called operations during a complete test run. */
export const calls = join(root, 'coverage/calls');

// Node 20 reads these certificates at every start, and tests start thousands of processes. Tests of
// the variable set it themselves.
delete process.env['NODE_EXTRA_CA_CERTS'];

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`vmctl needs Node 20.19 or newer; this is ${process.versions.node}.`);
  process.exit(1);
}

/** Installs the packages of the lock file, unless they are up to date. */
function install() {
  const done = join(root, 'node_modules/.package-lock.json');
  const lock = join(root, 'package-lock.json');
  if (existsSync(done) && statSync(done).mtimeMs >= statSync(lock).mtimeMs) return;
  console.error('Installing packages ...');
  // Use the npm of this Node, which matches its version.
  const beside = join(dirname(process.execPath), 'npm');
  execFileSync(existsSync(beside) ? beside : 'npm', ['ci'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: ownEnvironment(),
  });
}

/**
 * Environment without settings of an outer npm for another location: packages are installed in this
 * tree, including development packages, without a second preparation.
 */
function ownEnvironment() {
  const elsewhere = /^npm_config_(global|prefix|local_prefix|location|omit|include|production)$/i;
  const kept = Object.entries(process.env).filter(([name]) => !elsewhere.test(name));
  return { ...Object.fromEntries(kept), VMCTL_IS_PREPARING: '1' };
}

/** Installs packages and builds the command, unless the caller has just done it. */
export async function prepare() {
  if (process.env['VMCTL_BUILT']) return;
  install();
  await import('./build.js');
  process.env['VMCTL_BUILT'] = '1';
}
