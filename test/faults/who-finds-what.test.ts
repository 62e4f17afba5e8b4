/**
 * Isolation in searches: two users, each of one half of a site. No search, order or count reveals
 * anything of the other half.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { crossReferences, searchFields } from '../../src/model/derive/search.ts';
import { listAllOperations } from '../../src/model/index.ts';
import type { SearchField } from '../../src/model/notation/search.ts';
import type { RawApi } from '../support/raw.ts';
import type { PathFiller, Stored } from './support/atlas.ts';
import { recordResult } from './support/catalogue.ts';
import { type Halves, makeHalves, type Side, sampled } from './support/sides.ts';
import { all, type SiteHalves } from './support/worlds.ts';

let halves: Halves;
let worlds: SiteHalves;
let state: Stored[];
/** Both halves with their users. */
let sides: Halves['sides'];

const reads = listAllOperations().filter(({ http, path }) => http === 'GET' && path !== '/');

beforeAll(async () => {
  halves = await makeHalves();
  ({ worlds, state, sides } = halves);
});

afterAll(async () => {
  await worlds.stop();
});

/** Names of the other half, to search for. */
function listNames({ othersIds, marks }: Side): string[] {
  const kinds = [
    'vm',
    'host',
    'cluster',
    'data_center',
    'storage_domain',
    'template',
    'disk',
    'network',
    'vm_pool',
    'quota',
    'vnic_profile',
  ];
  return kinds.flatMap((wanted) => {
    const names = state.flatMap(({ kind, object }) =>
      kind === wanted && othersIds.has(object.id) ? [String(object['name'])] : [],
    );
    // One of each kind is sufficient.
    return names.filter((name) => marks.in(name) !== undefined).slice(0, 1);
  });
}

interface Search {
  readonly path: string;
  /** A field, or a field of related objects. */
  readonly field: string;
  readonly kind: SearchField['kind'];
  readonly sorts: boolean;
}

/** All searchable fields of the top-level lists. */
const searches: readonly Search[] = listAllOperations()
  .filter(
    ({ name, query, path }) =>
      name === 'list' && query.includes('search') && path.split('/').length === 2,
  )
  .flatMap(({ path, type }) => {
    const fields = Object.entries(searchFields[type] ?? {});
    const related = (crossReferences[type] ?? []).flatMap(({ names, fields: of }) =>
      Object.entries(searchFields[of] ?? {}).map(
        ([name, field]) => [`${names[0]}.${name}`, field] as const,
      ),
    );
    return [
      ...fields.map((one) => [...one, true] as const),
      ...related.map((one) => [...one, false] as const),
    ].map(([field, { kind }, sorts]) => ({ path, field, kind, sorts: sorts && kind !== 'tag' }));
  });

/** Searches with volatile results. */
const moving = /uptime|_usage|load|migration_progress|time$/;

async function found(api: RawApi, path: string, search: string): Promise<string> {
  const { status, text } = await api.json('GET', `${path}?search=${encodeURIComponent(search)}`);
  expect([200, 400], `${path} ${search}: ${text} ${halves.log.join('\n')}`).toContain(status);
  return text;
}

/** Fields with different results for names of the other half and for unknown names. */
async function findOracles(api: RawApi, one: Side): Promise<string[]> {
  const names = listNames(one);
  expect(names.length).toBeGreaterThan(2);
  const telling: string[] = [];
  const texts = searches.filter(({ kind }) => kind === 'text' || kind === 'tag');
  for (const { path, field } of sampled(texts, 40, ({ path, kind }) => `${path} ${kind}`)) {
    const asked = names.map((name) => `${field}=${name}`).join(' or ');
    const absent = names.map((_, index) => `${field}=no-such-${index}`).join(' or ');
    if ((await found(api, path, asked)) !== (await found(api, path, absent))) {
      telling.push(`${path} ${field}`);
    }
  }
  return telling;
}

function getForm(search: string): string {
  if (search.startsWith('sortby')) return 'order';
  return /[<>*]/.exec(search)?.[0] ?? 'word';
}

