/**
 * Tables about a deployed engine: every operation, type and attribute in them exists in the model.
 */
import { describe, expect, it } from 'vitest';
import { namedActions, namedServices } from '../../src/model/action-answers.ts';
import { absentInNew, shownWhenSent, statesOfNew } from '../../src/model/change-answers.ts';
import { services } from '../../src/model/derive/services.ts';
import { types } from '../../src/model/derive/types.ts';
import { dialects } from '../../src/model/dialect.ts';
import { enums } from '../../src/model/enums.ts';
import { listAllOperations, listAttributes, parseKind } from '../../src/model/index.ts';
import { checkedCollections, checkedPaths } from '../../src/model/input-checks.ts';
import { listedWhole, neverFiltered } from '../../src/model/list-limits.ts';
import { listOrder, sortedByEngines } from '../../src/model/list-order.ts';
import { derivedKinds } from '../../src/model/notation/kinds.ts';
import {
  namingOwners,
  shownBelow,
  shownInBoth,
  shownInPart,
  shownWithoutLinks,
  unaddressed,
  unaddressedReferences,
  withoutAddressesInside,
} from '../../src/model/shown-below.ts';
import { namedOperations } from '../../src/model/unknown-ids.ts';
import { refusedReferences } from '../../src/model/unknown-references.ts';

const enumValues: Readonly<Record<string, readonly string[]>> = enums;
const operations = listAllOperations();
const paths = new Set(operations.map(({ path }) => path));
const collections = new Set(
  operations.filter(({ name }) => name === 'add').map(({ path }) => path),
);

describe('tables about a deployed engine', () => {
  it('unknown ids: operations', () => {
    const known = new Set(operations.map(({ http, path }) => `${http} ${path}`));
    expect(namedOperations.filter((operation) => !known.has(operation))).toEqual([]);
  });

  it('unknown references: attributes that refer to objects', () => {
    const isReference = (named: string) => {
      const [type = '', attribute = ''] = named.split('.');
      const kind = listAttributes(type)[attribute]?.kind;
      return kind !== undefined && ['ref', 'links'].includes(parseKind(kind).form);
    };
    expect(refusedReferences.filter((named) => !isReference(named))).toEqual([]);
    const { ignoredReferences } = dialects.ovirt;
    expect([...ignoredReferences].filter((named) => !isReference(named))).toEqual([]);
  });

  it('responses to actions: actions', () => {
    const known = new Set(
      operations.filter(({ isAction }) => isAction).map(({ type, name }) => `${type}.${name}`),
    );
    expect(namedActions.filter((named) => !known.has(named))).toEqual([]);
    expect(namedServices.filter((path) => !(path in services))).toEqual([]);
  });

  it('lists: collections, and their orders', () => {
    const named = [...Object.keys(sortedByEngines), ...listedWhole, ...neverFiltered];
    expect(named.filter((path) => !(path in services))).toEqual([]);
    const listed = operations.filter(({ name }) => name === 'list');
    const unsorted = listed.filter(
      ({ service, type }) => listOrder(dialects.ovirt, service, type).length === 0,
    );
    const searched = listed.filter(({ query }) => query.includes('search'));
    expect(unsorted.length).toBeGreaterThan(50);
    expect(unsorted.filter((one) => searched.includes(one) && one.type !== 'role')).toEqual([]);
    expect(unsorted.filter(({ service }) => service in sortedByEngines)).toEqual([]);
    const byName = listed.filter(
      ({ service, type }) => listOrder(dialects.standard, service, type)[0]?.path === 'name',
    );
    expect(byName.length).toBeGreaterThan(50);
  });

  it('mandatory input: collections and actions', () => {
    const unused = (patterns: readonly RegExp[], known: Iterable<string>) =>
      patterns.filter((pattern) => ![...known].some((path) => pattern.test(path)));
    expect(unused(checkedPaths.collections, collections)).toEqual([]);
    expect(unused(checkedPaths.actions, paths)).toEqual([]);
    expect(checkedCollections.filter((path) => !collections.has(path))).toEqual([]);
  });

  it('addresses below parents: types, references, collections', () => {
    const wrong = Object.entries(shownBelow).flatMap(([type, { parents }]) =>
      parents
        .filter(
          ([attribute, collection, word]) =>
            listAttributes(type)[attribute] === undefined ||
            ![...paths].some(
              (path) => path.startsWith(`${collection}/{`) && path.endsWith(`}/${word}`),
            ),
        )
        .map(([attribute]) => `${type}.${attribute}`),
    );
    expect(wrong).toEqual([]);
    expect([...shownWithoutLinks].filter((path) => !(path in services))).toEqual([]);
    for (const [type, { parent, attribute, segment }] of Object.entries(shownInBoth)) {
      expect(Object.keys(listAttributes(type))).toEqual(
        expect.arrayContaining([parent, attribute]),
      );
      const beside = new RegExp(`/\\{\\w+\\}/${segment}/\\{\\w+\\}/\\w+$`);
      const found = Object.entries(services).filter(([, one]) => one.type === type);
      expect(found.some(([path]) => beside.test(path))).toBe(true);
    }
    expect(Object.keys(unaddressed).filter((type) => !(type in types))).toEqual([]);
  });

  it('attributes of some lists and responses: paths, types, attributes', () => {
    expect(Object.keys(shownInPart).filter((path) => !(path in services))).toEqual([]);
    expect([...dialects.ovirt.jsonNamedEmptyLists].filter((path) => !(path in services))).toEqual(
      [],
    );
    const named = [
      ...Object.entries(namingOwners).map(([type, { attribute }]) => [type, [attribute]] as const),
      ...Object.entries(shownWhenSent),
      ...Object.entries(absentInNew),
      ...Object.entries(shownInPart).map(([path, names]) => [services[path]?.type, names] as const),
    ];
    const wrong = named.flatMap(([type = '', names]) =>
      names
        .filter((name) => listAttributes(type)[name] === undefined)
        .map((name) => `${type}.${name}`),
    );
    expect(wrong).toEqual([]);
    const states = Object.entries(statesOfNew).filter(([path, state]) => {
      const kind = parseKind(
        listAttributes(services[path]?.type ?? '')['status']?.kind ?? 'string',
      );
      return kind.form !== 'enum' || !enumValues[kind.of]?.includes(state);
    });
    expect(states).toEqual([]);
  });

  it('objects and references without addresses: types and attributes', () => {
    const references = Object.entries(unaddressedReferences).flatMap(([type, names]) =>
      names.filter(
        (name) => parseKind(listAttributes(type)[name]?.kind ?? 'string').form !== 'ref',
      ),
    );
    expect(references).toEqual([]);
    const typesByKind: Readonly<Record<string, string>> = derivedKinds;
    const members = Object.entries(withoutAddressesInside).flatMap(([kind, names]) =>
      names.filter((name) => listAttributes(typesByKind[kind] ?? '')[name] === undefined),
    );
    expect(members).toEqual([]);
    expect(Object.keys(withoutAddressesInside).filter((kind) => !typesByKind[kind])).toEqual([]);
  });

  it('objects in the responses to actions: path templates', () => {
    expect(namedServices.filter((path) => !(path in services))).toEqual([]);
  });

  it('members that are never sent: attributes', () => {
    const wrong = Object.entries(dialects.ovirt.unsent).flatMap(([type, names]) =>
      [...names]
        .filter((name) => name !== 'link' && listAttributes(type)[name] === undefined)
        .map((name) => `${type}.${name}`),
    );
    expect(wrong).toEqual([]);
  });
});
