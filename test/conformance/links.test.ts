/** Validity of all links in responses: the test follows them through the entire site. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { services } from '../../src/model/derive/services.ts';
import { listOperations } from '../../src/model/index.ts';
import { RawApi } from '../support/raw.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let api: RawApi;

beforeAll(async () => {
  server = await startTestServer(['--speed', '0', '--inventory', 'small']);
  api = await RawApi.signIn(server);
});
afterAll(async () => {
  await server.stop();
});

interface Linked {
  readonly href?: string;
  readonly link?: readonly { readonly href: string; readonly rel: string }[];
}

/** Addresses in a response: links, objects of lists, references. */
function hrefsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(hrefsIn);
  if (typeof value !== 'object' || value === null) return [];
  const { href, link = [], ...members } = value as Linked & { actions?: unknown };
  const { actions, ...others } = members;
  const own = href === undefined ? [] : [href];
  return [...own, ...link.map((one) => one.href), ...Object.values(others).flatMap(hrefsIn)];
}

/** Collections that accept objects and list none. */
const onlyAdded = new Set(
  Object.keys(services).filter((path) => !listOperations(path).some(({ name }) => name === 'list')),
);

it('returns 200 for every address in a response', async () => {
  const root = new URL(server.ready.api_url).pathname;
  const seen = new Set<string>([root]);
  const todo = [root];
  const failed: string[] = [];
  for (let at = todo.pop(); at !== undefined; at = todo.pop()) {
    const answer = await api.json('GET', at.slice(root.length));
    if (answer.status !== 200) {
      const isOnlyAdded = answer.status === 405 && onlyAdded.has(at.slice(root.length));
      if (!isOnlyAdded) failed.push(`${answer.status} ${at}`);
      continue;
    }
    for (const href of hrefsIn(answer.json())) {
      // Search templates are not addresses.
      if (href.includes('{') || seen.has(href)) continue;
      seen.add(href);
      todo.push(href);
    }
  }
  expect(failed).toEqual([]);
  expect(seen.size).toBeGreaterThan(1_000);
});
