/** The check of the language: flags a bad sentence with its position, and passes plain ones. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'vmctl-prose-'));

afterAll(() => rmSync(folder, { recursive: true }));

function lint(name: string, text: string) {
  writeFileSync(join(folder, name), text);
  const file = relative(root, join(folder, name));
  return spawnSync(process.execPath, ['scripts/lint-prose.js', file], {
    cwd: root,
    encoding: 'utf8',
  });
}

it.each([
  ['page.md', '# Page\n\nWhat takes time is waited for.\n', ':3: '],
  ['page.md', 'It is told where the disk goes.\n', ':1: '],
  ['text.ts', "export const a = 1;\nfail('nobody is signed in here');\n", ':2: '],
  ['text.ts', 'export const a = `the disk is there already, and goes on`;\n', ':1: '],
])('flags a sentence in %s: %j', (name, text, position) => {
  const { status, stderr } = lint(name, text);
  expect([status, stderr]).toEqual([1, expect.stringContaining(`${name}${position}`)]);
});

it.each([
  ['page.md', '# Page\n\nCommands wait for the operation to finish.\n'],
  ['page.md', 'Run this:\n\n```sh\nwhat is told by nobody\n```\n'],
  ['text.ts', "// What nobody is told.\nfail('not signed in to this service');\n"],
])('accepts plain sentences, code and comments in %s: %j', (name, text) => {
  const { status, stderr } = lint(name, text);
  expect([status, stderr]).toEqual([0, '']);
});
