/** Agreement of the fault catalogue, its tests and its page. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import {
  type Catalogue,
  type CatalogueRun,
  reliabilityPage,
} from '../../scripts/reliability-page.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (name: string) => readFileSync(join(root, name), 'utf8');

const catalogue = JSON.parse(read('test/data/reliability.json')) as Catalogue;
const { parts, rows } = catalogue;
const runs = JSON.parse(read('test/data/reliability-runs.json')) as Record<string, CatalogueRun>;
const ids = rows.map(({ id }) => id);

/** Rows named at the start of test titles. */
const named = new Set(
  readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .flatMap((name) => [...read(join('test', name)).matchAll(/['"`]((?:[A-I]\d{0,2} )+)/g)])
    .flatMap(([, begin = '']) => begin.trim().split(' ')),
);

it('every row has a test named after it, or the reason why it has none', () => {
  const silent = rows.filter(({ id, absent }) => !named.has(id) && absent === undefined);
  expect(silent.map(({ id, what }) => `${id} ${what}`)).toEqual([]);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.filter((id) => !parts.some(({ letter }) => id.startsWith(letter)))).toEqual([]);
});

it('docs/reliability.md lists the rows with their latest results', () => {
  expect(read('docs/reliability.md')).toBe(reliabilityPage(catalogue, runs));
});

it('every row without an open problem has passed the full run', () => {
  const settled = rows.filter(({ absent, open }) => absent === undefined && open === undefined);
  expect(settled.filter(({ id }) => !runs[id]?.passed).map(({ id }) => id)).toEqual([]);
  expect(settled.filter(({ id }) => runs[id]?.failed !== 0).map(({ id }) => id)).toEqual([]);
  for (const { files } of Object.values(runs)) {
    for (const name of files) expect(() => read(name), name).not.toThrow();
  }
});
