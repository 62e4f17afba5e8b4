// Debian package, with a system user for the server.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { filesBelow } from './program-files.js';
import { layouts, writeIn, writeSystemTree } from './system-tree.js';

const ours = fileURLToPath(new URL('debian/', import.meta.url));

/**
 * Writes the package.
 * @param output path of the package
 * @param executable path and identity of the executable, and path of the license of Node
 * @param root folder of the project, with manual pages
 * @param files names of the program's files, relative to `root`
 */
export function writeDebianPackage(output, executable, root, files) {
  const tree = mkdtempSync(join(tmpdir(), 'vmctl-debian-'));
  // Make folders readable for all users, with any umask.
  const mask = process.umask(0o022);
  chmodSync(tree, 0o755);
  try {
    writeSystemTree(tree, layouts.debian, executable, root, files);
    writeIn(tree, 'DEBIAN/conffiles', `/${layouts.debian.options}\n`);
    for (const script of ['postinst', 'prerm', 'postrm']) {
      writeIn(tree, `DEBIAN/${script}`, readFileSync(join(ours, script)), 0o755);
    }
    writeIn(tree, 'DEBIAN/control', control(root, computeSize(tree)));
    execFileSync('dpkg-deb', ['--root-owner-group', '-Zxz', '-z1', '--build', tree, output], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  } finally {
    process.umask(mask);
    rmSync(tree, { recursive: true, force: true });
  }
}

function control(root, kibibytes) {
  const { version, description } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return `Package: vmctl
Version: ${version}
Architecture: amd64
Maintainer: The authors of vmctl <vmctl@example.com>
Installed-Size: ${kibibytes}
Depends: libc6 (>= 2.28), libgcc-s1, libstdc++6, passwd
Recommends: libsecret-1-0
Suggests: openssh-client, virt-viewer, qemu-utils
Section: admin
Priority: optional
Description: ${description.split(',')[0]}
 vmctl administers data centers, hosts, storage, networks and VMs of
 such services from a terminal or a script, and moves disk images.
 vmctl serve is a reference server with real rules and real disk contents, for
 tests of automation.
`;
}

/** KiB of all files below a folder. */
function computeSize(tree) {
  const sizes = filesBelow(tree, '.').map((name) =>
    Math.ceil(statSync(join(tree, name)).size / 1024),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
