/**
 * Declarations of resources for the command line refer to existing verbs, attribute paths and
 * nouns.
 */
import { describe, expect, it } from 'vitest';
import { getCollection, listCollections } from '../../../src/cli/verbs/collections.ts';
import { findVerb, listVerbs } from '../../../src/cli/verbs/derive-verbs.ts';
import { findKindAt, getBodySchema } from '../../../src/cli/verbs/fields.ts';
import { verbsByPath } from '../../../src/model/derive/commands.ts';
import { isType, listOperations } from '../../../src/model/index.ts';
import type { Shortcut } from '../../../src/model/notation/commands.ts';
import { allNouns, allResources } from '../../../src/model/resources/index.ts';

const declared = allResources.flatMap(({ name, commands }) =>
  commands ? [{ type: name, commands }] : [],
);
const known = new Set(allNouns.map(({ noun }) => noun));

describe.each(allNouns)('$noun', ({ noun, verbs = {}, samples = {}, collections = [] }) => {
  it('declares only verbs that it has', () => {
    const names = listVerbs(noun).map(({ name }) => name);
    expect(Object.keys(verbs).filter((verb) => !names.includes(verb))).toEqual([]);
  });

  it('declares flags and arguments that lead to something that can be sent', () => {
    for (const [name, { shortcuts = [], argument, onlyAttributes = [] }] of Object.entries(verbs)) {
      const paths = [
        ...shortcuts.map(({ path }) => path),
        ...(argument?.paths ?? []),
        ...onlyAttributes,
      ];
      const shapes = findVerb(noun, name)?.candidates.map(({ operation }) =>
        getBodySchema(operation),
      );
      for (const path of paths) {
        const kinds = shapes?.map((shape) => findKindAt(shape, path)).filter((kind) => kind);
        expect(kinds, `${name}: ${path}`).not.toEqual([]);
      }
    }
  });

  it('names parents and collections that there are', () => {
    const paths = listCollections(noun).map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining([...collections]));
    expect(paths).toEqual(expect.arrayContaining(Object.keys(samples.objectAt ?? {})));
    const parents = [samples.parents, ...Object.values(verbs).map(({ sample }) => sample?.parents)];
    const words = parents.flatMap((one) => Object.keys(one ?? {}));
    expect(words.filter((word) => !known.has(word))).toEqual([]);
  });
});

describe.each(declared)('$type', ({ type, commands }) => {
  it('is known by attributes that it has', () => {
    const { knownBy = [], knownThrough, follow, createdAlong } = commands;
    const paths = [...knownBy, knownThrough, follow, createdAlong?.attribute];
    for (const path of paths) {
      if (path !== undefined) expect(findKindAt({ type }, path), path).toBeDefined();
    }
    if (createdAlong) expect(isType(createdAlong.type)).toBe(true);
  });

  it('has flags that lead to attributes', () => {
    const { shortcuts = [] } = commands as { readonly shortcuts?: readonly Shortcut[] };
    for (const { path } of shortcuts) expect(findKindAt({ type }, path), path).toBeDefined();
  });
});

it('verbs of single collections belong to operations that these have', () => {
  for (const [path, verbs] of Object.entries(verbsByPath)) {
    const { object = '' } = getCollection(path);
    const operations = [path, object].flatMap(listOperations).map(({ name }) => name);
    for (const operation of Object.keys(verbs)) expect(operations, path).toContain(operation);
  }
});
