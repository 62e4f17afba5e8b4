/**
 * Updates of objects with their own representation: they change nothing. Each object of a rich site, in XML and
 * JSON, in both dialects, plain, with all content, and with followed links.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dialects } from '../../src/model/dialect.ts';
import { type EnumName, enums } from '../../src/model/enums.ts';
import { listAttributes, parseKind } from '../../src/model/index.ts';
import { shownInBoth } from '../../src/model/shown-below.ts';
import { decodeList, decodeObject } from '../../src/wire/index.ts';
import { type RawAnswer, RawApi, send } from '../support/raw.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { selectSlowCases } from '../support/slow-tests.ts';
import { asClientsWrite, withMember } from './support/as-clients-write.ts';
import { followable, Objects, type Thing, updates } from './support/objects.ts';
import { enrich } from './support/rich-site.ts';

type Format = 'xml' | 'json';

/** Number of objects of each type that are read in all forms. Others are read plain and with all content. */
const followedFrom = 2;

const templates = selectSlowCases(
  updates.map(({ path }) => path),
  'test/write-back/write-back.test.ts',
);

/** Links to values that are measured at each request. Their next values differ. */
const measured: ReadonlySet<string> = new Set(['?follow=statistics']);

/** Types of which a comment or description cannot be changed, although the model has one. */
const refusing: Readonly<Record<string, string>> = {
  'standard disk': 'a disk is changed through its attachment (specification)',
  '/clusters/{cluster}/networks/{network}': 'only the part that it plays in the cluster is changed',
  '/datacenters/{datacenter}/clusters/{cluster}/networks/{network}': 'the same',
  '/storageconnections/{storageconnection}': 'the domain that uses it has to be in maintenance',
};

/** Read-only members that the server refuses if the value differs. */
const settledForGood: ReadonlySet<string> = new Set([
  'affinity_group.cluster',
  'mac_pool.default_pool',
]);

/** Another value for each read-only member of a type. References lead to no object. */
function otherReadOnly(type: string): Thing {
  const others: Thing = {};
  for (const [name, { kind, mut }] of Object.entries(listAttributes(type))) {
    const { form, of, list } = parseKind(kind);
    if (mut !== 'R' || list || settledForGood.has(`${type}.${name}`)) continue;
    if (form === 'ref') others[name] = { id: '11111111-2222-3333-4444-555555555555' };
    else if (form === 'enum') others[name] = enums[of as EnumName].at(-1);
    else if (form === 'scalar') others[name] = of === 'date' ? '2001-01-01T00:00:00Z' : '1';
  }
  return others;
}

/** Whether an object is part of every service and cannot be changed. */
function locked(type: string, object: Thing): boolean {
  const isFalse = (value: unknown) => String(value) === 'false';
  // The roles of users and groups do not show it.
  if (type === 'role') return isFalse(object['mutable'] ?? false);
  if (type === 'scheduling_policy') return !isFalse(object['locked'] ?? false);
  if (type === 'tag') return object['parent'] === undefined;
  return type === 'quota' && object['name'] === 'Default';
}

