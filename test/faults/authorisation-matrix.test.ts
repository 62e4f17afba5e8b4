/**
 * Who may do what: every operation of the model, asked by nobody, by somebody with other permissions,
 * and with every form of the filter. What is allowed follows from the permits of the model alone.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { permitsByPath, permitsByType } from '../../src/model/derive/permits.ts';
import { listAllOperations, type Operation, primaryPath } from '../../src/model/index.ts';
import type { RawApi } from '../support/raw.ts';
import { send } from '../support/raw.ts';
import { Atlas, worldOf } from './support/atlas.ts';
import { count, figure, some } from './support/catalogue.ts';
import { makeWorlds, type Worlds } from './support/worlds.ts';

let worlds: Worlds;
/** Paths of operations, with ids of Jane's half and of the other one. */
let own: Atlas;
let other: Atlas;
/** Names of the permits that Jane's role has. */
let held: Set<string>;
const log: string[] = [];

const operations = listAllOperations().filter(({ path }) => path !== '/');
const changes = operations.filter(({ http }) => http !== 'GET' && http !== 'HEAD');
const reads = operations.filter(({ http }) => http === 'GET');

beforeAll(async () => {
  worlds = await makeWorlds((line) => log.push(line));
  const state = await worlds.state();
  own = new Atlas(state, worldOf(state, worlds.west));
  other = new Atlas(state, worldOf(state, worlds.east));
  const named = (kind: string, id: unknown) =>
    state.find((one) => one.kind === kind && one.object.id === id)?.object['name'];
  const role = state.find(({ kind, object }) => kind === 'role' && object['name'] === 'UserRole');
  const permits = (role?.object['permits'] ?? []) as { id: string }[];
  held = new Set(permits.map(({ id }) => String(named('permit', id))));
  expect(held.has('connect_to_vm')).toBe(true);
});

afterAll(async () => {
  await worlds.stop();
});

function label({ http, path, name }: Operation): string {
  return `${http} ${path} (${name})`;
}

function ask(api: RawApi, { http }: Operation, path: string) {
  return api.json(http, path, http === 'POST' || http === 'PUT' ? {} : undefined);
}

/** Paths of an operation in both halves; in none, with ids that nothing has. */
function pathsOf({ path }: Operation): string[] {
  const nobody = path.replace(/\{\w+\}/g, '11111111-2222-4333-8444-555555555555');
  const found = [own.path(path), other.path(path)].filter((one) => one !== undefined);
  return found.length > 0 ? [...new Set(found)] : [nobody];
}

/** Whether Jane's role has all permits that an operation takes for certain. */
function isAllowed(operation: Operation): boolean {
  const needs =
    permitsByPath[primaryPath(operation.service)]?.[operation.name] ??
    permitsByType[operation.type]?.[operation.name];
  return needs?.every(({ permit, on }) => held.has(permit) || on === 'others') ?? false;
}

/** Operations that were done although the permits say otherwise. */
async function holes(api: RawApi, among: readonly Operation[]): Promise<string[]> {
  const found: string[] = [];
  for (const operation of among) {
    for (const path of pathsOf(operation)) {
      const { status, text } = await ask(api, operation, path);
      expect(status, `${label(operation)}: ${text} ${log.join('\n')}`).toBeLessThan(500);
      if (status < 300 && !isAllowed(operation)) found.push(label(operation));
    }
  }
  return found;
}

describe('every operation', () => {
  it('F4 authorisation matrix: nobody is answered without a token', async () => {
    for (const operation of some(operations, count(1, 3))) {
      for (const filter of ['', '?filter=true', '?filter=false']) {
        const url = `${worlds.jane.server.ready.api_url}${pathsOf(operation)[0]}${filter}`;
        const { status, text } = await send(url, {
          method: operation.http,
          ca: worlds.jane.server.ca,
          agent: worlds.jane.agent,
        });
        expect(status, `${label(operation)}: ${text}`).toBe(401);
        expect(text).not.toMatch(/west-|vm-0/);
      }
    }
  }, 900_000);

  it('F4 authorisation matrix: who may not see everything may not ask for it', async () => {
    for (const operation of some(reads, count(1, 3))) {
      const [path = ''] = pathsOf(operation);
      const { status, text } = await worlds.jane.json('GET', `${path}?filter=false`);
      expect([400, 404], `${label(operation)}: ${text}`).toContain(status);
      const header = { Filter: 'false', Accept: 'application/json' };
      const again = await worlds.jane.call('GET', path, { headers: header });
      expect([400, 404], label(operation)).toContain(again.status);
      const asked = await worlds.jane.json('GET', `${path}?filter=true`);
      const plain = await worlds.jane.json('GET', path);
      expect(asked.status, label(operation)).toBe(plain.status);
    }
  }, 900_000);

  it('F4 authorisation matrix: a role on the whole system shows the same with the filter', async () => {
    // Engines leave the CPU types out of a filtered list of levels.
    const same = reads.filter(({ path }) => path !== '/clusterlevels');
    for (const { path } of same.filter(({ path: one }) => one.split('/').length === 2)) {
      const all = await worlds.admin.json('GET', path);
      const filtered = await worlds.admin.json('GET', `${path}?filter=true`);
      expect([filtered.status, filtered.text], path).toEqual([all.status, all.text]);
    }
  }, 900_000);

  it('F4 authorisation matrix: nothing is changed without a permit', async () => {
    const found = await holes(worlds.jane, changes);
    expect([...new Set(found)]).toEqual([]);
    figure('F4', `0 unlisted holes in ${operations.length} operations`);
  }, 900_000);

  it('F4 control: who may do everything is found out', async () => {
    const found = await holes(
      worlds.admin,
      changes.filter(({ path }) => /^\/(?:vms|tags)/.test(path)),
    );
    expect(found.length).toBeGreaterThan(5);
  }, 900_000);
});
