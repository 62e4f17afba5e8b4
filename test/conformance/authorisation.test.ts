/**
 * Authorization of every operation of the model: without a token, as a user without permissions, as
 * the same user with a sufficient role, and as the administrator.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { permitsByPath, permitsByType } from '../../src/model/derive/permits.ts';
import { listAllOperations, type Operation } from '../../src/model/index.ts';
import { readFirstIds } from '../support/firsts.ts';
import { RawApi, requestToken, send } from '../support/raw.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let admin: RawApi;
let jane: RawApi;
let beginning: string;
let janeId: string;
/** Ids of objects of the site, by path parameter. */
let ids: Record<string, string> = {};
/** Roles with the names of their permits, smallest first. */
let roles: { id: string; name: string; permits: Set<string> }[];

const operations = listAllOperations().filter(({ path }) => path !== '/');
const changes = operations.filter(({ http }) => http !== 'GET' && http !== 'HEAD');

beforeAll(async () => {
  server = await startTestServer(['--speed', '0', '--inventory', 'small']);
  admin = await RawApi.signIn(server);
  const other = { ...server, ready: { ...server.ready, username: 'jane@internal' } };
  jane = new RawApi(server, String((await requestToken(other)).json()['access_token']));
  beginning = (await state('GET')).text;
  ids = await readFirstIds(admin);
  janeId = (await list('/users')).find(({ name }) => name === 'jane')?.id ?? '';
  const all = await list('/roles?follow=permits');
  roles = all
    .map((role) => ({
      id: role.id,
      name: role.name,
      permits: new Set(role.permits?.permit.map(({ name }) => name)),
    }))
    .sort((a, b) => a.permits.size - b.permits.size);
});

afterAll(async () => {
  await server.stop();
});

interface Named {
  readonly id: string;
  readonly name: string;
  readonly permits?: { readonly permit: readonly { readonly name: string }[] };
}

async function list(path: string): Promise<Named[]> {
  const answer = await admin.json('GET', path);
  expect(answer.status, answer.text).toBe(200);
  return Object.values(answer.json<Record<string, Named[]>>())[0] ?? [];
}

function state(method: string, body?: string): ReturnType<typeof send> {
  const origin = new URL(server.ready.base_url).origin;
  return send(`${origin}/_vmctl/state`, {
    method,
    ca: server.ca,
    headers: { Authorization: `Bearer ${admin.token}` },
    ...(body === undefined ? {} : { body }),
  });
}

/** Restores the initial state, and gives Jane this system-wide role or none. */
async function janeHas(role: string | undefined): Promise<void> {
  const lines = beginning
    .split('\n')
    .filter((line) => !(line.startsWith('{"kind":"permission"') && line.includes(janeId)));
  if (role !== undefined) {
    const object = {
      id: '99999999-0000-4000-8000-000000000001',
      role: { id: role },
      user: { id: janeId },
    };
    lines.push(JSON.stringify({ kind: 'permission', collection: '/permissions', object }));
  }
  const put = await state('PUT', lines.join('\n'));
  expect(put.status, put.text).toBe(200);
}

function createPath({ path }: Operation): string {
  return path.replace(
    /\{(\w+)\}/g,
    (_, name: string) => ids[name] ?? '11111111-2222-3333-4444-555555555555',
  );
}

function ask(
  api: RawApi,
  operation: Operation,
  path = createPath(operation),
): ReturnType<RawApi['json']> {
  const body = operation.http === 'POST' || operation.http === 'PUT' ? {} : undefined;
  return api.json(operation.http, path, body);
}

function label({ http, path, name }: Operation): string {
  return `${http} ${path} (${name})`;
}

describe('without a token', () => {
  it('refuses every operation with 401, without any information', async () => {
    for (const operation of operations) {
      const answer = await send(`${server.ready.api_url}${createPath(operation)}`, {
        method: operation.http,
        ca: server.ca,
        agent: admin.agent,
      });
      expect(answer.status, label(operation)).toBe(401);
    }
  });
});

describe('a plain user without permissions', () => {
  it('changes nothing', async () => {
    await janeHas(undefined);
    for (const operation of changes) {
      const { status, text } = await ask(jane, operation);
      expect([400, 403, 404, 409, 503], `${label(operation)}: ${text}`).toContain(status);
    }
    const after = (await state('GET')).text;
    const before = new Set(beginning.split('\n'));
    const strange = after.split('\n').filter((line) => !before.has(line));
    expect(strange.filter((line) => !/"kind":"event"|"counter":"event"/.test(line))).toEqual([]);
  });

  it('reads only public objects', async () => {
    for (const operation of operations.filter(({ http }) => http === 'GET')) {
      const { status, text } = await ask(jane, operation);
      expect([200, 403, 404], `${label(operation)}: ${text}`).toContain(status);
    }
  });
});

describe('the same user with a role that has the permits', () => {
  it('has sufficient permits', async () => {
    const cases = changes.flatMap((operation) => {
      const needs =
        permitsByPath[operation.service]?.[operation.name] ??
        permitsByType[operation.type]?.[operation.name];
      const role =
        needs &&
        roles.find(
          ({ name, permits }) =>
            name !== 'SuperUser' && needs.every(({ permit }) => permits.has(permit)),
        );
      return role ? [{ operation, needs, role }] : [];
    });
    expect(cases.length).toBeGreaterThan(400);
    // Sorted by role: each change of the role restores the initial state.
    cases.sort((one, other) => one.role.name.localeCompare(other.role.name));
    let present: string | undefined;
    for (const { operation, needs, role } of cases) {
      if (present !== role.id) await janeHas(role.id);
      present = role.id;
      // Some permits apply to objects of the caller.
      const own = needs.some(({ on }) => on === 'own' || on === 'others');
      const path = own ? createPath(operation).replace(ids['user'] ?? '', janeId) : undefined;
      const { status, text } = await ask(jane, operation, path);
      expect([401, 403], `${label(operation)} as ${role.name}: ${text}`).not.toContain(status);
      // A successful change requires the initial state for the next case.
      if (status < 300) present = undefined;
    }
  });
});

/** Operations that are refused for all permits, with the text of the refusal. */
const never: Readonly<Record<string, string>> = {
  'DELETE /users/{user} (remove)': 'The administrator of the service cannot be removed.',
};

describe('the administrator', () => {
  it('is never refused', async () => {
    await janeHas(undefined);
    for (const operation of operations) {
      const { status, text } = await ask(admin, operation);
      const reason = never[label(operation)];
      if (reason) expect([status, text]).toEqual([409, expect.stringContaining(reason)]);
      else expect([401, 403, 500, 501], `${label(operation)}: ${text}`).not.toContain(status);
      if (status < 300 && operation.http !== 'GET') await janeHas(undefined);
    }
  });
});
