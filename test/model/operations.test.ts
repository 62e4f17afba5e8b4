/** The model declares the operations of the catalogue: path, method, parameters. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { listAllOperations, type Operation, parseKind } from '../../src/model/index.ts';
import {
  actionParameters,
  type Parameter,
  queryParameters,
} from '../../src/model/notation/parameters.ts';
import { specifiedOperations } from '../../src/specification/operations.ts';

interface Listed {
  readonly path: string;
  readonly http: string;
  readonly operation: string;
  readonly resource_type: string;
  readonly tier: string;
  readonly params: readonly {
    readonly name: string;
    readonly type: string;
    readonly in: 'query' | 'action' | 'body';
    readonly direction: 'in' | 'out' | 'inout';
    readonly main?: boolean;
  }[];
}

const details = JSON.parse(
  readFileSync(new URL('../data/operations.json', import.meta.url), 'utf8'),
) as readonly Omit<Listed, 'tier'>[];
const tiers = new Map(specifiedOperations.map((one) => [`${one.http} ${one.path}`, one.tier]));
const listed: readonly Listed[] = details.map((one) => ({
  ...one,
  tier: tiers.get(`${one.http} ${one.path}`) ?? 'missing in the catalogue',
}));

/** Intended differences of the model, with the reason. */
const reasons: Readonly<Record<string, string>> = {
  'query from': 'event ids grow beyond 32 bits',
};

/** Additional parameters of the model, with the reason. */
const additions: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'POST /events/undelete': { 'action event': 'one event can be brought back, not only all' },
};

/** Additional operations of the model on types of the catalogue, with the reason. */
const addedOperations: Readonly<Record<string, string>> = {};

const key = (http: string, path: string) => `${http} ${path}`;
const declared = new Map(listAllOperations().map((one) => [key(one.http, one.path), one]));

describe('the catalogue', () => {
  it('lists exactly the operations whose parameters are known, with a known tier', () => {
    const known = ['spec', 'generic', 'implied', 'beyond'];
    expect(listed.filter(({ tier }) => !known.includes(tier))).toEqual([]);
    const api = specifiedOperations.filter(({ tier }) => tier !== 'daemon');
    expect(api).toHaveLength(details.length);
    expect(api.map(({ tier }) => tier).filter((tier) => !known.includes(tier))).toEqual([]);
  });

  it('is declared completely; its types have no other operations', () => {
    const paths = new Set(listed.map(({ http, path }) => key(http, path)));
    expect([...paths].filter((one) => !declared.has(one))).toEqual([]);
    // Types outside of the catalogue extend the API with their operations.
    const catalogued = new Set(listed.map(({ resource_type }) => resource_type));
    const others = [...declared].filter(([id, { type }]) => !paths.has(id) && catalogued.has(type));
    expect(others.map(([id]) => id)).toEqual(Object.keys(addedOperations));
  });

  it.each(
    listed
      .filter(({ tier }) => tier !== 'beyond')
      .map((one) => [key(one.http, one.path), one] as const),
  )('%s', (id, one) => compare(id, one));

  it('agrees with the model in additional operations too', () => {
    for (const one of listed.filter(({ tier }) => tier === 'beyond')) {
      compare(key(one.http, one.path), one);
    }
  });
});

function compare(id: string, one: Listed): void {
  const operation = declared.get(id);
  expect(operation, id).toBeDefined();
  if (!operation) return;
  expect(operation.name, id).toBe(one.operation);
  expect(operation.type, id).toBe(one.resource_type);
  const main = one.params.find(({ main: isMain }) => isMain);
  const list = main?.type.endsWith('[]') ?? false;
  expect(
    operation.name === 'list' || operation.listBody,
    `${id}: is its main parameter a list?`,
  ).toBe(list);
  const secondary = one.params.filter(({ main: isMain }) => !isMain);
  const added = Object.keys(additions[id] ?? {});
  expect(listParameters(operation), id).toEqual(expect.arrayContaining(added));
  const asListed = listParameters(operation).filter((name) => !added.includes(name));
  expect(asListed, id).toEqual(secondary.map(({ in: place, name }) => `${place} ${name}`).sort());
  for (const parameter of secondary) {
    const id = `${parameter.in} ${parameter.name}`;
    if (reasons[id]) continue;
    const table: Readonly<Record<string, Parameter>> =
      parameter.in === 'query' ? queryParameters : actionParameters;
    const { kind, out } = table[parameter.name] ?? { kind: 'string' };
    expect(catalogueType(kind), id).toBe(parameter.type);
    expect(out ?? 'in', id).toBe(parameter.direction);
  }
}

function listParameters({ query, body }: Operation): string[] {
  return [...query.map((name) => `query ${name}`), ...body.map((name) => `action ${name}`)].sort();
}

/** Spelling of a kind in the catalogue. */
function catalogueType(kind: Parameters<typeof parseKind>[0]): string {
  const { of, list } = parseKind(kind);
  const words: Readonly<Record<string, string>> = {
    bool: 'boolean',
    int: 'integer',
    long: 'integer',
  };
  return `${words[of] ?? of}${list ? '[]' : ''}`;
}
