/** The catalogue of faults, its tests and its page say the same. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (name: string) => readFileSync(join(root, name), 'utf8');

const { parts, rows } = JSON.parse(read('test/data/reliability.json')) as {
  parts: readonly { letter: string; title: string }[];
  rows: readonly { id: string; what: string; bar: string; absent?: string; open?: string }[];
};
const ids = rows.map(({ id }) => id);

/** The rows that are named at the beginning of names of tests. */
const named = new Set(
  readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .flatMap((name) => [...read(join('test', name)).matchAll(/['"`]((?:[A-I]\d{0,2} )+)/g)])
    .flatMap(([, begin = '']) => begin.trim().split(' ')),
);

it('every row has a test that is named after it, or says why there is none', () => {
  const silent = rows.filter(({ id, absent }) => !named.has(id) && absent === undefined);
  expect(silent.map(({ id, what }) => `${id} ${what}`)).toEqual([]);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.filter((id) => !parts.some(({ letter }) => id.startsWith(letter)))).toEqual([]);
});

it('the page has every row as it is', () => {
  const page = read('docs/reliability.md');
  for (const { id, what, bar } of rows) {
    expect(page).toContain(`### ${id} ${what}\n`);
    expect(page).toContain(`- To reach: ${bar}\n`);
  }
  const runs = JSON.parse(read('test/data/reliability-runs.json')) as Record<
    string,
    { passed: number; failed: number; files: readonly string[] }
  >;
  // What is still open says so on the page.
  const settled = rows.filter(({ absent, open }) => absent === undefined && open === undefined);
  const missing = settled.filter(({ id }) => !runs[id]?.passed);
  expect(
    missing.map(({ id }) => id),
    'never run at full length',
  ).toEqual([]);
  expect(settled.filter(({ id }) => runs[id]?.failed !== 0).map(({ id }) => id)).toEqual([]);
  for (const { open } of rows)
    if (open !== undefined) expect(page).toContain(`- Still open: ${open}\n`);
  for (const { files } of Object.values(runs)) {
    for (const name of files) expect(() => read(name), name).not.toThrow();
  }
});
