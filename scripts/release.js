// Creates all files of a release: packages, npm package, and manifests for Homebrew,
// Scoop and winget.
//
//   npm run release -- --url https://downloads.example.com/vmctl/0.2.0 [--out FOLDER]
//
// `--url` is the folder from which users download the files.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { computeSha256, writeChecksums } from './package/checksums.js';
import {
  formatHomebrewFormula,
  formatScoopManifest,
  formatWingetManifests,
} from './package/manifests.js';
import { prepare, root } from './prepare.js';

const { values } = parseArgs({
  options: {
    url: { type: 'string' },
    out: { type: 'string', default: join(root, 'build/release') },
  },
});
if (!/^https:\/\/[^\s"]+$/.test(values.url ?? '')) {
  console.error('usage: npm run release -- --url https://HOST/FOLDER [--out FOLDER]');
  process.exit(2);
}
const out = resolve(values.out);
mkdirSync(out, { recursive: true });
await prepare();

const script = (name, ...words) =>
  execFileSync(process.execPath, [join(root, 'scripts', name), ...words], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
script('package.js', '--out', out);
execFileSync('npm', ['pack', '--silent', '--pack-destination', out], {
  cwd: root,
  stdio: ['ignore', 'ignore', 'inherit'],
});

const { name, version, description, license } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
);
const describe = (file) => ({
  version,
  license,
  description: description.split(',')[0],
  url: `${values.url.replace(/\/+$/, '')}/${file}`,
  sha256: computeSha256(join(out, file)),
});
const windows = describe(`${name}-${version}-win-x64.exe`);
const manifests = {
  'vmctl.rb': formatHomebrewFormula(describe(`${name}-${version}.tgz`)),
  'vmctl.scoop.json': formatScoopManifest(windows),
  ...formatWingetManifests(windows),
};
for (const [file, text] of Object.entries(manifests)) writeFileSync(join(out, file), text);
const files = readdirSync(out).filter((file) => file.startsWith('vmctl'));
console.log(`${join(out, writeChecksums(out, files))}: ${files.length} files`);
