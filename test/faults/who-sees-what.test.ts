/**
 * Who sees what: two people of whom each sees one half of a site. Nothing of the other half is ever
 * in an answer, whatever is asked for: ids, names, counts, and whether something is there.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  allOperations,
  attributesOf,
  type Operation,
  parseKind,
  subCollections,
} from '../../src/model/index.ts';
import { crossReferences, type SearchField, searchFields } from '../../src/model/search-fields.ts';
import { services } from '../../src/model/services/index.ts';
import type { RawApi } from '../support/raw.ts';
import { count, figure, some } from './support/catalogue.ts';
import {
  Atlas,
  all,
  Marks,
  makeWorlds,
  type Stored,
  type Worlds,
  worldOf,
} from './support/worlds.ts';

let worlds: Worlds;
let state: Stored[];
/** The two halves, as the one and as the other sees it. */
let sides: Side[];
const log: string[] = [];

interface Side {
  readonly who: string;
  readonly api: RawApi;
  readonly own: Atlas;
  readonly other: Atlas;
  readonly othersIds: ReadonlySet<string>;
  /** What is of the other half. */
  readonly marks: Marks;
}

const nobody = '11111111-2222-4333-8444-555555555555';
const reads = allOperations().filter(({ http, path }) => http === 'GET' && path !== '/');
const changes = allOperations().filter(({ http }) => http !== 'GET' && http !== 'HEAD');

beforeAll(async () => {
  worlds = await makeWorlds((line) => log.push(line));
  state = await worlds.state();
  const west = worldOf(state, worlds.west);
  const east = worldOf(state, worlds.east);
  expect([...west].filter((id) => east.has(id))).toEqual([]);
  sides = [side('Jane', worlds.jane, west, east), side('Olaf', worlds.olaf, east, west)];
});

afterAll(async () => {
  await worlds.stop();
});

function side(who: string, api: RawApi, own: Set<string>, other: Set<string>): Side {
  return {
    who,
    api,
    own: new Atlas(state, own),
    other: new Atlas(state, other),
    othersIds: other,
    marks: new Marks(state, other),
  };
}

/** Words that can be followed from objects of a type. */
function linksOf(service: string): string[] {
  const { type } = services[service] ?? { type: '' };
  const references = Object.entries(attributesOf(type)).flatMap(([name, { kind }]) =>
    /^(?:ref|links)$/.test(parseKind(kind).form) ? [name.replaceAll('_', '')] : [],
  );
  const item = Object.keys(services).find(
    (path) =>
      path.startsWith(`${service}/{`) && path.split('/').length === service.split('/').length + 1,
  );
  return [...new Set([...references, ...subCollections(item ?? service)])];
}

/** All reads of a half: each as it is, whole, and with every link followed. */
function readsOf(atlas: Atlas): string[] {
  return reads.flatMap(({ path: template }) => {
    const path = atlas.path(template);
    if (path === undefined) return [];
    return [
      path,
      `${path}?all_content=true`,
      ...linksOf(template).map((link) => `${path}?follow=${link}`),
    ];
  });
}

/** Everything of the other half that answers to these reads show. */
async function leaksIn(api: RawApi, marks: Marks, paths: readonly string[]): Promise<string[]> {
  const leaks: string[] = [];
  for (const path of paths) {
    const { status, text } = await api.json('GET', path);
    expect(status, `${path}: ${text} ${log.join('\n')}`).toBeLessThan(500);
    const mark = marks.in(text);
    if (mark !== undefined) leaks.push(`${path}: ${mark}`);
  }
  return leaks;
}

