/** Manual pages and the reference of commands, as the commands make them. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nouns } from '../../../src/cli/args/catalog.ts';
import { vmctl } from '../support/run.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'vmctl-reference-'));
  expect((await vmctl(['__reference', folder])).code).toBe(0);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('docs/commands', () => {
  it('is up to date: npm run reference writes it anew', () => {
    const made = readdirSync(join(folder, 'docs/commands'));
    expect(readdirSync(join(root, 'docs/commands')).sort()).toEqual([...made].sort());
    expect(made).toHaveLength(nouns.length + 1);
    for (const name of made) {
      const text = readFileSync(join(folder, 'docs/commands', name), 'utf8');
      expect(readFileSync(join(root, 'docs/commands', name), 'utf8'), name).toBe(text);
    }
  });
});

it('there is a manual page for every noun', () => {
  const pages = readdirSync(join(folder, 'man'));
  expect(pages.sort()).toEqual(['vmctl.1', ...nouns.map(({ name }) => `vmctl-${name}.1`)].sort());
});

it('pages of one directory are written alone, and those of commands that are gone go', async () => {
  const place = mkdtempSync(join(tmpdir(), 'vmctl-man-'));
  try {
    mkdirSync(join(place, 'man'));
    for (const name of ['vmctl-gone.1', 'README.md']) writeFileSync(join(place, 'man', name), '');
    expect((await vmctl(['__reference', place, 'man'])).code).toBe(0);
    expect(readdirSync(place)).toEqual(['man']);
    const names = readdirSync(join(place, 'man'));
    expect(names).toContain('README.md');
    expect(names).not.toContain('vmctl-gone.1');
  } finally {
    rmSync(place, { recursive: true });
  }
});

const formatter = spawnSync('groff', ['--version']).status === 0;

it.skipIf(!formatter)('manual pages have no mistakes that the formatter knows', () => {
  for (const name of ['vmctl.1', 'vmctl-vms.1', 'vmctl-disks.1', 'vmctl-api.1']) {
    const file = join(folder, 'man', name);
    const { stdout, stderr } = spawnSync('groff', ['-man', '-Tutf8', '-ww', file], {
      encoding: 'utf8',
    });
    expect(stderr, name).toBe('');
    expect(stdout.split('\n').length, name).toBeGreaterThan(20);
  }
});
