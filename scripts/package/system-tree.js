// Files of an installed system package, in a folder: the executable, its program, manual pages,
// completions, documents, and a systemd unit.
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { filesBelow } from './program-files.js';
import places from './system-places.cjs';

const ours = fileURLToPath(new URL('debian/', import.meta.url));

/** Paths that differ between distributions. */
export const layouts = {
  debian: {
    bash: 'usr/share/bash-completion/completions/vmctl',
    zsh: 'usr/share/zsh/vendor-completions/_vmctl',
    fish: 'usr/share/fish/vendor_completions.d/vmctl.fish',
    license: 'usr/share/doc/vmctl/copyright',
    options: 'etc/default/vmctl-serve',
  },
  redHat: {
    bash: 'usr/share/bash-completion/completions/vmctl',
    zsh: 'usr/share/zsh/site-functions/_vmctl',
    fish: 'usr/share/fish/vendor_completions.d/vmctl.fish',
    license: 'usr/share/licenses/vmctl/LICENSE',
    options: 'etc/sysconfig/vmctl-serve',
  },
};

/**
 * Writes the files of the package below `tree`.
 * @param layout member of `layouts`
 * @param executable path and identity of the executable, and path of the license of Node
 * @param root folder of the project, with manual pages
 * @param files names of the program's files, relative to `root`
 */
export function writeSystemTree(tree, layout, executable, root, files) {
  const put = (source, name, mode = 0o644) => writeIn(tree, name, readFileSync(source), mode);
  const putZipped = (source, name) =>
    writeIn(tree, `${name}.gz`, gzipSync(readFileSync(source), { level: 9 }));

  put(executable.path, places.executable, 0o755);
  for (const name of files) put(join(root, name), join(places.program, name));
  put(executable.license, join(places.program, 'LICENSE.node'));
  writeIn(tree, join(places.program, 'identity'), executable.identity);

  for (const name of filesBelow(root, 'man')) {
    if (name.endsWith('.1')) putZipped(join(root, name), `usr/share/man/man1/${basename(name)}`);
  }
  put(join(root, 'completions/vmctl.bash'), layout.bash);
  put(join(root, 'completions/_vmctl'), layout.zsh);
  put(join(root, 'completions/vmctl.fish'), layout.fish);
  for (const name of filesBelow(root, 'docs')) {
    if (/^docs\/[^/]+\.md$/.test(name))
      put(join(root, name), `usr/share/doc/vmctl/${basename(name)}`);
  }
  putZipped(join(root, 'CHANGELOG.md'), 'usr/share/doc/vmctl/CHANGELOG.md');
  writeIn(tree, layout.license, formatLicenses(root, executable.license));

  const unit = readFileSync(join(ours, 'vmctl-serve.service'), 'utf8');
  writeIn(
    tree,
    'usr/lib/systemd/system/vmctl-serve.service',
    unit.replace('/etc/default/vmctl-serve', `/${layout.options}`),
  );
  put(join(ours, 'vmctl-serve.default'), layout.options);
}

/** Licenses of vmctl, of the packages that it contains, and of Node. */
export function formatLicenses(root, nodeLicense) {
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

/** Writes a file below `tree`, with its folders. */
export function writeIn(tree, name, content, mode = 0o644) {
  const path = join(tree, name);
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
  writeFileSync(path, content);
  chmodSync(path, mode);
}
