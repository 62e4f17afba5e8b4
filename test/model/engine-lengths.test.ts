/**
 * Lengths of texts that engines allow (`test/data/engine/lengths.tsv`): the model declares the
 * same.
 */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { naming } from '../../src/model/derive/naming.ts';
import { listAttributes, parseKind } from '../../src/model/index.ts';
import type { Attribute } from '../../src/model/notation/attributes.ts';

const file = new URL('../data/engine/lengths.tsv', import.meta.url);
const rows = readFileSync(file, 'utf8')
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => line.split('\t') as [string, string, string, string]);

/** The attribute at the end of a dotted path. */
function attributeAt(type: string, path: string): Attribute | undefined {
  const [name = '', ...rest] = path.split('.');
  const attribute = (listAttributes(type) as Readonly<Record<string, Attribute>>)[name];
  if (rest.length === 0 || !attribute) return attribute;
  return attributeAt(parseKind(attribute.kind ?? 'string').of, rest.join('.'));
}

/** Names that engines limit to fewer characters by a setting. */
const limitedBySettings: Readonly<Record<string, number>> = { vm: 64, storage_domain: 50 };

it.each(rows)('%s.%s has %s to %s characters', (type, path, _, max) => {
  const declared = path === 'name' ? naming[type]?.max : undefined;
  const limit = path === 'name' ? limitedBySettings[type] : undefined;
  expect(declared ?? attributeAt(type, path)?.length?.[1]).toBe(limit ?? Number(max));
});
