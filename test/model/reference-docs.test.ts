/** Descriptions of references: one that names a type names the type of the reference. */
import { expect, it } from 'vitest';
import { types } from '../../src/model/derive/types.ts';
import { listAttributes, parseKind } from '../../src/model/index.ts';

/** Types whose names are also ordinary words. */
const ordinary = new Set(['action', 'file', 'ip', 'link', 'method', 'option', 'property', 'value']);

/** Other words for the type of a reference, by type. */
const synonyms: Readonly<Record<string, string>> = {
  domain: 'directory',
  host_nic: 'host interface',
  image: 'disk',
  vm_pool: 'pool',
};

const toWords = (name: string) => name.replaceAll('_', ' ');

const references = Object.keys(types).flatMap((type) =>
  Object.entries(listAttributes(type)).flatMap(([name, { kind, doc = '' }]) => {
    const { form, of } = parseKind(kind);
    return form === 'ref' ? [{ type, name, of, doc }] : [];
  }),
);

function mentions(doc: string, type: string): boolean {
  return new RegExp(`\\b${toWords(type)}s?\\b`, 'i').test(doc);
}

it('name the type of the reference if they name any', () => {
  const named = Object.keys(types).filter((type) => !ordinary.has(type));
  const wrong = references.filter(({ type: owner, name, of, doc }) => {
    const own = [of, name, synonyms[of] ?? of];
    // Permissions describe all objects in the same words.
    if (doc.startsWith('Object of the permission')) return false;
    const others = named.filter((type) => type !== owner && mentions(doc, type));
    return others.length > 0 && !own.some((type) => mentions(doc, type));
  });
  expect(wrong.map(({ type, name, doc }) => `${type}.${name}: ${doc}`)).toEqual([]);
  expect(references.length).toBeGreaterThan(100);
});
