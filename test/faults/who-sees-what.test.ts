/**
 * Isolation in reads: two users, each of one half of a site. No response reveals ids, names or the
 * existence of objects in the other half. Searches and bodies have separate tests.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listAllOperations, type Operation } from '../../src/model/index.ts';
import type { RawApi } from '../support/raw.ts';
import { findHalf, Marks, PathFiller, type Stored } from './support/atlas.ts';
import { recordResult, sampleEvery } from './support/catalogue.ts';
import {
  type Halves,
  listLinks,
  makeHalves,
  requestMasked,
  type Side,
  sampled,
} from './support/sides.ts';
import { all, type SiteHalves } from './support/worlds.ts';

let halves: Halves;
let worlds: SiteHalves;
let state: Stored[];
/** Both halves with their users. */
let sides: Halves['sides'];

const nobody = '11111111-2222-4333-8444-555555555555';
const reads = listAllOperations().filter(({ http, path }) => http === 'GET' && path !== '/');
const changes = listAllOperations().filter(({ http }) => http !== 'GET' && http !== 'HEAD');

beforeAll(async () => {
  halves = await makeHalves();
  ({ worlds, state, sides } = halves);
});

afterAll(async () => {
  await worlds.stop();
});

/** All reads of a half: plain, with all content, and with every link followed. */
function listReads(atlas: PathFiller): string[] {
  return reads.flatMap(({ path: template }) => {
    const path = atlas.path(template);
    if (path === undefined) return [];
    return [
      path,
      `${path}?all_content=true`,
      ...listLinks(template).map((link) => `${path}?follow=${link}`),
    ];
  });
}

/** Types on a path, and whether the path follows links. */
function describeRead(path: string): string {
  const [plain = '', query = ''] = path.split('?');
  const words = plain.split('/').filter((_, index) => index % 2 === 1);
  return `${words.slice(-2).join(' ')} ${query === '' ? '' : query.split('=')[0]}`;
}

/** Marks of the other half in the responses to these reads. */
async function leaksIn(api: RawApi, marks: Marks, paths: readonly string[]): Promise<string[]> {
  const leaks: string[] = [];
  for (const path of paths) {
    const { status, text } = await api.json('GET', path);
    expect(status, `${path}: ${text} ${halves.log.join('\n')}`).toBeLessThan(500);
    const mark = marks.in(text);
    if (mark !== undefined) leaks.push(`${path}: ${mark}`);
  }
  return leaks;
}

describe('reads', () => {
  it('F4 who sees what: no response contains hidden objects', async () => {
    let asked = 0;
    for (const { who, api, own, marks } of sides) {
      const paths = sampled(listReads(own), 40, describeRead);
      asked += paths.length;
      expect(await leaksIn(api, marks, paths), who).toEqual([]);
    }
    recordResult('F4', `0 of ${asked} reads show hidden objects`);
  }, 900_000);

  it('F4 who sees what: one VM among others reveals none of the others', async () => {
    const vm = state.find(({ kind, object }) => kind === 'vm' && object['name'] === 'vm-01');
    const id = vm?.object.id ?? '';
    const user = (await all(worlds.admin, '/users?search=usrname%3Djane'))[0]?.id;
    const permission = { role: { name: 'UserRole' }, user: { id: user } };
    const given = await worlds.admin.json('POST', `/vms/${id}/permissions`, permission);
    expect(given.status, given.text).toBe(201);
    try {
      // Jane's VM, its subcollections, its disks, and the objects that these lead to.
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
      // A label is visible together with its object.
      for (const { kind, object } of state) {
        if (kind === 'affinity_label' && JSON.stringify(object).includes(id)) leads.add(object.id);
      }
      const east = findHalf(state, worlds.east);
      const hidden = new Set([...east].filter((one) => !leads.has(one)));
      expect(hidden.size).toBeGreaterThan(50);
      const paths = listReads(new PathFiller(state, leads)).filter((path) => path.includes(id));
      expect(paths.length).toBeGreaterThan(50);
      const lists = ['/vms?all_content=true', '/disks', '/events', '/clusters', '/storagedomains'];
      const followed = listLinks('/vms').map((link) => `/vms?follow=${link}`);
      const asked = [...lists, ...followed, ...sampled(paths, 12, describeRead)];
      expect(await leaksIn(worlds.jane, new Marks(state, hidden), asked)).toEqual([]);
    } finally {
      const gone = await worlds.admin.json(
        'DELETE',
        `/vms/${id}/permissions/${String(given.json()['id'])}`,
      );
      expect(gone.status, gone.text).toBe(200);
    }
  }, 900_000);

  it('F4 control: the same reads reveal them to a user who sees everything', async () => {
    for (const { own, other, marks } of sides) {
      const top = ['/vms', '/events', '/disks?follow=storagedomains', '/jobs'];
      expect(own.path('/vms/{vm}')).not.toBe(other.path('/vms/{vm}'));
      expect(await leaksIn(worlds.admin, marks, top)).toHaveLength(top.length);
    }
  }, 900_000);
});

/** Operations with different responses for hidden and for unknown objects. */
async function findDistinguished(
  { api, own, other, othersIds }: Pick<Side, 'api' | 'own' | 'other' | 'othersIds'>,
  operations: readonly Operation[],
): Promise<string[]> {
  const different: string[] = [];
  for (const operation of operations) {
    for (const path of pathsToOthers(operation.path, own, other, othersIds)) {
      const ids = path.split('/').filter((word) => othersIds.has(word));
      const absent = ids.reduce((all, id, index) => all.replace(id, absentId(index)), path);
      const there = await requestMasked(halves, api, operation, path, ids);
      const gone = await requestMasked(
        halves,
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

/** Paths of an operation with ids of the other half: all of them, and only the last one. */
function pathsToOthers(
  template: string,
  own: PathFiller,
  other: PathFiller,
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
  it('F4 who sees what: hidden objects are answered like unknown ones', async () => {
    const operations = sampled([...reads, ...changes], 25, ({ type, http }) => `${type} ${http}`);
    let asked = 0;
    for (const one of sides) {
      expect(await findDistinguished(one, operations), one.who).toEqual([]);
      asked += operations.length;
    }
    recordResult('F4', `0 of ${asked} operations distinguish hidden from absent objects`);
  }, 900_000);

  it('F4 control: reveals them to a user who sees everything', async () => {
    const [{ own, other, othersIds }] = sides;
    const see = { api: worlds.admin, own, other, othersIds };
    expect((await findDistinguished(see, sampleEvery(reads, 20))).length).toBeGreaterThan(5);
  }, 900_000);
});
