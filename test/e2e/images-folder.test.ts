/** `vmctl serve --images DIR`: disk images on a separate file system, with backups and checks. */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Home, makeHome } from '../support/command.ts';
import { password, vmctl } from '../support/server.ts';
import { fastFolder } from '../support/temporary.ts';

let home: Home;
let folder: string;
/** On a file system in memory, if available, which differs from that of the data. */
let images: string;
const at = (name: string) => join(folder, name);

beforeAll(() => {
  home = makeHome();
  folder = mkdtempSync(join(tmpdir(), 'vmctl-images-'));
  images = join(mkdtempSync(join(fastFolder, 'vmctl-images-')), 'images');
  writeFileSync(at('known.raw'), randomBytes(1_000_000));
});
afterAll(() => {
  home.remove();
  rmSync(folder, { recursive: true, force: true });
  rmSync(join(images, '..'), { recursive: true, force: true });
});

function serving(words: readonly string[], script: string) {
  const begin = `vmctl() { "${process.execPath}" "${vmctl}" "$@"; }; cd "${folder}"; set -e`;
  const run = ['--speed', '0', '--inventory', 'small', '--', 'bash', '-c', `${begin}\n${script}`];
  return home.run(['serve', ...words, ...run], { VMCTL_SERVE_PASSWORD: password });
}

it('stores the disks there, and includes them in backups of a server and of a folder', async () => {
  const words = ['--data', at('site'), '--images', images];
  const used = await serving(
    words,
    'vmctl disks upload known.raw --name known --storagedomain data1 -q; vmctl serve --backup running',
  );
  expect(used.code, used.stderr).toBe(0);
  expect(existsSync(at('site/images'))).toBe(false);
  expect(readdirSync(images).filter((name) => name.startsWith('backup'))).toEqual([]);
  const still = await home.run(['serve', '--backup', at('still'), ...words]);
  expect(still.code, still.stderr).toBe(0);
  const checked = await home.run(['serve', '--check', ...words]);
  expect(checked.stdout).toMatch(/1 images, no problems found/);
  for (const name of ['running', 'still']) {
    const data = ['--data', at(`${name}.again`)];
    expect((await home.run(['serve', '--restore', at(name), ...data])).code).toBe(0);
    expect((await serving(data, 'vmctl disks verify known known.raw')).code, name).toBe(0);
  }
}, 120_000);

it('is moved aside for an empty site', async () => {
  const begun = await serving(
    ['--data', at('site'), '--images', images, '--new-site'],
    'vmctl disks list',
  );
  expect(begun.code, begun.stderr).toBe(0);
  expect(begun.stdout).not.toContain('known');
  const aside = readdirSync(join(images, '..')).filter((name) => name.includes('before-new-site'));
  expect(aside).toHaveLength(1);
}, 60_000);

it.each([
  [['--restore', 'x', '--images', 'y'], /remove --images/],
  [['--check', '--store', 'postgres:'], /works on a folder.*\n.*use --data DIR/],
  [['--restore', 'x', '--store', 'postgres:'], /works on a folder/],
  [['--backup', 'x', '--store', 'postgres:'], /remove --store to use the server of the context/],
  [['--copy-store', 'sqlite:no-such', 'sqlite:other'], /no-such has no site/],
])('refuses %j', async (words, message) => {
  const { code, stderr } = await home.run(['serve', ...words]);
  expect(code).toBe(2);
  expect(stderr).toMatch(message);
  expect(existsSync('no-such')).toBe(false);
});
