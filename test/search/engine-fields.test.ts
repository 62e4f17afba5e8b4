/**
 * Search fields and relations of engines (`test/data/engine/search-fields.tsv`): each parses, and
 * no other relation does.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { searchFields } from '../../src/model/derive/search.ts';
import { listOperations } from '../../src/model/index.ts';
import { parseSearch, SearchError } from '../../src/search/index.ts';

interface Row {
  readonly collection: string;
  readonly field: string;
  readonly kind: string;
  readonly relations: readonly string[];
}

const file = new URL('../data/engine/search-fields.tsv', import.meta.url);
const rows: readonly Row[] = readFileSync(file, 'utf8')
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => {
    const [collection = '', field = '', kind = '', relations = ''] = line.split('\t');
    return { collection, field, kind, relations: relations.split(' ').filter((one) => one !== '') };
  });

const collections = [...new Set(rows.map(({ collection }) => collection))];

/** Value for each kind that requires one. Other kinds take any text. */
const values: Readonly<Record<string, string>> = {
  boolean: 'true',
  date: 'today',
  decimal: '1.5',
  number: '1',
  'time span': '1.02:03:04',
};

function getType(collection: string): string {
  const path =
    collection === 'glustervolumes' ? '/clusters/{cluster}/glustervolumes' : `/${collection}`;
  const list = listOperations(path).find(({ name }) => name === 'list');
  if (!list) throw new Error(`${path} is no list`);
  return list.type;
}

const relations = ['=', '!=', '<', '>', '<=', '>='];

function isRefused(collection: string, text: string): boolean {
  try {
    parseSearch(text, getType(collection));
    return false;
  } catch (error) {
    if (error instanceof SearchError) return true;
    throw error;
  }
}

describe.each(collections)('%s', (collection) => {
  const own = rows.filter((row) => row.collection === collection);

  it('has the fields of engines', () => {
    const known = Object.keys(searchFields[getType(collection)] ?? {});
    const fields = own.map(({ field }) => field).filter((field) => !field.includes('.'));
    expect(fields.filter((field) => !known.includes(field))).toEqual([]);
  });

  it('accepts the relations of engines', () => {
    const refused = own.flatMap(({ field, kind, relations: taken }) => {
      const value = values[kind];
      // Enum values differ by field; `search-fields.test.ts` covers them.
      if (value === undefined && !/text|tag/.test(kind)) return [];
      return taken
        .map((relation) => `${field} ${relation} ${value ?? 'x'}`)
        .filter((text) => isRefused(collection, text));
    });
    expect(refused).toEqual([]);
  });

  it('refuses other relations', () => {
    const accepted = own.flatMap(({ field, kind, relations: taken }) =>
      relations
        .filter((relation) => !taken.includes(relation))
        .map((relation) => `${field} ${relation} ${values[kind] ?? 'x'}`)
        .filter((text) => !isRefused(collection, text)),
    );
    expect(accepted).toEqual([]);
  });
});
