/** Contents of the package: it installs no bundled package again, and includes their licenses. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { BundledPackages } from '../scripts/bundle/notices.js';
import { programFiles } from '../scripts/package/program-files.js';
import { projectRoot } from './support/server.ts';

const dist = join(projectRoot, 'dist');
const bundled = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((name) =>
  /\.c?js$/.test(name),
);
/** Names of modules that built files load, except for files of the build. */
const loaded = new Set(
  bundled.flatMap((name) => {
    const text = readFileSync(join(dist, name), 'utf8');
    const calls = /(?:\brequire\(|\bimport\(|[}\w]from|\bimport)["'`]([a-z@][\w@/:.-]*)["'`]/g;
    return [...text.matchAll(calls)].map(([, id = '']) => id);
  }),
);

/** Newer versions of Node have additional modules with this prefix. */
const isOfNode = (id: string) => isBuiltin(id) || id.startsWith('node:');

describe('the package', () => {
  it('installs only packages with native code', () => {
    expect(manifest).not.toHaveProperty('dependencies');
    expect(Object.keys(manifest.optionalDependencies).sort()).toEqual([
      'keytar',
      'koffi',
      'libsql',
    ]);
  });

  it('loads only Node and these packages', () => {
    expect(loaded).toContain('node:https');
    // Other clients of PostgreSQL than the JavaScript one are not used.
    const elsewhere = ['pg-cloudflare', 'pg-native'];
    const known = [...Object.keys(manifest.optionalDependencies), ...elsewhere];
    expect([...loaded].filter((id) => !isOfNode(id) && !known.includes(id))).toEqual([]);
  });

  it('names the license of each bundled package', () => {
    const notices = readFileSync(join(dist, 'THIRD-PARTY-NOTICES.txt'), 'utf8');
    for (const name of ['commander', 'undici', 'cli-table3', 'chalk', 'fast-xml-parser', 'yaml']) {
      expect(notices).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\((MIT|ISC)\\)$`, 'm'));
    }
    expect(notices).not.toContain('vitest');
    expect(notices.match(/^={78}$/gm)?.length).toBeGreaterThan(30);
  });

  it.each([
    ['has no text of its licence', { license: 'Odd-1.0' }, 'odd (Odd-1.0) has no text'],
    [
      'names the licence alone',
      { license: 'MIT', author: 'A. Nonymous' },
      '(c) A. Nonymous\n\nPerm',
    ],
  ])('finds notices of a package that %s', (_, named, expected) => {
    const folder = mkdtempSync(join(tmpdir(), 'vmctl-notices-'));
    try {
      const odd = join(folder, 'node_modules/odd');
      mkdirSync(odd, { recursive: true });
      writeFileSync(
        join(odd, 'package.json'),
        JSON.stringify({ name: 'odd', version: '1.0.0', ...named }),
      );
      const packages = new BundledPackages();
      packages.plugin.generateBundle({}, { chunk: { moduleIds: [join(odd, 'index.js')] } });
      let said: string;
      try {
        said = packages.notices();
      } catch (error) {
        said = String(error);
      }
      expect(said).toContain(expected);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

/** Native packages for Linux are not installed on other systems. */
const isLinux = process.platform === 'linux' && process.arch === 'x64';

describe.runIf(isLinux)('the executable', () => {
  it('contains exactly the files of the command', () => {
    const files = programFiles(projectRoot);
    expect(files).toContain('bin/vmctl.js');
    expect(files).toContain('dist/images-worker.js');
    expect(files).toContain('dist/completion/flags.json');
    expect(files).toContain('node_modules/keytar/prebuilds/linux-x64/keytar.node');
    expect(
      files.filter((name) => /\.map$|testkit|musl|win32|darwin|vendor|cnoke/.test(name)),
    ).toEqual([]);
  });
});