describe.each(['standard', 'ovirt'] as const)('in the dialect %s', (dialect) => {
  let server: TestServer;
  let api: RawApi;
  let objects: Objects;

  beforeAll(async () => {
    server = await startTestServer([
      ...['--speed', '0', '--inventory', 'small', '--dialect', dialect],
    ]);
    api = await RawApi.signIn(server, dialect === 'ovirt' ? 'ovirt-app-api' : undefined);
    await enrich(api, dialect === 'ovirt' ? 'XML' : 'JSON');
    objects = new Objects(api);
  });

  afterAll(async () => {
    await server.stop();
  });

  /** The stored state, one line for each object, without events and counters. */
  async function state(): Promise<string[]> {
    const answer = await send(`${new URL(server.ready.base_url).origin}/_vmctl/state`, {
      ca: server.ca,
      headers: { Authorization: `Bearer ${api.token}` },
    });
    return answer.text
      .split('\n')
      .filter((line) => !/^\{"(?:kind":"(?:event|job|step)"|counter")/.test(line));
  }

  async function newestEvent(): Promise<number> {
    const [event] = (await api.json('GET', '/events?max=1')).json<{ event: { id: string }[] }>()
      .event;
    return Number(event?.id ?? 0);
  }

  /** The documents of an update: the response of GET and, in XML, the form of generated clients. */
  function returned(format: Format, type: string, { text }: RawAnswer): string[] {
    return format === 'json' ? [text] : [text, asClientsWrite(text, type)];
  }

  async function put(format: Format, path: string, body: string): Promise<RawAnswer> {
    const media = `application/${format}`;
    return api.call('PUT', path, { headers: { Accept: media, 'Content-Type': media }, body });
  }

  it.each(templates)('%s: an update with the response of GET changes nothing', async (template) => {
    const operation = updates.find(({ path }) => path === template);
    const type = operation?.type ?? '';
    const paths = await objects.of(template);
    expect(paths.length, `objects at ${template}`).toBeGreaterThan(0);
    const before = await state();
    const problems: string[] = [];
    for (const [index, path] of paths.entries()) {
      const read = (await api.json('GET', path)).json<Thing>();
      const follows = index < followedFrom ? followable(type, read) : [];
      const ways = ['', '?all_content=true', ...follows.map((name) => `?follow=${name}`)];
      const event = await newestEvent();
      let writes = 0;
      for (const format of ['xml', 'json'] as const) {
        for (const way of ways) {
          const first = await api[format]('GET', path + way);
          if (first.status !== 200) problems.push(`GET ${path}${way}: ${first.text}`);
          for (const body of returned(format, type, first)) {
            const answer = await put(format, path, body);
            writes += 1;
            if (answer.status !== 200) {
              problems.push(`${format} ${path}${way}: ${answer.status} ${answer.text}`);
            }
          }
          if (measured.has(way)) continue;
          const second = await api[format]('GET', path + way);
          if (second.text !== first.text) {
            problems.push(`${format} ${path}${way} reads otherwise: ${first.text} ${second.text}`);
          }
        }
      }
      const events = (await newestEvent()) - event;
      if (events > writes) problems.push(`${writes} times ${path} wrote ${events} events`);
    }
    expect([...problems, ...(await changesSince(before))].slice(0, 5)).toEqual([]);
  });

  it.each(templates)('%s: lists, single objects, XML and JSON tell the same', async (template) => {
    const operation = updates.find(({ path }) => path === template);
    const type = operation?.type ?? '';
    for (const path of await objects.of(template)) {
      const collection = path.slice(0, path.lastIndexOf('/'));
      const id = path.slice(collection.length + 1);
      const told: Thing[] = [];
      for (const media of ['application/xml', 'application/json'] as const) {
        const headers = { Accept: media };
        const options = { unknown: 'skip' } as const;
        const one = await api.call('GET', path, { headers });
        const list = await api.call('GET', `${collection}?max=1000`, { headers });
        told.push(decodeObject(media, one.bytes, type, options));
        told.push(
          ...decodeList(media, list.bytes, type, options).filter((item) => item['id'] === id),
        );
      }
      expect(told).toHaveLength(4);
      // Engines show the mode of NUMA nodes of one VM alone, and other addresses of single attachments.
      const compared = told.map(({ numa_tune_mode: _mode, href, ...rest }) =>
        type in shownInBoth ? rest : { href, ...rest },
      );
      for (const other of compared.slice(1)) expect(other, path).toEqual(compared[0]);
    }
  });

  it.each(templates)('%s: an update with one changed member of the response', async (template) => {
    const operation = updates.find(({ path }) => path === template);
    const type = operation?.type ?? '';
    const member = ['comment', 'description'].find(
      (name) =>
        listAttributes(type)[name]?.mut === 'CU' && !dialects[dialect].unsent[type]?.has(name),
    );
    if (member === undefined || refusing[template] || refusing[`${dialect} ${type}`]) return;
    const before = await state();
    for (const path of (await objects.of(template)).slice(0, followedFrom)) {
      const read = (await api.json('GET', path)).json<Thing>();
      if (locked(type, read)) continue;
      const xml = await api.xml('GET', path);
      const value = `written back in ${dialect}`;
      for (const [format, body] of [
        ['json', JSON.stringify({ ...read, [member]: value })],
        ['xml', withMember(asClientsWrite(xml.text, type), member, value)],
      ] as const) {
        const answer = await put(format, path, body);
        expect(answer.status, `${format} ${path}: ${answer.text}`).toBe(200);
        const { time_zone, ...written } = (await api.json('GET', path)).json<Thing>();
        // The template Blank gets a time zone with its first change.
        const zone = read['time_zone'] ?? (type === 'template' ? undefined : time_zone);
        expect({ ...written, ...(zone ? { time_zone: zone } : {}) }).toEqual({
          ...read,
          [member]: value,
        });
        // An absent text cannot be restored. An empty text means the same.
        await put('json', path, JSON.stringify({ ...read, [member]: read[member] ?? '' }));
      }
    }
    expect(await changesSince(before, member)).toEqual([]);
  });

  it.each(templates)('%s: read-only members that differ are ignored', async (template) => {
    const operation = updates.find(({ path }) => path === template);
    const type = operation?.type ?? '';
    const before = await state();
    for (const path of (await objects.of(template)).slice(0, followedFrom)) {
      const read = (await api.json('GET', path)).json<Thing>();
      const answer = await put('json', path, JSON.stringify({ ...read, ...otherReadOnly(type) }));
      expect(answer.status, `${path}: ${answer.text}`).toBe(200);
    }
    expect(await changesSince(before)).toEqual([]);
  });

  /** Differences from a stored state, without one member. */
  async function changesSince(stored: readonly string[], member = ''): Promise<string[]> {
    // The template Blank gets a time zone with its first change.
    const pattern = new RegExp(
      `,?"(?:${member}|last_modified)":"[^"]*"|,?"time_zone":{"name":"Etc/GMT"}`,
      'g',
    );
    const [before, after] = [stored, await state()].map((lines) =>
      lines.map((line) => line.replace(pattern, '')),
    ) as [string[], string[]];
    const [old, now] = [new Set(before), new Set(after)];
    return [
      ...before.filter((line) => !now.has(line)).map((line) => `before: ${line}`),
      ...after.filter((line) => !old.has(line)).map((line) => `after: ${line}`),
    ];
  }
});
