/** Consistency of the declarations: every used name exists. */
import { describe, expect, it } from 'vitest';
import { lifecycles } from '../../src/model/derive/lifecycles.ts';
import { requiredOnAdd } from '../../src/model/derive/required.ts';
import { services } from '../../src/model/derive/services.ts';
import { types } from '../../src/model/derive/types.ts';
import { enums } from '../../src/model/enums.ts';
import { events } from '../../src/model/events.ts';
import { faults } from '../../src/model/faults.ts';
import { getTag, isType, listAttributes, parseKind } from '../../src/model/index.ts';
import { actionParameters, queryParameters } from '../../src/model/notation/parameters.ts';
import { acceptedPaths } from '../../src/model/requirements.ts';
import { allResources } from '../../src/model/resources/index.ts';

describe('types', () => {
  it.each(Object.keys(types))('%s refers only to existing names', (name) => {
    for (const [attribute, { kind, default: value }] of Object.entries(listAttributes(name))) {
      const { form, of } = parseKind(kind);
      const where = `${name}.${attribute}: ${kind}`;
      if (form === 'enum') {
        const words: readonly string[] = enums[of as keyof typeof enums];
        expect(words, where).toBeDefined();
        if (typeof value === 'string') expect(words, where).toContain(value);
      } else if (form !== 'scalar') {
        expect(isType(of), where).toBe(true);
      }
    }
  });

  it('have the element names that deployed clients expect', () => {
    expect(getTag('gluster_brick')).toBe('brick');
    expect(getTag('numa_node')).toBe('host_numa_node');
    expect(getTag('host_nic')).toBe('host_nic');
  });
});

describe('enums', () => {
  it('have names that are declared once', () => {
    const declared = allResources.flatMap((resource) => Object.keys(resource.enums ?? {}));
    expect(new Set(declared).size).toBe(declared.length);
    expect(Object.keys(enums)).toEqual(expect.arrayContaining(declared));
  });
});

describe('services', () => {
  it.each(Object.entries(services))('%s has a type and known parameters', (_path, service) => {
    expect(isType(service.type)).toBe(true);
    for (const { query, body } of Object.values(service.operations)) {
      for (const name of query) expect(Object.keys(queryParameters)).toContain(name);
      for (const name of body) expect(Object.keys(actionParameters)).toContain(name);
    }
  });
});

describe('required attributes', () => {
  it.each(Object.entries(requiredOnAdd))('of %s exist', (type, paths) => {
    for (const path of paths.flatMap(acceptedPaths)) {
      const [first = ''] = path.split('.');
      if (first === 'id' || first === 'name') continue;
      expect(Object.keys(listAttributes(type)), `${type}: ${path}`).toContain(first);
    }
  });
});

describe('lifecycles', () => {
  it.each(Object.entries(lifecycles))(
    'of %s use existing states, events and faults',
    (_type, table) => {
      const attribute = listAttributes(table.type)[table.attribute];
      const words: readonly string[] =
        enums[parseKind(attribute?.kind ?? 'string').of as keyof typeof enums];
      const states = [
        table.initial,
        ...table.settled,
        ...(table.failed ?? []),
        ...Object.values(table.moves).flatMap((move) => [
          ...move.from,
          ...(move.via ?? []).map(([state]) => state),
          ...(move.to ? [move.to] : []),
          ...Object.keys(move.refusedBy).filter((state) => state !== 'otherwise'),
        ]),
      ];
      for (const state of states) expect(words, state).toContain(state);
      for (const move of Object.values(table.moves)) {
        for (const name of Object.values(move.events ?? {})) {
          expect(Object.keys(events)).toContain(name);
        }
        for (const key of Object.values(move.refusedBy)) expect(Object.keys(faults)).toContain(key);
      }
    },
  );
});
