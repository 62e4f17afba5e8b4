// Creates packages for systems without Node: executables for Linux and Windows x64, packages for Debian
// and Enterprise Linux, and a container image. With SHA256SUMS and a bill of materials.
// `npm run package -- --out FOLDER` writes them to another folder.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { addComponent } from './bundle/bill-of-materials.js';
import { writeChecksums } from './package/checksums.js';
import { writeDebianPackage } from './package/debian.js';
import { writeExecutable } from './package/executable.js';
import { nodeRuntime, version as nodeVersion } from './package/node-runtime.js';
import { writeOciImage } from './package/oci-image.js';
import { programFiles } from './package/program-files.js';
import { rpmName, writeRpmPackage } from './package/rpm.js';
import { prepare, root } from './prepare.js';

const { values } = parseArgs({
  options: { out: { type: 'string', default: join(root, 'build') } },
});
if (process.platform !== 'linux' || process.arch !== 'x64') {
  console.error('npm run package runs on Linux x64.');
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
const names = {
  executable: `vmctl-${version}-linux-x64`,
  windows: `vmctl-${version}-win-x64.exe`,
  bill: `vmctl-${version}.cdx.json`,
};
const path = join(out, names.executable);
const identity = await writeExecutable(path, runtime, root, files);
const executable = { path, identity, license: runtime.license };
await writeExecutable(
  join(out, names.windows),
  runtime,
  root,
  programFiles(root, 'win32'),
  nodeRuntime(join(root, 'build'), 'win-x64').node,
);
const node = { name: 'node', version: nodeVersion, license: 'MIT' };
const bill = readFileSync(join(root, 'dist/vmctl.cdx.json'), 'utf8');
writeFileSync(join(out, names.bill), addComponent(bill, node));

/** Packages with the programs that build them. */
const packages = [
  [`vmctl_${version}_amd64.deb`, ['dpkg-deb'], writeDebianPackage],
  [rpmName(version), ['rpmbuild'], writeRpmPackage],
  [`vmctl-${version}-linux-x64.oci.tar`, ['dpkg-deb', 'apt-get'], writeOciImage],
];
const written = [names.executable, names.windows, names.bill];
for (const [name, programs, write] of packages) {
  const missing = programs.filter((program) => !isInstalled(program));
  rmSync(join(out, name), { force: true });
  if (missing.length > 0) {
    console.error(`${missing.join(' and ')} not installed: skipping ${name}`);
    continue;
  }
  write(join(out, name), executable, root, files);
  written.push(name);
}
written.push(writeChecksums(out, written));
for (const name of written) {
  console.log(`${join(out, name)}: ${(statSync(join(out, name)).size / 2 ** 20).toFixed(1)} MiB`);
}

function isInstalled(program) {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch (error) {
    if (error.code === 'ENOENT') return false;
    throw error;
  }
}
