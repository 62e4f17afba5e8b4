/**
 * The header `Idempotency-Key`: a repeated request is executed once and gets its first response
 * again.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RawApi, send } from '../support/raw.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

describe('a request with an Idempotency-Key', () => {
  let server: TestServer;
  let api: RawApi;

  beforeAll(async () => {
    server = await startTestServer(['--speed', '0', '--inventory', 'small']);
    api = await RawApi.signIn(server);
  });
  afterAll(async () => {
    expect(await server.stop()).toBe(0);
  });

  const keyed = (key: string) => ({ 'Idempotency-Key': key });
  const tag = (name: string) => ({ name });
  const count = async (name: string) => {
    const tags = (await api.json('GET', '/tags')).json<{ tag: { name: string }[] }>().tag;
    return tags.filter((one) => one.name === name).length;
  };

  it('is executed once, for any number of repetitions in any format', async () => {
    const key = keyed(randomUUID());
    const first = await api.json('POST', '/tags', tag('once'), key);
    const again = await api.json('POST', '/tags', tag('once'), key);
    const xml = await api.xml('POST', '/tags', '<tag><name>once</name></tag>', key);
    expect([first.status, again.status, xml.status]).toEqual([201, 201, 201]);
    expect(again.json()).toEqual(first.json());
    expect(again.headers['location']).toBe(first.headers['location']);
    expect(xml.attribute('id')).toBe(first.json()['id']);
    expect(await count('once')).toBe(1);
  });

  it('is executed once if several arrive at the same time', async () => {
    const key = keyed(randomUUID());
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => api.json('POST', '/tags', tag('at-the-same-time'), key)),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(answers.map((one) => one.json()['id'])).size).toBe(1);
  });

  it('is refused with the key of another request, and changes nothing', async () => {
    const key = keyed(randomUUID());
    await api.json('POST', '/tags', tag('mine'), key);
    const other = await api.json('POST', '/tags', tag('other'), key);
    expect(other.status).toBe(409);
    expect(other.text).toContain('Idempotency-Key');
    const elsewhere = await api.json('POST', '/groups', tag('mine'), key);
    expect(elsewhere.status).toBe(409);
    expect(await count('other')).toBe(0);
  });

  it('is executed again after a refusal without effect', async () => {
    const key = keyed(randomUUID());
    const made = await api.json('POST', '/tags', tag('taken'));
    const refused = await api.json('POST', '/tags', tag('taken'), key);
    expect(refused.status).toBe(409);
    await api.json('DELETE', `/tags/${String(made.json()['id'])}`);
    expect((await api.json('POST', '/tags', tag('taken'), key)).status).toBe(201);
  });

  it('repeats responses to actions, updates and removals, even after the object was removed', async () => {
    const made = await api.json('POST', '/tags', tag('gone'));
    const path = `/tags/${String(made.json()['id'])}`;
    const [renames, removes] = [keyed(randomUUID()), keyed(randomUUID())];
    const renamed = await api.json('PUT', path, tag('soon-gone'), renames);
    const removed = await api.json('DELETE', path, undefined, removes);
    expect((await api.json('DELETE', path, undefined, removes)).status).toBe(removed.status);
    const renamedAgain = await api.json('PUT', path, tag('soon-gone'), renames);
    expect(renamedAgain.json()).toEqual(renamed.json());
    expect((await api.json('DELETE', path)).status).toBe(404);

    const [vm] = (await api.json('GET', '/vms?max=1')).json<{ vm: { id: string }[] }>().vm;
    const start = keyed(randomUUID());
    const [first, second] = [
      await api.json('POST', `/vms/${vm?.id}/shutdown`, {}, start),
      await api.json('POST', `/vms/${vm?.id}/shutdown`, {}, start),
    ];
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.json()['job']).toEqual(first.json()['job']);
  });

  it.each(['', ' ', 'x'.repeat(256)])('is refused with the key "%s"', async (key) => {
    const refused = await api.json('POST', '/tags', tag('no'), keyed(key));
    expect(refused.status).toBe(400);
    expect(await count('no')).toBe(0);
  });

  it('is a different request for another user', async () => {
    const key = keyed('the same words');
    const other = new RawApi(server, '');
    const basic = `Basic ${Buffer.from(`jane@internal:${server.password}`).toString('base64')}`;
    const answers = [
      await api.json('POST', '/tags', tag('of-two'), key),
      await other.json('POST', '/tags', tag('of-two'), { ...key, Authorization: basic }),
    ];
    // The second user gets a refusal, not the response to the first user.
    expect(answers[0]?.status).toBe(201);
    expect(answers[1]?.status).toBeGreaterThanOrEqual(400);
  });

  it('is new after the state was reset', async () => {
    const key = keyed(randomUUID());
    await api.json('POST', '/tags', tag('before'), key);
    const base = new URL(server.ready.base_url).origin;
    const headers = { Authorization: `Bearer ${api.token}` };
    const reset = await send(`${base}/_vmctl/reset`, { method: 'POST', headers, ca: server.ca });
    expect(reset.status).toBe(200);
    expect((await api.json('POST', '/tags', tag('before'), key)).status).toBe(201);
    expect(await count('before')).toBe(1);
  });
});
