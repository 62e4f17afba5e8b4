/** The table of search fields matches the types of the model. */
import { describe, expect, test } from 'vitest';
import { crossReferences, defaultSorts, searchFields } from '../../src/model/derive/search.ts';
import { enums } from '../../src/model/enums.ts';
import {
  isSearchable,
  isType,
  listAllOperations,
  listAttributes,
  parseKind,
} from '../../src/model/index.ts';
import type { SearchField, Step } from '../../src/model/notation/search.ts';

/** Types of the model for names that exist only in searches. */
const typesBehind: Readonly<Record<string, string>> = {
  directory_user: 'user',
  directory_group: 'group',
  cluster_network: 'network',
  host_network: 'network_attachment',
  vm_nic: 'nic',
};

function typeBehind(key: string): string {
  return typesBehind[key] ?? key;
}

/** Type at the end of steps. Fails if a step is invalid. */
function afterSteps(type: string, steps: readonly Step[]): string {
  let at = type;
  for (const step of steps) {
    if ('paired' in step) {
      at = 'network';
      continue;
    }
    const [from = '', attribute = ''] = 'back' in step ? step.back.split('.') : [at, step.follow];
    const kind = listAttributes(from)[attribute]?.kind;
    expect(kind, `${from}.${attribute}`).toBeDefined();
    const { of, form } = parseKind(kind ?? 'string');
    expect(['ref', 'links']).toContain(form);
    if ('back' in step) expect(of).toBe(at);
    at = 'back' in step ? from : of;
  }
  return at;
}

/** Kind of the attribute at a path; `text` for an id. */
function kindAt(type: string, path: string): string {
  let at = type;
  let kind = '';
  for (const word of path.split('.')) {
    const attribute = listAttributes(at)[word];
    if (word === 'id' && !attribute) return 'scalar string';
    expect(attribute, `${type}: ${path}`).toBeDefined();
    const parsed = parseKind(attribute?.kind ?? 'string');
    kind = `${parsed.form} ${parsed.of}`;
    at = parsed.of;
  }
  return kind;
}

const allFields = Object.entries(searchFields).flatMap(([key, fields]) =>
  Object.entries(fields).map(([name, field]) => [`${key}.${name}`, key, field] as const),
);

describe('fields', () => {
  test.each(allFields)('%s', (_, key, field: SearchField) => {
    expect([field.path, field.source, field.storedPath].filter(Boolean)).toHaveLength(1);
    const type = afterSteps(typeBehind(key), field.through ?? []);
    if (field.enum) expect(Object.keys(enums)).toContain(field.enum);
    if (field.path === undefined) return;
    const kind = kindAt(type, field.path);
    const allowed: Readonly<Record<string, RegExp>> = {
      text: field.as === 'version' ? /^struct version$/ : /^(scalar string)$/,
      user: /^scalar string$/,
      enum: new RegExp(`^enum ${field.enum}$`),
      severity: /^enum log_severity$/,
      bool: /^scalar bool$/,
      number: /^scalar (int|long|decimal)$/,
      date: /^scalar date$/,
    };
    expect(kind).toMatch(allowed[field.kind] ?? /^$/);
  });

  test('have lower-case names, and normalized names of values', () => {
    for (const fields of Object.values(searchFields)) {
      for (const [name, { values = {} }] of Object.entries(fields)) {
        expect(name).toMatch(/^[a-z0-9_]+$/);
        for (const word of Object.keys(values)) expect(word).toMatch(/^[a-z0-9]+$/);
      }
    }
  });

  test('exist for every searchable top-level collection', () => {
    const searched = listAllOperations()
      .filter(({ query, path }) => query.includes('search') && path.split('/').length === 2)
      .map(({ type }) => type)
      .filter((type) => !type.endsWith('_provider'));
    expect(searched).toContain('event');
    for (const type of searched) expect(Object.keys(searchFields)).toContain(type);
  });
});

describe('cross references', () => {
  test.each(
    Object.entries(crossReferences).flatMap(([from, all]) =>
      all.map((one) => [`${from} to ${one.names[0]}`, from, one] as const),
    ),
  )('%s', (_, from, { fields, type, steps, storedReference, names }) => {
    expect(Object.keys(searchFields)).toContain(fields);
    expect(isType(type)).toBe(true);
    expect(steps === undefined).toBe(storedReference !== undefined);
    expect(names.length).toBeGreaterThanOrEqual(1);
    if (steps && type !== 'external_provider') expect(afterSteps(from, steps)).toBe(type);
  });
});

test('sorts by attributes in default orders', () => {
  for (const [type, rules] of Object.entries(defaultSorts)) {
    for (const { path } of rules) kindAt(type, path);
  }
});

test('finds a list searchable if it declares a search and its type has fields', () => {
  for (const operation of listAllOperations().filter(({ name }) => name === 'list')) {
    const declared = operation.query.includes('search');
    const fields = searchFields[operation.type] !== undefined;
    expect(isSearchable(operation), operation.path).toBe(declared && fields);
  }
});
