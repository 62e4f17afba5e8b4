// Debian package: the executable, its program, manual pages, completions, and a systemd unit with a
// system user.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { filesBelow } from './program-files.js';
import places from './system-places.cjs';

const ours = fileURLToPath(new URL('debian/', import.meta.url));

const completions = {
  'vmctl.bash': 'usr/share/bash-completion/completions/vmctl',
  _vmctl: 'usr/share/zsh/vendor-completions/_vmctl',
  'vmctl.fish': 'usr/share/fish/vendor_completions.d/vmctl.fish',
};

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
    const put = (source, name, mode = 0o644) => write(tree, name, readFileSync(source), mode);
    const putZipped = (source, name) => write(tree, `${name}.gz`, zipped(source), 0o644);

    put(executable.path, places.executable, 0o755);
    for (const name of files) put(join(root, name), join(places.program, name));
    put(executable.license, join(places.program, 'LICENSE.node'));
    write(tree, join(places.program, 'identity'), executable.identity, 0o644);

    for (const name of filesBelow(root, 'man')) {
      if (name.endsWith('.1')) putZipped(join(root, name), `usr/share/man/man1/${basename(name)}`);
    }
    for (const [name, place] of Object.entries(completions)) {
      put(join(root, 'completions', name), place);
    }
    for (const name of filesBelow(root, 'docs')) {
      if (/^docs\/[^/]+\.md$/.test(name))
        put(join(root, name), `usr/share/doc/vmctl/${basename(name)}`);
    }
    putZipped(join(root, 'CHANGELOG.md'), 'usr/share/doc/vmctl/CHANGELOG.md');
    write(tree, 'usr/share/doc/vmctl/copyright', copyright(root, executable.license), 0o644);

    put(join(ours, 'vmctl-serve.service'), 'usr/lib/systemd/system/vmctl-serve.service');
    put(join(ours, 'vmctl-serve.default'), 'etc/default/vmctl-serve');
    write(tree, 'DEBIAN/conffiles', '/etc/default/vmctl-serve\n', 0o644);
    for (const script of ['postinst', 'prerm', 'postrm']) {
      put(join(ours, script), `DEBIAN/${script}`, 0o755);
    }
    write(tree, 'DEBIAN/control', control(root, sizeOf(tree)), 0o644);
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
 vmctl administers data centers, hosts, storage, networks and machines of
 such services from a terminal or a script, and moves disk images.
 vmctl serve is a reference server with real rules and real disk bytes, to
 try automation on.
`;
}

function copyright(root, nodeLicense) {
  const parts = [
    ['vmctl', join(root, 'LICENSE')],
    ['Packages that vmctl contains', join(root, 'dist/THIRD-PARTY-NOTICES.txt')],
    ['Node.js', nodeLicense],
  ];
  return parts
    .map(
      ([title, path]) => `${title}\n${'-'.repeat(title.length)}\n\n${readFileSync(path, 'utf8')}`,
    )
    .join('\n\n');
}

function write(tree, name, content, mode) {
  const path = join(tree, name);
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
  writeFileSync(path, content);
  chmodSync(path, mode);
}

function zipped(path) {
  return gzipSync(readFileSync(path), { level: 9 });
}

/** KiB of all files below a folder. */
function sizeOf(tree) {
  const sizes = filesBelow(tree, '.').map((name) =>
    Math.ceil(statSync(join(tree, name)).size / 1024),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