describe('reads', () => {
  it('F4 who sees what: nothing of another is in any answer', async () => {
    let asked = 0;
    for (const { who, api, own, marks } of sides) {
      const paths = some(readsOf(own), count(1, 8));
      asked += paths.length;
      expect(await leaksIn(api, marks, paths), who).toEqual([]);
    }
    figure('F4', `0 of ${asked} reads show anything of another's half`);
  });

  it('F4 who sees what: one machine among others shows nothing of what it is next to', async () => {
    const vm = state.find(({ kind, object }) => kind === 'vm' && object['name'] === 'vm-01');
    const id = vm?.object.id ?? '';
    const user = (await all(worlds.admin, '/users?search=usrname%3Djane'))[0]?.id;
    const permission = { role: { name: 'UserRole' }, user: { id: user } };
    const given = await worlds.admin.json('POST', `/vms/${id}/permissions`, permission);
    expect(given.status, given.text).toBe(201);
    try {
      // Her own machine, what is kept below it, its disks, and what these lead to.
      const below = state.filter(({ collection }) => collection.startsWith(`/vms/${id}/`));
      const disks = below
        .filter(({ kind }) => kind === 'disk_attachment')
        .map((one) => one.object.id);
      const leads = new Set([id, ...below.map(({ object }) => object.id), ...disks]);
      for (const { kind, object } of state) {
        if (!leads.has(object.id) || (kind !== 'vm' && kind !== 'disk')) continue;
        const { cluster, storage_domains: domains } = object as Record<string, unknown>;
        for (const one of [cluster, domains].flat() as { id: string }[]) if (one) leads.add(one.id);
      }
      leads.add(worlds.east);
      // A label is seen with what it is on.
      for (const { kind, object } of state) {
        if (kind === 'affinity_label' && JSON.stringify(object).includes(id)) leads.add(object.id);
      }
      const east = worldOf(state, worlds.east);
      const hidden = new Set([...east].filter((one) => !leads.has(one)));
      expect(hidden.size).toBeGreaterThan(50);
      const paths = readsOf(new Atlas(state, leads)).filter((path) => path.includes(id));
      expect(paths.length).toBeGreaterThan(50);
      const lists = ['/vms?all_content=true', '/disks', '/events', '/clusters', '/storagedomains'];
      const followed = linksOf('/vms').map((link) => `/vms?follow=${link}`);
      const asked = [...lists, ...followed, ...some(paths, count(1, 2))];
      expect(await leaksIn(worlds.jane, new Marks(state, hidden), asked)).toEqual([]);
    } finally {
      const gone = await worlds.admin.json(
        'DELETE',
        `/vms/${id}/permissions/${String(given.json()['id'])}`,
      );
      expect(gone.status, gone.text).toBe(200);
    }
  });

  it('F4 control: the same reads show it to who sees everything', async () => {
    for (const { own, other, marks } of sides) {
      const top = ['/vms', '/events', '/disks?follow=storagedomains', '/jobs'];
      expect(own.path('/vms/{vm}')).not.toBe(other.path('/vms/{vm}'));
      expect(await leaksIn(worlds.admin, marks, top)).toHaveLength(top.length);
    }
  });
});

/** The answer to a request, with the ids that were sent made the same. */
async function answerTo(
  api: RawApi,
  { http, path: template }: Pick<Operation, 'http' | 'path'>,
  path: string,
  sent: readonly string[],
  body: unknown = http === 'POST' || http === 'PUT' ? {} : undefined,
): Promise<string> {
  const { status, text } = await api.json(http, path, body);
  expect(status, `${http} ${template}: ${text} ${log.join('\n')}`).toBeLessThan(500);
  const same = sent.reduce((all, one) => all.replaceAll(one, '{sent}'), text);
  return `${status} ${same.replace(/"correlation_id":"[^"]*"/g, '')}`;
}

/** Operations for which the answer about what is there differs from that about what is not. */
async function toldApart(
  { api, own, other, othersIds }: Pick<Side, 'api' | 'own' | 'other' | 'othersIds'>,
  operations: readonly Operation[],
): Promise<string[]> {
  const different: string[] = [];
  for (const operation of operations) {
    for (const path of pathsToOthers(operation.path, own, other, othersIds)) {
      const ids = path.split('/').filter((word) => othersIds.has(word));
      const absent = ids.reduce((all, id, index) => all.replace(id, absentId(index)), path);
      const there = await answerTo(api, operation, path, ids);
      const gone = await answerTo(
        api,
        operation,
        absent,
        ids.map((_, index) => absentId(index)),
      );
      if (there !== gone) different.push(`${operation.http} ${path}: ${there} | ${gone}`);
    }
  }
  return different;
}

function absentId(index: number): string {
  return nobody.replace('1111', `111${index}`);
}

/** The path of an operation with the ids of another half: all of them, and the last alone. */
function pathsToOthers(
  template: string,
  own: Atlas,
  other: Atlas,
  othersIds: ReadonlySet<string>,
): string[] {
  const foreign = other.path(template);
  if (foreign === undefined) return [];
  const found = [foreign];
  const last = template.lastIndexOf('/{');
  const ours = last > 0 ? own.path(template.slice(0, last)) : undefined;
  const id = foreign.split('/')[template.slice(0, last).split('/').length];
  if (ours !== undefined && id !== undefined) {
    found.push(`${ours}/${id}${template.slice(template.indexOf('}', last) + 1)}`);
  }
  return found.filter((path) => path.split('/').some((word) => othersIds.has(word)));
}

