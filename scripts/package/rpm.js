// RPM package for Enterprise Linux and Fedora, with a system user for the server.
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { layouts, writeSystemTree } from './system-tree.js';

const template = fileURLToPath(new URL('rpm/vmctl.spec', import.meta.url));

/** Name of the package file, as rpmbuild chooses it. */
export function rpmName(version) {
  return `vmctl-${version}-1.x86_64.rpm`;
}

/**
 * Writes the package.
 * @param output path of the package
 * @param executable path and identity of the executable, and path of the license of Node
 * @param root folder of the project, with manual pages
 * @param files names of the program's files, relative to `root`
 */
export function writeRpmPackage(output, executable, root, files) {
  const work = mkdtempSync(join(tmpdir(), 'vmctl-rpm-'));
  const mask = process.umask(0o022);
  chmodSync(work, 0o755);
  try {
    const tree = join(work, 'tree');
    writeSystemTree(tree, layouts.redHat, executable, root, files);
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const spec = join(work, 'vmctl.spec');
    writeFileSync(spec, readFileSync(template, 'utf8').replaceAll('@VERSION@', version));
    const defined = { _topdir: join(work, 'build'), vmctl_tree: tree };
    const words = Object.entries(defined).flatMap(([name, value]) => ['-D', `${name} ${value}`]);
    execFileSync('rpmbuild', ['-bb', '--quiet', '--target', 'x86_64-linux', ...words, spec], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, SOURCE_DATE_EPOCH: '0' },
    });
    copyFileSync(join(work, 'build/RPMS/x86_64', rpmName(version)), output);
  } finally {
    process.umask(mask);
    rmSync(work, { recursive: true, force: true });
  }
}
