/**
 * Isolation in references: an administrator of one half references objects of the other half. With
 * `filter=true` the response equals the one for unknown objects. Both requests run on the same
 * state: changes are reverted in between.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  getTag,
  listAllOperations,
  listAttributes,
  type Operation,
  parseKind,
} from '../../src/model/index.ts';
import { actionParameters } from '../../src/model/notation/parameters.ts';
import type { RawApi } from '../support/raw.ts';
import { recordResult, sampleEvery } from './support/catalogue.ts';
import { type Halves, makeHalves, requestMasked, sampled } from './support/sides.ts';
import { all } from './support/worlds.ts';

let halves: Halves;
/** Initial state for every request. */
let beginning = '';
let knownIds: ReadonlySet<string>;

beforeAll(async () => {
  halves = await makeHalves();
  const { worlds } = halves;
  const user = (await all(worlds.admin, '/users?search=usrname%3Djane'))[0]?.id;
  const permission = { role: { name: 'DataCenterAdmin' }, user: { id: user } };
  const path = `/datacenters/${worlds.west}/permissions`;
  const given = await worlds.admin.json('POST', path, permission);
  expect(given.status, given.text).toBe(201);
  beginning = await worlds.saved();
  knownIds = new Set(beginning.match(uuids));
});

afterAll(async () => {
  await halves.worlds.stop();
});

interface Reference {
  readonly operation: Operation;
  readonly attribute: string;
  readonly type: string;
  readonly list: boolean;
}

/** All references in the bodies of operations. */
const references: readonly Reference[] = listAllOperations()
  .filter(({ http }) => http === 'POST' || http === 'PUT')
  .flatMap((operation) =>
    Object.entries(operation.isAction ? actionParameters : listAttributes(operation.type))
      .filter(([name]) => !operation.isAction || operation.body.includes(name))
      .flatMap(([attribute, { kind }]) => {
        const { form, of, list } = parseKind(kind);
        if (form !== 'ref' && form !== 'links') return [];
        return [{ operation, attribute, type: of, list: list || form === 'links' }];
      }),
  );

/** Forms of a reference. */
const forms: Readonly<Record<string, (id: string, name?: string) => object>> = {
  'by id': (id) => ({ id }),
  'by name': (_, name) => ({ name }),
  'by name with an empty id': (_, name) => ({ id: '', name }),
  'by name and more': (_, name) => ({ name, description: 'more' }),
};

const uuids = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const times = /\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)/g;

interface Meant {
  readonly id: string;
  /** Absent if the type has no names. */
  readonly name?: string | undefined;
}

const absent: Meant = { id: '11111111-2222-4333-8444-555555555555', name: 'no-such-thing' };
const alsoAbsent: Meant = { id: '66666666-7777-4888-8999-aaaaaaaaaaaa', name: 'nor-such-thing' };

/** One reference in one form. */
interface Case {
  readonly one: Reference;
  readonly form: string;
}

/** Response to a request with a reference, with sent words and volatile values replaced. */
async function answered({ one, form }: Case, meant: Meant, api: RawApi): Promise<string> {
  const { operation, attribute, type, list } = one;
  const path = halves.sides[0].own.path(operation.path) ?? '';
  const said = forms[form]?.(meant.id, meant.name);
  const body = {
    ...(operation.name === 'add' ? { name: 'probe' } : {}),
    [attribute]: list ? { [getTag(type)]: [said] } : said,
  };
  const sent = [meant.id, ...(meant.name === undefined ? [] : [meant.name])];
  const answer = await requestMasked(halves, api, operation, `${path}?filter=true`, sent, body);
  if (answer.startsWith('2')) await halves.worlds.restore(beginning);
  return answer.replace(uuids, (id) => (knownIds.has(id) ? id : '{new}')).replace(times, '{time}');
}

/** Types whose references mean another type: older clients call a disk an image. */
const kindsMeant: Readonly<Record<string, string>> = { image: 'disk' };

/** An object of a type in the other half, with its name, if any. */
function findHidden(type: string): Meant | undefined {
  const [jane] = halves.sides;
  const ofType = halves.state.filter(({ kind }) => kind === (kindsMeant[type] ?? type));
  const known = new Set(
    ofType.flatMap(({ object }) => (jane.othersIds.has(object.id) ? [] : [object['name']])),
  );
  const hidden = ofType.flatMap(({ object: { id, name } }): Meant[] =>
    jane.othersIds.has(id)
      ? [typeof name === 'string' && !known.has(name) ? { id, name } : { id }]
      : [],
  );
  return hidden.find(({ name }) => name !== undefined) ?? hidden[0];
}

/** Position where two texts differ: end of the common prefix, and the following text. */
function findDifference(one: string, other: string): string {
  const length = [...one].findIndex((letter, at) => letter !== other[at]);
  const at = Math.max(0, (length < 0 ? one.length : length) - 60);
  return `${one.slice(0, 4)}${one.slice(at, at + 300)} | ${other.slice(0, 4)}${other.slice(at, at + 300)}`;
}

/** All cases with a path in Jane's half. */
function allCases(): Case[] {
  return references
    .filter(({ operation }) => halves.sides[0].own.path(operation.path) !== undefined)
    .flatMap((one) => Object.keys(forms).map((form) => ({ one, form })));
}

/** Cases with different responses, and the number of requests. */
async function compared(
  api: RawApi,
  cases: readonly Case[],
  meant: (type: string) => readonly [Meant | undefined, Meant],
): Promise<{ different: string[]; asked: number }> {
  const different: string[] = [];
  let asked = 0;
  for (const one of cases) {
    const [first, second] = meant(one.one.type);
    const isNamed = first?.name !== undefined && second.name !== undefined;
    if (!first || (!isNamed && one.form !== 'by id')) continue;
    const there = await answered(one, first, api);
    const gone = await answered(one, second, api);
    asked += 1;
    if (there === gone) continue;
    const { http, path } = one.one.operation;
    different.push(
      `${http} ${path} ${one.one.attribute} ${one.form}: ${findDifference(there, gone)}`,
    );
  }
  return { different, asked };
}

it('F4 who sees what: a reference to a hidden object is answered like one to an unknown object', async () => {
  const { api } = halves.sides[0];
  const cases = sampled(allCases(), 15, ({ one, form }) => `${one.type} ${form}`);
  const { different, asked } = await compared(api, cases, (type) => [findHidden(type), absent]);
  expect(different).toEqual([]);
  expect(asked).toBeGreaterThan(30);
  recordResult('F4', `0 of ${asked} bodies distinguish hidden from absent objects`);
}, 900_000);

it('F4 control: two unknown objects are answered equally', async () => {
  const cases = sampleEvery(allCases(), 29);
  const { different } = await compared(halves.worlds.admin, cases, () => [alsoAbsent, absent]);
  expect(different).toEqual([]);
}, 900_000);

it('F4 control: reveals the object to a user who sees the other half', async () => {
  const { admin } = halves.worlds;
  const cases = sampleEvery(allCases(), 29);
  const { different } = await compared(admin, cases, (type) => [findHidden(type), absent]);
  expect(different.length).toBeGreaterThan(5);
}, 900_000);
