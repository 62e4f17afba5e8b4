/**
 * Who sees what: two people of whom each sees one half of a site. Nothing of the other half is ever
 * in an answer, whatever is asked for: ids, names, and whether something is there. What searches and
 * bodies could tell is tested beside this.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listAllOperations, type Operation } from '../../src/model/index.ts';
import type { RawApi } from '../support/raw.ts';
import { Atlas, Marks, type Stored, worldOf } from './support/atlas.ts';
import { figure, some } from './support/catalogue.ts';
import { answerTo, type Halves, linksOf, makeHalves, type Side, sampled } from './support/sides.ts';
import { all, type Worlds } from './support/worlds.ts';

let halves: Halves;
let worlds: Worlds;
let state: Stored[];
/** The two halves, as the one and as the other sees it. */
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

/** The types of what a path leads through, and whether it follows something. */
function kindOfRead(path: string): string {
  const [plain = '', query = ''] = path.split('?');
  const words = plain.split('/').filter((_, index) => index % 2 === 1);
  return `${words.slice(-2).join(' ')} ${query === '' ? '' : query.split('=')[0]}`;
}

/** Everything of the other half that answers to these reads show. */
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
  it('F4 who sees what: nothing of another is in any answer', async () => {
    let asked = 0;
    for (const { who, api, own, marks } of sides) {
      const paths = sampled(readsOf(own), 40, kindOfRead);
      asked += paths.length;
      expect(await leaksIn(api, marks, paths), who).toEqual([]);
    }
    figure('F4', `0 of ${asked} reads show hidden objects`);
  }, 900_000);

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
      const asked = [...lists, ...followed, ...sampled(paths, 12, kindOfRead)];
      expect(await leaksIn(worlds.jane, new Marks(state, hidden), asked)).toEqual([]);
    } finally {
      const gone = await worlds.admin.json(
        'DELETE',
        `/vms/${id}/permissions/${String(given.json()['id'])}`,
      );
      expect(gone.status, gone.text).toBe(200);
    }
  }, 900_000);

  it('F4 control: the same reads show it to who sees everything', async () => {
    for (const { own, other, marks } of sides) {
      const top = ['/vms', '/events', '/disks?follow=storagedomains', '/jobs'];
      expect(own.path('/vms/{vm}')).not.toBe(other.path('/vms/{vm}'));
      expect(await leaksIn(worlds.admin, marks, top)).toHaveLength(top.length);
    }
  }, 900_000);
});

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
      const there = await answerTo(halves, api, operation, path, ids);
      const gone = await answerTo(
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
  it('F4 who sees what: what is hidden is as what is absent', async () => {
    const operations = sampled([...reads, ...changes], 25, ({ type, http }) => `${type} ${http}`);
    let asked = 0;
    for (const one of sides) {
      expect(await toldApart(one, operations), one.who).toEqual([]);
      asked += operations.length;
    }
    figure('F4', `0 of ${asked} operations distinguish hidden from absent objects`);
  }, 900_000);

  it('F4 control: who sees everything is told', async () => {
    const [{ own, other, othersIds }] = sides;
    const see = { api: worlds.admin, own, other, othersIds };
    expect((await toldApart(see, some(reads, 20))).length).toBeGreaterThan(5);
  }, 900_000);
});
