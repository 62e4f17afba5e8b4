/** Contents of the package: it installs no bundled package again, and includes their licenses. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import manifest from '../package.json' with { type: 'json' };
import { addComponent } from '../scripts/bundle/bill-of-materials.js';
import { BundledPackages } from '../scripts/bundle/notices.js';
import {
  formatHomebrewFormula,
  formatScoopManifest,
  formatWingetManifests,
} from '../scripts/package/manifests.js';
import { programFiles } from '../scripts/package/program-files.js';
import { removeSignature } from '../scripts/package/windows-signature.js';
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

  it('for Windows contains no native code of other systems', () => {
    const native = programFiles(projectRoot, 'win32').filter((name) => name.endsWith('.node'));
    expect(native).toEqual(['node_modules/keytar/prebuilds/win32-x64/keytar.node']);
  });
});

/** Header of an executable for Windows x64 with these certificates at its end. */
function createWindowsProgram(certificates: Buffer): Buffer {
  const bytes = Buffer.alloc(512);
  bytes.write('MZ');
  bytes.writeUInt32LE(128, 0x3c);
  bytes.write('PE\0\0', 128, 'latin1');
  bytes.writeUInt16LE(0x20b, 152);
  if (certificates.length > 0) bytes.writeUInt32LE(bytes.length, 296);
  bytes.writeUInt32LE(certificates.length, 300);
  return Buffer.concat([bytes, certificates]);
}

describe('the signature of an executable for Windows', () => {
  const unsigned = createWindowsProgram(Buffer.alloc(0));

  it('is removed with its entry in the header', () => {
    expect(removeSignature(createWindowsProgram(Buffer.from('a signature')))).toEqual(unsigned);
  });

  it('may be absent', () => {
    expect(removeSignature(unsigned)).toEqual(unsigned);
  });

  it('is not removed from other positions than the end', () => {
    const longer = Buffer.concat([
      createWindowsProgram(Buffer.from('a signature')),
      Buffer.alloc(8),
    ]);
    expect(() => removeSignature(longer)).toThrow('the signature is not at the end');
  });

  it.each([
    ['an executable of Linux', Buffer.from('\x7fELF'.padEnd(512, '\0'), 'latin1')],
    ['an empty file', Buffer.alloc(0)],
  ])('is not removed from %s', (_, bytes) => {
    expect(() => removeSignature(bytes)).toThrow('not an executable for Windows x64');
  });
});

describe('the manifests of package managers', () => {
  const release = {
    version: '1.2.3',
    license: 'Apache-2.0',
    description: 'A tool',
    url: 'https://downloads.example.com/1.2.3/vmctl-1.2.3.tgz',
    sha256: '0'.repeat(64),
  };

  it('name the archive and its checksum for Homebrew', () => {
    const formula = formatHomebrewFormula(release);
    expect(formula).toContain(`  url "${release.url}"\n`);
    expect(formula).toContain(`  sha256 "${release.sha256}"\n`);
    expect(formula).toContain('  homepage "https://downloads.example.com/1.2.3/"\n');
  });

  const windows = {
    ...release,
    url: 'https://downloads.example.com/1.2.3/vmctl-1.2.3-win-x64.exe',
    sha256: 'ab'.repeat(32),
  };

  it('name the executable and its checksum for Scoop', () => {
    expect(JSON.parse(formatScoopManifest(windows))).toMatchObject({
      version: '1.2.3',
      architecture: { '64bit': { url: `${windows.url}#/vmctl.exe`, hash: windows.sha256 } },
      bin: 'vmctl.exe',
    });
  });

  /** Required members of manifests for winget, version 1.6, and the types of their values. */
  const common = {
    PackageIdentifier: expect.stringMatching(/^[^.\s]{1,32}(\.[^.\s]{1,32}){1,7}$/),
    PackageVersion: '1.2.3',
    ManifestVersion: '1.6.0',
  };
  it.each([
    ['vmctl.vmctl.yaml', { ManifestType: 'version', DefaultLocale: 'en-US' }],
    [
      'vmctl.vmctl.locale.en-US.yaml',
      {
        ManifestType: 'defaultLocale',
        PackageLocale: 'en-US',
        Publisher: 'vmctl',
        PackageName: 'vmctl',
        PackageUrl: 'https://downloads.example.com/1.2.3/',
        License: 'Apache-2.0',
        ShortDescription: 'A tool',
      },
    ],
    [
      'vmctl.vmctl.installer.yaml',
      {
        ManifestType: 'installer',
        InstallerType: 'portable',
        Commands: ['vmctl'],
        Installers: [
          {
            Architecture: 'x64',
            InstallerUrl: windows.url,
            InstallerSha256: expect.stringMatching(/^(AB){32}$/),
          },
        ],
      },
    ],
  ])('have the members that winget requires: %s', (name, members) => {
    expect(parse(formatWingetManifests(windows)[name] ?? '')).toEqual({ ...common, ...members });
  });

  it('have versions that YAML does not read as numbers', () => {
    const manifests = formatWingetManifests({ ...windows, version: '1.0' });
    expect(parse(manifests['vmctl.vmctl.yaml'] ?? '')).toMatchObject({ PackageVersion: '1.0' });
  });
});

describe('the bill of materials', () => {
  const bill = readFileSync(join(dist, 'vmctl.cdx.json'), 'utf8');
  const { metadata, components } = JSON.parse(bill) as {
    metadata: { component: { version: string } };
    components: { name: string; version: string; purl: string }[];
  };

  it('lists the packages of the notices, and those with native code', () => {
    const notices = readFileSync(join(dist, 'THIRD-PARTY-NOTICES.txt'), 'utf8');
    const listed = components.map(({ name, version }) => `${name} ${version}`);
    const noticed = [...notices.matchAll(/^={78}\n(\S+ \S+) \(/gm)].map(([, title]) => title);
    expect(noticed.filter((title) => !listed.includes(title ?? ''))).toEqual([]);
    expect(components.map(({ name }) => name)).toContain('@github/keytar');
    expect(metadata.component.version).toBe(manifest.version);
  });

  it('lists each package once', () => {
    const names = components.map(({ purl }) => purl);
    expect(new Set(names).size).toBe(names.length);
  });

  it('accepts components outside of npm', () => {
    const added = addComponent(bill, { name: 'node', version: '1.0.0', license: 'MIT' });
    expect(JSON.parse(added).components.at(-1)).toMatchObject({
      purl: 'pkg:generic/node@1.0.0',
      licenses: [{ license: { id: 'MIT' } }],
    });
  });
});
