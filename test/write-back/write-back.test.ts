/**
 * What was read is written back, and nothing changes: every object of a rich site, in XML and JSON, in
 * both dialects, plain, with all content, and with what each of its links leads to.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { firstIds } from '../support/firsts.ts';
import { type RawAnswer, RawApi, send } from '../support/raw.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { asClientsWrite } from './support/as-clients-write.ts';
import { followable, Objects, type Thing, updates } from './support/objects.ts';
import { enrich } from './support/rich-site.ts';

type Format = 'xml' | 'json';

/** Of each sort, so many objects are read in all ways; the others plain and with all content. */
const followedFrom = 2;

/** What is measured anew whenever it is read; it comes back as well, but reads otherwise next time. */
const measured: ReadonlySet<string> = new Set(['?follow=statistics']);

describe.each(['standard', 'ovirt'] as const)('in the dialect %s', (dialect) => {
  let server: TestServer;
  let api: RawApi;
  let objects: Objects;

  beforeAll(async () => {
    server = await startTestServer([
      ...['--speed', '0', '--inventory', 'small', '--dialect', dialect],
    ]);
    api = await RawApi.signIn(server, dialect === 'ovirt' ? 'ovirt-app-api' : undefined);
    await enrich(api, await firstIds(api));
    objects = new Objects(api);
  });

  afterAll(async () => {
    await server.stop();
  });

  /** All that the service knows, one line each, but for what happened and is counted. */
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

  /** How a document comes back: as it was, and in XML also as generated clients write it. */
  function returned(format: Format, type: string, { text }: RawAnswer): string[] {
    return format === 'json' ? [text] : [text, asClientsWrite(text, type)];
  }

  async function put(format: Format, path: string, body: string): Promise<RawAnswer> {
    const media = `application/${format}`;
    return api.call('PUT', path, { headers: { Accept: media, 'Content-Type': media }, body });
  }

  it.each(updates.map(({ path }) => path))('%s', async (template) => {
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
      for (const format of ['xml', 'json'] as const) {
        for (const way of ways) {
          const first = await api[format]('GET', path + way);
          if (first.status !== 200) problems.push(`GET ${path}${way}: ${first.text}`);
          const event = await newestEvent();
          for (const body of returned(format, type, first)) {
            const answer = await put(format, path, body);
            if (answer.status !== 200) {
              problems.push(`${format} ${path}${way}: ${answer.status} ${answer.text}`);
            }
          }
          const events = (await newestEvent()) - event;
          if (events > 2) problems.push(`${format} ${path}${way} wrote ${events} events`);
          if (measured.has(way)) continue;
          const second = await api[format]('GET', path + way);
          if (second.text !== first.text) {
            problems.push(`${format} ${path}${way} reads otherwise: ${first.text} ${second.text}`);
          }
        }
      }
    }
    const after = await state();
    const known = new Set(before);
    for (const line of after) if (!known.has(line)) problems.push(`changed: ${line}`);
    expect(problems.slice(0, 5)).toEqual([]);
    expect(after).toEqual(before);
  });
});
