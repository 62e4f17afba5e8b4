// The files that vmctl runs from where no npm installs it: the build, and the native packages for Linux x64.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Packages with code of the machine, which no bundle can hold. libsql is for Node 20 alone. */
const nativePackages = ['keytar', 'koffi', '@koromix/koffi-linux-x64'];

/** What of the build is for those who write tests, not for the command. */
const isForTests = (name) => /^dist\/testkit\./.test(name);
const isForDebugging = (name) => name.endsWith('.map');

/** What of a native package is run; the rest is for building it, or for other machines. */
const isRun = (name) =>
  /(\.(c?js|json)|linux[-_]x64\/[^/]+\.node|\/LICENSE[^/]*)$/.test(name) &&
  !/\/(vendor|doc|script|cnoke\.cjs)\b/.test(name);

/**
 * Names of the files, relative to `root` (the folder of the project, built, with its packages installed),
 * in the order of the alphabet. Throws where one of the native packages is not installed.
 */
export function programFiles(root) {
  const native = nativePackages.flatMap((name) => {
    const found = filesBelow(root, `node_modules/${name}`).filter(isRun);
    if (found.length) return found;
    throw new Error(`${name} is not installed: npm ci installs it`);
  });
  return [
    'package.json',
    'LICENSE',
    ...filesBelow(root, 'bin'),
    ...filesBelow(root, 'dist').filter((name) => !isForTests(name) && !isForDebugging(name)),
    ...native,
  ].sort();
}

/** Regular files below a folder of `root`, relative to `root`; none where there is no such folder. */
export function filesBelow(root, folder) {
  let names;
  try {
    names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
  return names
    .map((name) => `${folder}/${name}`)
    .filter((name) => statSync(join(root, name)).isFile());
}
