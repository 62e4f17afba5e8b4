/** Lazy loading: a plain list loads no unnecessary code, as the code cache shows. */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type Home, makeHome } from '../support/command.ts';
import { type ServerProcess, startServerProcess } from '../support/server.ts';

let server: ServerProcess;
let home: Home;
let code: string;

beforeAll(async () => {
  server = await startServerProcess();
  home = makeHome(server);
  code = join(home.folder, 'cache/vmctl/code');
  expect((await home.run(['whoami'])).code).toBe(0);
});

afterAll(async () => {
  home.remove();
  await server.stop();
});

beforeEach(() => rmSync(code, { recursive: true, force: true }));

/** Bundle files that a command loads. */
async function loadedBy(...words: string[]): Promise<readonly string[]> {
  const { code: exit } = await home.run(words);
  expect(exit).toBe(0);
  const files = readdirSync(code, { recursive: true, encoding: 'utf8' });
  return files
    .filter((name) => name.endsWith('.cjs'))
    .map((name) => name.replace(/^.*\//, '').replace(/(-[\w-]{8})?\.cjs$/, ''));
}

it('a list loads only the code of all commands and nouns, and the HTTP client', async () => {
  const loaded = await loadedBy('vms', 'list');
  expect(loaded.toSorted()).toEqual(['agent', 'main', 'program', 'rolldown-runtime', 'start']);
});

it('only changes load the history', async () => {
  expect(await loadedBy('vms', 'update', 'vm-01', '--comment', 'new')).toContain(
    'history-recorder',
  );
  rmSync(code, { recursive: true, force: true });
  const unchanged = await loadedBy('vms', 'update', 'vm-01', '--comment', 'new');
  expect(unchanged).not.toContain('history-recorder');
});

it('the root help page loads no noun', async () => {
  expect((await loadedBy('--help')).toSorted()).toEqual(['main', 'start']);
});

it.each([
  ['a noun', ['v']],
  ['a flag', ['vms', 'create', '--']],
  ['a name', ['vms', 'get', '']],
])('completion of %s loads no noun', async (_name, words) => {
  const loaded = await loadedBy('__complete', ...words);
  expect(loaded).toContain('complete');
  expect(loaded).not.toContain('program');
});

it.each([
  ['query', ['--query', '[].name']],
  ['list-xml', ['-o', 'xml']],
  ['timing', ['--timing']],
  ['dry-run', ['--curl']],
  ['debug-log', ['--debug']],
  ['utc', ['--utc']],
  ['paging', ['--page-size', '10']],
])('%s is loaded on demand', async (name, words) => {
  expect(await loadedBy('vms', 'list', ...words)).toContain(name);
});
