/** Recorded requests of a server: all except those of the inspector page. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RawApi, send } from '../../support/raw.ts';
import { projectRoot, startTestServer, type TestServer } from '../../support/server.ts';

const ofPage = { 'Vmctl-Inspector': 'true' };

let server: TestServer;
let api: RawApi;

beforeAll(async () => {
  server = await startTestServer();
  api = await RawApi.signIn(server);
});
afterAll(() => server.stop());

/** Method and path of the recorded requests after a sequence number, and the last number. */
async function recorded(since: number) {
  const url = new URL(`/_vmctl/requests?since=${since}`, server.ready.base_url).href;
  const answer = await send(url, {
    ca: server.ca,
    headers: { Authorization: `Bearer ${api.token}` },
  });
  const { requests, last } = answer.json<{
    requests: { method: string; path: string }[];
    last: number;
  }>();
  return { lines: requests.map(({ method, path }) => `${method} ${path}`), last };
}

it('omits reads and sign-ins of the page, and records every change', async () => {
  const { last } = await recorded(0);
  const root = new URL(server.ready.api_url).pathname;
  await api.json('GET', '/vms?max=1', undefined, ofPage);
  await api.json('GET', '/nothing', undefined, ofPage);
  const signIn = await send(`${server.ready.auth_url}/oauth/token`, {
    ...{ method: 'POST', ca: server.ca, body: 'grant_type=none' },
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...ofPage },
  });
  expect(signIn.status).toBe(400);
  await api.json('GET', '/hosts?max=1');
  await api.json('POST', '/tags', { name: 'seen' }, ofPage);
  await api.json('GET', '/clusters?max=1');
  expect((await recorded(last)).lines).toEqual([
    `GET ${root}/hosts?max=1`,
    `POST ${root}/tags`,
    `GET ${root}/clusters?max=1`,
  ]);
});

it('the page marks each of its requests', () => {
  const folder = join(projectRoot, 'src/features/inspector/browser');
  const sources = readdirSync(folder).filter((name) => name.endsWith('.ts'));
  const calls = sources.flatMap((name) => {
    const [, ...after] = readFileSync(join(folder, name), 'utf8').split(/\bfetch\(/);
    return after.map((text) => ({
      name,
      isMarked: text.split('});')[0]?.includes('...ownRequest'),
    }));
  });
  expect(calls.length).toBeGreaterThan(0);
  expect(calls.filter(({ isMarked }) => !isMarked)).toEqual([]);
});