/** Responses to a user for all search fields, sort orders and lists. */
async function readEverything(api: RawApi, own: PathFiller): Promise<Map<string, string>> {
  const answers = new Map<string, string>();
  const asked: [path: string, search: string][] = [];
  for (const { path, field, kind, sorts } of searches) {
    if (moving.test(field)) continue;
    if (sorts) asked.push([path, `sortby ${field}`], [path, `sortby ${field} desc`]);
    if (kind === 'number') asked.push([path, `${field}>0`], [path, `${field}=0`]);
    if (kind === 'bool') asked.push([path, `${field}=true`]);
    if (kind === 'text') asked.push([path, `${field}=*a*`], [path, `${field}!=*a*`]);
    if (kind === 'enum' && field.endsWith('status'))
      asked.push([path, `${field}=up`], [path, `${field}!=down`]);
  }
  const searched = sampled(asked, 40, ([path, search]) => `${path} ${getForm(search)}`);
  for (const [path, search] of searched)
    answers.set(`${path} ${search}`, await found(api, path, search));
  for (const { path: template } of sampled(reads, 10, ({ type }) => type)) {
    const path = own.path(template);
    if (path === undefined || /statistics|events|jobs|katello/.test(path)) continue;
    answers.set(path, (await api.json('GET', path)).text);
  }
  return answers;
}

/** Changes the number and names of objects in Olaf's half. */
async function changeObjects(admin: RawApi): Promise<void> {
  const [vm, ...others] = await all(admin, '/vms?search=name%3Dvm-*');
  for (const [index, path] of [
    `/vms/${vm?.id}`,
    ...others.map(({ id }) => `/vms/${id}`),
  ].entries()) {
    await admin.json('PUT', path, { name: `aaa-${index}`, description: 'zzz', comment: 'a' });
    await admin.json('POST', `${path}/stop`, {});
  }
  for (const { path, name } of [
    { path: '/hosts', name: 'host1' },
    { path: '/clusters', name: 'Default' },
    { path: '/datacenters', name: 'Default' },
    { path: '/storagedomains', name: 'data1' },
    { path: '/networks', name: 'net1' },
    { path: '/templates', name: 'write-back' },
  ]) {
    const object = (await all(admin, path)).find((one) => one.name === name);
    expect(object, `${path} ${name}`).toBeDefined();
    const changed = await admin.json('PUT', `${path}/${object?.id}`, {
      name: `aaa-${name}`,
      comment: 'a',
    });
    expect(changed.status, changed.text).toBe(200);
  }
  for (const name of ['aaa-new-1', 'zzz-new-2']) {
    const body = { name, cluster: { name: 'aaa-Default' }, template: { name: 'Blank' } };
    const added = await admin.json('POST', '/vms', body);
    expect([201, 202], added.text).toContain(added.status);
  }
}

// The full catalogue tests every field of every kind.
const patience = 900_000;

describe('searches', () => {
  it(
    'E9 who sees what: no field finds hidden objects',
    async () => {
      for (const one of sides) expect(await findOracles(one.api, one), one.who).toEqual([]);
      recordResult('E9', `0 of ${searches.length} fields reveal hidden names`);
    },
    patience,
  );

  it(
    'E9 control: finds them for a user who sees everything',
    async () => {
      expect((await findOracles(worlds.admin, sides[0])).length).toBeGreaterThan(2);
    },
    patience,
  );

  it(
    'E9 who sees what: changes of another half do not affect any response',
    async () => {
      const jane = sides[0];
      const before = await readEverything(jane.api, jane.own);
      const known = await readEverything(worlds.admin, jane.other);
      await changeObjects(worlds.admin);
      const after = await readEverything(jane.api, jane.own);
      const changed = [...before].filter(([path, text]) => after.get(path) !== text);
      expect(changed.map(([path, text]) => `${path}: ${text} | ${after.get(path)}`)).toEqual([]);
      recordResult('E9', `0 of ${before.size} responses depend on hidden objects`);
      const control = await readEverything(worlds.admin, jane.other);
      const seen = [...known].filter(([path, text]) => control.get(path) !== text);
      expect(seen.length).toBeGreaterThan(5);
    },
    patience,
  );
});
