// Files of vmctl outside of npm: the build, and native packages for Linux or Windows x64.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Packages with native code, which cannot be bundled. libsql is only for Node 20, and koffi calls
 * functions that Windows lacks.
 */
const nativePackages = {
  linux: ['keytar', 'koffi', '@koromix/koffi-linux-x64'],
  win32: ['keytar'],
};

/** Files of the build that only tests use. */
const isForTests = (name) => /^dist\/testkit\./.test(name);
const isForDebugging = (name) => name.endsWith('.map');

/** Files of a native package for run time, without sources and other platforms. */
const isRun = (name, platform) =>
  (/(\.(c?js|json)|\/LICENSE[^/]*)$/.test(name) ||
    new RegExp(`${platform}[-_]x64/[^/]+\\.node$`).test(name)) &&
  !/\/(vendor|doc|script|cnoke\.cjs)\b/.test(name);

/**
 * Names of the files in alphabetical order, relative to `root` (the built project folder with
 * installed packages). Throws if a native package is not installed.
 */
export function programFiles(root, platform = 'linux') {
  const native = nativePackages[platform].flatMap((name) => {
    const found = filesBelow(root, `node_modules/${name}`).filter((file) => isRun(file, platform));
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

/**
 * Regular files below a folder of `root`, relative to `root`. Empty if the folder does not exist.
 */
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
