/** The manual pages and the reference of commands are those that the commands make. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nouns } from '../../src/cli/args/catalog.ts';
import { vmctl } from './run.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'vmctl-reference-'));
  expect((await vmctl(['__reference', folder])).code).toBe(0);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each(['man', 'docs/commands'])('%s', (directory) => {
  it('has a page for every noun', () => {
    const names = readdirSync(join(root, directory)).map((name) => name.replace(/\.\w+$/, ''));
    const wanted = nouns.map(({ name }) => (directory === 'man' ? `vmctl-${name}` : name));
    expect(names.sort()).toEqual([...wanted, directory === 'man' ? 'vmctl' : 'README'].sort());
  });

  it('is up to date: npm run reference writes it anew', () => {
    for (const name of readdirSync(join(folder, directory))) {
      const made = readFileSync(join(folder, directory, name), 'utf8');
      expect(readFileSync(join(root, directory, name), 'utf8'), name).toBe(made);
    }
  });
});

const formatter = spawnSync('groff', ['--version']).status === 0;

it.skipIf(!formatter)('manual pages have no mistakes that the formatter knows', () => {
  for (const name of ['vmctl.1', 'vmctl-vms.1', 'vmctl-disks.1', 'vmctl-api.1']) {
    const file = join(root, 'man', name);
    const { stdout, stderr } = spawnSync('groff', ['-man', '-Tutf8', '-ww', file], {
      encoding: 'utf8',
    });
    expect(stderr, name).toBe('');
    expect(stdout.split('\n').length, name).toBeGreaterThan(20);
  }
});
