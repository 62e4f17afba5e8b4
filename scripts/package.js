// Creates packages for systems without Node: an executable for Linux x64, and a Debian package with
// manual pages, completions and a systemd unit. `npm run package -- --out FOLDER` writes them to
// another folder.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { writeDebianPackage } from './package/debian.js';
import { writeExecutable } from './package/executable.js';
import { nodeRuntime } from './package/node-runtime.js';
import { programFiles } from './package/program-files.js';
import { prepare, root } from './prepare.js';

const { values } = parseArgs({
  options: { out: { type: 'string', default: join(root, 'build') } },
});
if (process.platform !== 'linux' || process.arch !== 'x64') {
  console.error('npm run package makes packages for Linux x64, and runs there.');
  process.exit(1);
}
const out = resolve(values.out);
mkdirSync(out, { recursive: true });

await prepare();
const runtime = nodeRuntime(join(root, 'build'));
execFileSync(process.execPath, [join(root, 'bin/vmctl.js'), '__reference', root, 'man'], {
  stdio: ['ignore', 'ignore', 'inherit'],
});

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const files = programFiles(root);
const executable = join(out, `vmctl-${version}-linux-x64`);
const identity = await writeExecutable(executable, runtime, root, files);
announce(executable);

const debian = join(out, `vmctl_${version}_amd64.deb`);
if (hasDpkg()) {
  writeDebianPackage(debian, { path: executable, identity, license: runtime.license }, root, files);
  announce(debian);
} else {
  console.error('dpkg-deb is not installed: skipping the Debian package');
}

function hasDpkg() {
  try {
    execFileSync('dpkg-deb', ['--version'], { stdio: 'ignore' });
    return true;
  } catch (error) {
    if (error.code === 'ENOENT') return false;
    throw error;
  }
}

function announce(path) {
  console.log(`${path}: ${(statSync(path).size / 2 ** 20).toFixed(1)} MiB`);
}