describe('paths', () => {
  it('F4 who sees what: what is hidden is as what is not there', async () => {
    let asked = 0;
    for (const one of sides) {
      expect(await toldApart(one, some([...reads, ...changes], count(1, 5))), one.who).toEqual([]);
      asked += some([...reads, ...changes], count(1, 5)).length;
    }
    figure('F4', `0 of ${asked} operations tell a hidden object from one that is not there`);
  });

  it('F4 control: who sees everything is told', async () => {
    const [{ own, other, othersIds } = sides[0] as Side] = sides;
    const see = { api: worlds.admin, own, other, othersIds };
    expect((await toldApart(see, some(reads, 20))).length).toBeGreaterThan(5);
  });
});

/** Names of the other half, to look for. */
function namesOf({ othersIds, marks }: Side): string[] {
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
    // One of each kind is enough.
    return names.filter((name) => marks.in(name) !== undefined).slice(0, 1);
  });
}

interface Search {
  readonly path: string;
  /** A field, or one of related objects. */
  readonly field: string;
  readonly kind: SearchField['kind'];
  readonly sorts: boolean;
}

/** Every field by which the lists at the top can be searched. */
const searches: readonly Search[] = allOperations()
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

/** Searches whose answers change by themselves. */
const moving = /uptime|_usage|load|migration_progress|time$/;

async function found(api: RawApi, path: string, search: string): Promise<string> {
  const { status, text } = await api.json('GET', `${path}?search=${encodeURIComponent(search)}`);
  expect([200, 400], `${path} ${search}: ${text} ${log.join('\n')}`).toContain(status);
  return text;
}

/** Fields that find something else for names of the other half than for names that nothing has. */
async function oracles(api: RawApi, one: Side): Promise<string[]> {
  const names = namesOf(one);
  expect(names.length).toBeGreaterThan(2);
  const telling: string[] = [];
  const texts = searches.filter(({ kind }) => kind === 'text' || kind === 'tag');
  for (const { path, field } of some(texts, count(1, 8))) {
    const asked = names.map((name) => `${field}=${name}`).join(' or ');
    const absent = names.map((_, index) => `${field}=no-such-${index}`).join(' or ');
    if ((await found(api, path, asked)) !== (await found(api, path, absent))) {
      telling.push(`${path} ${field}`);
    }
  }
  return telling;
}

/** What somebody is answered to everything that can be searched and sorted by, and to all lists. */
async function everythingOf(api: RawApi, own: Atlas): Promise<Map<string, string>> {
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
  for (const [path, search] of some(asked, count(1, 10)))
    answers.set(`${path} ${search}`, await found(api, path, search));
  for (const { path: template } of some(reads, count(1, 3))) {
    const path = own.path(template);
    if (path === undefined || /statistics|events|jobs|katello/.test(path)) continue;
    answers.set(path, (await api.json('GET', path)).text);
  }
  return answers;
}

/** Changes what there is in Olaf's half, and how it is called. */
async function turnAround(admin: RawApi): Promise<void> {
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

describe('searches', () => {
  it('E9 who sees what: no field finds what is hidden', async () => {
    for (const one of sides) expect(await oracles(one.api, one), one.who).toEqual([]);
    figure('E9', `0 of ${searches.length} fields tell names of another's half`);
  });

  it('E9 control: they find it for who sees everything', async () => {
    expect((await oracles(worlds.admin, sides[0] as Side)).length).toBeGreaterThan(2);
  });

  it('E9 who sees what: nothing that another does changes an answer', async () => {
    const jane = sides[0] as Side;
    const before = await everythingOf(jane.api, jane.own);
    const known = await everythingOf(worlds.admin, jane.other);
    await turnAround(worlds.admin);
    const after = await everythingOf(jane.api, jane.own);
    const changed = [...before].filter(([path, text]) => after.get(path) !== text);
    expect(changed.map(([path, text]) => `${path}: ${text} | ${after.get(path)}`)).toEqual([]);
    figure('E9', `0 of ${before.size} answers change with what is hidden`);
    const control = await everythingOf(worlds.admin, jane.other);
    const seen = [...known].filter(([path, text]) => control.get(path) !== text);
    expect(seen.length).toBeGreaterThan(5);
  });
});
