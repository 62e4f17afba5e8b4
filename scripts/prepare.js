// Installs and builds what is missing, so that every other script works in a fresh clone.
import { execFileSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
/** Where the servers of a run of all tests log the operations that were called. */
export const calls = join(root, 'coverage/calls');

// Node 20 reads these certificates at every start, and tests start thousands of processes. Those that
// are about the variable set it themselves.
delete process.env['NODE_EXTRA_CA_CERTS'];

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`vmctl needs Node 20.19 or newer; this is ${process.versions.node}.`);
  process.exit(1);
}

/** Installs the packages of the lock file unless that was done since it changed. */
function install() {
  const done = join(root, 'node_modules/.package-lock.json');
  const lock = join(root, 'package-lock.json');
  if (existsSync(done) && statSync(done).mtimeMs >= statSync(lock).mtimeMs) return;
  console.error('Installing packages ...');
  // npm comes with Node; the one beside this node is the one that fits it.
  const beside = join(dirname(process.execPath), 'npm');
  execFileSync(existsSync(beside) ? beside : 'npm', ['ci'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: ownEnvironment(),
  });
}

/**
 * The environment without what an npm that runs this has been told of another place: packages are
 * installed in this tree, those for development too, and nothing is prepared a second time.
 */
function ownEnvironment() {
  const elsewhere = /^npm_config_(global|prefix|local_prefix|location|omit|include|production)$/i;
  const kept = Object.entries(process.env).filter(([name]) => !elsewhere.test(name));
  return { ...Object.fromEntries(kept), VMCTL_IS_PREPARING: '1' };
}

/** Installs what is missing and builds the command, unless whoever started this has just done so. */
export async function prepare() {
  if (process.env['VMCTL_BUILT']) return;
  install();
  await import('./build.js');
  process.env['VMCTL_BUILT'] = '1';
}
