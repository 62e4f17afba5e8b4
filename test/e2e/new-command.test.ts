/** A new command is one new file: the build finds it, and help, completion and manuals have it. */
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const copy = mkdtempSync(join(tmpdir(), 'vmctl-copy-'));

const source = `/** \`vmctl greet\`: says hello. */
import { command, noun } from '../args/command.ts';
import { argument, flag } from '../args/parameters.ts';
import { write } from '../session/io.ts';

export default noun({
  name: 'greet',
  doc: 'Say hello',
  commands: [
    command({
      arguments: [argument('<name>', 'to whom')],
      flags: [flag('--words <text>', 'what to say', { default: 'Hello' })],
      examples: ['vmctl greet world'],
      offline: true,
      run: (cli, [name], { words }) => write(cli.io.stdout, \`\${words}, \${name}.\\n\`),
    }),
  ],
});
`;

const node = (...args: readonly string[]) =>
  execFileSync(process.execPath, args, {
    cwd: copy,
    encoding: 'utf8',
    env: { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' },
  });
const vmctl = (...args: readonly string[]) => node('bin/vmctl.js', ...args);

beforeAll(() => {
  for (const name of ['bin', 'scripts', 'src', 'package.json']) {
    cpSync(join(root, name), join(copy, name), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  writeFileSync(join(copy, 'src/cli/commands/greet.ts'), source);
  node('scripts/build.js');
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

it('runs with its arguments and flags', () => {
  expect(vmctl('greet', 'world')).toBe('Hello, world.\n');
  expect(vmctl('greet', 'world', '--words', 'Good day')).toBe('Good day, world.\n');
});

it('is in the root page, and has a page of its own', () => {
  expect(vmctl('--help')).toMatch(/^ {2}greet +Say hello$/m);
  expect(vmctl('greet', '--help')).toContain('Usage: vmctl greet <name> [flags]');
});

it('is completed', () => {
  expect(vmctl('__complete', 'gr')).toContain('greet\tSay hello\n');
  expect(vmctl('__complete', 'greet', '--w')).toContain('--words\twhat to say\n');
});

it('is in the list of commands, the manual and the reference', () => {
  const [only] = (JSON.parse(vmctl('commands', 'greet', '-o', 'json')) as { nouns: object[] })
    .nouns;
  expect(only).toMatchObject({ name: 'greet', commands: [{ name: 'greet', offline: true }] });
  vmctl('__reference', '.');
  expect(existsSync(join(copy, 'man/vmctl-greet.1'))).toBe(true);
  expect(readFileSync(join(copy, 'docs/commands/greet.md'), 'utf8')).toContain('vmctl greet world');
});
