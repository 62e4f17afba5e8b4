/** Manual pages and the reference of commands. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nouns } from '../../../src/cli/args/catalog.ts';
import { vmctl } from '../support/run.ts';

let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'vmctl-reference-'));
  expect((await vmctl(['__reference', folder])).code).toBe(0);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('docs/commands', () => {
  it('has a page for every noun, and a list of them', () => {
    const pages = nouns.map(({ name }) => `${name}.md`);
    const made = readdirSync(join(folder, 'docs/commands'));
    expect(made.sort()).toEqual(['README.md', ...pages].sort());
    const list = readFileSync(join(folder, 'docs/commands/README.md'), 'utf8');
    for (const page of pages) expect(list).toContain(`](${page})`);
  });
});

it('there is a manual page for every noun', () => {
  const pages = readdirSync(join(folder, 'man'));
  expect(pages.sort()).toEqual(['vmctl.1', ...nouns.map(({ name }) => `vmctl-${name}.1`)].sort());
});

it('writes the pages of one directory alone, and removes those of deleted commands', async () => {
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
