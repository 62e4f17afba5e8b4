/**
 * Permits before work: for every changing operation, a caller without the permits is refused before
 * the server hashes, decompresses or starts a program.
 */
import childProcess from 'node:child_process';
import crypto from 'node:crypto';
import { request } from 'node:https';
import { syncBuiltinESMExports } from 'node:module';
import zlib from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listAllOperations, listAttributes, type Operation } from '../../../src/model/index.ts';
import { RawApi, send } from '../../support/raw.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

/** Calls of expensive functions, by name. */
const calls: string[] = [];
/** Expensive functions in modules of Node that other modules have already loaded. */
const expensive: readonly (readonly [module: object, ...names: string[]])[] = [
  [crypto, 'scrypt', 'scryptSync', 'pbkdf2', 'pbkdf2Sync', 'generateKeyPair', 'sign'],
  [zlib, 'inflateSync', 'inflateRawSync', 'gunzipSync'],
  [childProcess, 'execFile', 'spawn'],
];
const restored: (() => void)[] = [];

function noteCalls(): void {
  for (const [module, ...names] of expensive) {
    for (const name of names) {
      const real: (...values: unknown[]) => unknown = Reflect.get(module, name);
      Reflect.set(module, name, (...values: unknown[]) => {
        calls.push(name);
        return real(...values);
      });
      restored.push(() => Reflect.set(module, name, real));
    }
  }
  syncBuiltinESMExports();
}

let server: TestServer;
let admin: RawApi;
let jane: RawApi;
beforeAll(async () => {
  noteCalls();
  server = await startTestServer(['--speed', '0']);
  admin = await RawApi.signIn(server);
  const form = { grant_type: 'password', username: 'jane@internal', password: server.password };
  const answer = await send(`${server.ready.auth_url}/oauth/token`, {
    method: 'POST',
    ca: server.ca,
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'application/json' },
    body: new URLSearchParams({ ...form, scope: 'virt-app-api' }).toString(),
  });
  jane = new RawApi(server, String(answer.json()['access_token']));
});
afterAll(async () => {
  for (const restore of restored) restore();
  syncBuiltinESMExports();
  await server?.stop();
});

const changes = listAllOperations().filter(({ http, path }) => http !== 'GET' && path !== '/');

/** A path of existing objects, as far as possible. */
async function findPath({ path }: Operation): Promise<string> {
  const [, collection = ''] = /^\/(\w+)\/\{/.exec(path) ?? [];
  const nothing = '11111111-2222-4333-8444-555555555555';
  if (collection === '') return path.replace(/\{\w+\}/g, nothing);
  const { text } = await admin.json('GET', `/${collection}?max=2`);
  const ids = [...text.matchAll(/"id" ?: ?"([^"]+)"/g)].map(([, id]) => id);
  return path.replace(/\{\w+\}/, ids.at(-1) ?? nothing).replace(/\{\w+\}/g, nothing);
}

/** An object with all texts of the operation, including passwords, keys and documents. */
function createBody({ type, isAction }: Operation): object {
  if (isAction) return {};
  const attributes = Object.entries(listAttributes(type));
  const texts = attributes.filter(([, { kind }]) => kind === 'string').map(([name]) => name);
  const named = { name: 'jane', user_name: 'jane@internal', password: 'a-secret' };
  const data = Buffer.from('not an image').toString('base64');
  const icon = type === 'vm' || type === 'template' ? { large_icon: { data } } : {};
  const sent = Object.fromEntries(texts.map((name) => [name, 'text']));
  return {
    ...sent,
    ...Object.fromEntries(Object.entries(named).filter(([n]) => texts.includes(n))),
    ...icon,
  };
}

describe('a caller without permits', () => {
  it('causes no expensive work', async () => {
    const found: string[] = [];
    let refused = 0;
    let unread = 0;
    for (const operation of changes) {
      const { http, path, name } = operation;
      const target = await findPath(operation);
      const body = http === 'DELETE' ? undefined : createBody(operation);
      calls.length = 0;
      const { status, text } = await jane.json(http, target, body);
      expect(status, `${http} ${path}: ${text}`).toBeLessThan(500);
      if (status < 300) continue;
      refused += 1;
      if (status === 400) unread += 1;
      if (calls.length > 0) found.push(`${http} ${path} (${name}, ${status}): ${calls.join()}`);
    }
    expect(found).toEqual([]);
    expect(refused).toBeGreaterThan(400);
    // Requests that are refused because of their form prove nothing.
    expect(unread).toBeLessThan(20);
  }, 300_000);

  it('is refused before a long body is read, if the permits do not depend on it', async () => {
    const listed = await admin.json('GET', '/hosts?max=1');
    const [host] = listed.json<{ host: { id: string }[] }>().host;
    /** The first event: the response, or the request to send the body. */
    const first = (api: RawApi) =>
      new Promise<string>((resolve, reject) => {
        const sent = request(`${server.ready.api_url}/hosts/${host?.id}`, {
          ...{ method: 'PUT', ca: server.ca },
          headers: {
            Authorization: `Bearer ${api.token}`,
            ...{ 'Content-Type': 'application/json', 'Content-Length': 2 ** 20 },
            Expect: '100-continue',
          },
        });
        const end = (what: string) => {
          resolve(what);
          sent.destroy();
        };
        sent.on('continue', () => end('continue'));
        sent.on('response', ({ statusCode }) => end(String(statusCode)));
        sent.on('error', reject);
        sent.flushHeaders();
      });
    // The response does not reveal the existence of invisible objects.
    expect(['403', '404']).toContain(await first(jane));
    expect(await first(admin)).toBe('continue');
  });

  it('is refused before a password is hashed; a caller with permits is not', async () => {
    const user = {
      ...{ user_name: 'kim@internal-authz', password: 'a-secret' },
      domain: { name: 'internal-authz' },
    };
    calls.length = 0;
    const refusals = await Promise.all(
      Array.from({ length: 64 }, () => jane.json('POST', '/users', user)),
    );
    expect(new Set(refusals.map(({ status }) => status))).toEqual(new Set([403]));
    expect(calls).toEqual([]);
    expect((await admin.json('POST', '/users', user)).status).toBe(201);
    expect(calls).toEqual(['scrypt']);
  });
});
