/**
 * kill -9 of the server at random moments while clients change objects of several kinds:
 * acknowledged changes survive, every change has its event, and no change is partial.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decodeList } from '../../src/wire/index.ts';
import { RawApi } from '../support/raw.ts';
import { startServerProcess } from '../support/server.ts';
import { chooseCount, recordResult } from './support/catalogue.ts';
import { requireEqual } from './support/small-site.ts';

const kills = chooseCount(50, 4);
const workers = 4;

/** Latest state of a client's object; `undefined` if uncertain. */
interface Told {
  readonly kind: 'bookmark' | 'vm';
  readonly id: string;
  /** Absent if it was removed. */
  text?: string | undefined;
  /** Whether a change was not answered. */
  unsure: boolean;
}

let data: string;
const told: Told[] = [];
let acknowledged = 0;

beforeAll(() => {
  data = mkdtempSync(join(tmpdir(), 'vmctl-kills-'));
});
afterAll(() => rmSync(data, { recursive: true, force: true }));

const start = () => startServerProcess(['--data', data, '--speed', '0']);

/** Creates, updates and removes objects until the server exits. */
async function change(api: RawApi, name: string): Promise<void> {
  try {
    for (let number = 0; ; number += 1) {
      const kind = number % 3 === 2 ? 'vm' : 'bookmark';
      const text = `${name}-${number}`;
      const own = await made(api, kind, text);
      told.push(own);
      if (number % 2 === 0) await revised(api, own, `${text}-b`);
      if (number % 5 === 0) await removed(api, own);
    }
  } catch {
    // The server has exited.
  }
}

const textAttributes = { bookmark: 'value', vm: 'description' } as const;

async function made(api: RawApi, kind: Told['kind'], text: string): Promise<Told> {
  const more =
    kind === 'vm'
      ? { cluster: { name: 'Default' }, template: { name: 'Blank' }, memory: 2 ** 26 }
      : {};
  const answer = await api.json('POST', `/${kind}s`, {
    name: text,
    [textAttributes[kind]]: text,
    ...more,
  });
  expect(answer.status, answer.text).toBe(201);
  acknowledged += 1;
  return { kind, id: answer.json<{ id: string }>().id, text, unsure: false };
}

async function revised(api: RawApi, own: Told, text: string): Promise<void> {
  own.unsure = true;
  const answer = await api.json('PUT', `/${own.kind}s/${own.id}`, {
    [textAttributes[own.kind]]: text,
  });
  expect(answer.status, answer.text).toBe(200);
  Object.assign(own, { text, unsure: false });
  acknowledged += 1;
}

async function removed(api: RawApi, own: Told): Promise<void> {
  own.unsure = true;
  const answer = await api.json('DELETE', `/${own.kind}s/${own.id}`);
  expect(answer.status, answer.text).toBe(200);
  Object.assign(own, { text: undefined, unsure: false });
  acknowledged += 1;
}

type Thing = Record<string, unknown>;

describe('after kills', () => {
  it(`A1 no acknowledged change is lost in ${kills} kills`, async () => {
    for (let kill = 0; kill < kills; kill += 1) {
      const server = await start();
      const api = await RawApi.signIn(server);
      const before = acknowledged;
      const work = Array.from({ length: workers }, (_, worker) =>
        change(api, `k${kill}w${worker}`),
      );
      const enough = before + 20 + Math.floor(Math.random() * 80);
      while (acknowledged < enough) await new Promise((next) => setImmediate(next));
      await server.kill();
      await Promise.all(work);
    }
    const server = await start();
    const api = await RawApi.signIn(server);
    for (const kind of ['bookmark', 'vm'] as const) {
      const list = (await api.json('GET', `/${kind}s`)).json<Record<string, Thing[]>>()[kind];
      const there = new Map((list ?? []).map((one) => [one['id'], one[textAttributes[kind]]]));
      const lost = told.filter(
        (one) => one.kind === kind && !one.unsure && there.get(one.id) !== one.text,
      );
      expect(lost).toEqual([]);
    }
    recordResult('A1', `${kills} kills, 0 of ${acknowledged} changes lost`);
    expect(await server.stop()).toBe(0);
  }, 600_000);

  it('A3 every change has its event, and event ids increase', async () => {
    const server = await start();
    const api = await RawApi.signIn(server);
    const events = async (type: number) =>
      (await api.json('GET', `/events?search=type%3D${type}`)).json<{ event?: Thing[] }>().event ??
      [];
    const [added, gone] = [await events(350), await events(354)];
    const list =
      (await api.json('GET', '/bookmarks')).json<{ bookmark?: Thing[] }>().bookmark ?? [];
    expect(added.length - gone.length).toBe(list.length);
    const all = (await api.json('GET', '/events')).json<{ event: Thing[] }>().event;
    const ids = all.map(({ id }) => Number(id));
    expect([...ids].sort((a, b) => b - a)).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
    recordResult('A3', `0 violations among ${ids.length} events`);
    expect(await server.stop()).toBe(0);
  });

  it('A4 no change is partial: XML and JSON agree, references resolve', async () => {
    const server = await start();
    const api = await RawApi.signIn(server);
    let seen = 0;
    const newest = (await api.json('GET', '/events?max=1')).json<{ event: { id: string }[] }>();
    // Responses have a maximum number of values, so the events are read in pages.
    const pages = Array.from(
      { length: Math.ceil(Number(newest.event[0]?.id) / 250) },
      (_, page) => [`/events?max=250&search=page%20${page + 1}`, 'event'] as const,
    );
    for (const [path, type] of [
      ['/bookmarks?max=1000', 'bookmark'] as const,
      ['/vms?max=100&follow=cluster,snapshots,nics', 'vm'] as const,
      ...pages,
      ['/jobs?max=250', 'job'] as const,
    ]) {
      const json = await api.json('GET', path);
      const xml = await api.xml('GET', path);
      const list = decodeList('application/json', json.bytes, type);
      requireEqual(path, decodeList('application/xml', xml.bytes, type), list);
      seen += list.length;
      if (type !== 'vm') continue;
      // With `follow`, only existing objects have a name.
      const names = (list as readonly Thing[]).map(({ cluster }) => (cluster as Thing)['name']);
      expect(new Set(names)).toEqual(new Set(['Default']));
    }
    recordResult('A4', `0 violations among ${seen} objects`);
    expect(await server.stop()).toBe(0);
  });

  it('A1 control: a server without storage loses everything', async () => {
    const server = await startServerProcess(['--memory']);
    const api = await RawApi.signIn(server);
    const list =
      (await api.json('GET', '/bookmarks')).json<{ bookmark?: Thing[] }>().bookmark ?? [];
    const there = new Set(list.map(({ id }) => id));
    const kept = told.filter(({ kind, text }) => kind === 'bookmark' && text !== undefined);
    expect(kept.filter(({ id }) => !there.has(id)).length).toBe(kept.length);
    expect(kept.length).toBeGreaterThan(0);
    await server.stop();
  });
});
