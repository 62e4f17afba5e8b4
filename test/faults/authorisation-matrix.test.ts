/**
 * Authorization matrix (L1): every operation of the model, without a token, with insufficient
 * permissions, and with each form of the filter. The permits of the model define the expected
 * results.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { permitsByPath, permitsByType } from '../../src/model/derive/permits.ts';
import { listAllOperations, type Operation, primaryPath } from '../../src/model/index.ts';
import type { RawApi } from '../support/raw.ts';
import { send } from '../support/raw.ts';
import { findHalf, PathFiller } from './support/atlas.ts';
import { chooseCount, recordResult, sampleEvery } from './support/catalogue.ts';
import { createHalves, type SiteHalves } from './support/worlds.ts';

let worlds: SiteHalves;
/** Paths of operations, with ids of Jane's half and of the other half. */
let own: PathFiller;
let other: PathFiller;
/** Names of the permits that Jane's role has. */
let held: Set<string>;
const log: string[] = [];

const operations = listAllOperations().filter(({ path }) => path !== '/');
const changes = operations.filter(({ http }) => http !== 'GET' && http !== 'HEAD');
const reads = operations.filter(({ http }) => http === 'GET');

beforeAll(async () => {
  worlds = await createHalves((line) => log.push(line));
  const state = await worlds.state();
  own = new PathFiller(state, findHalf(state, worlds.west));
  other = new PathFiller(state, findHalf(state, worlds.east));
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

/** Paths of an operation in both halves; if a half has no object, a path with unknown ids. */
function listPaths({ path }: Operation): string[] {
  const nobody = path.replace(/\{\w+\}/g, '11111111-2222-4333-8444-555555555555');
  const found = [own.path(path), other.path(path)].filter((one) => one !== undefined);
  return found.length > 0 ? [...new Set(found)] : [nobody];
}

/** Whether Jane's role has all permits that the operation always requires. */
function isAllowed(operation: Operation): boolean {
  const needs =
    permitsByPath[primaryPath(operation.service)]?.[operation.name] ??
    permitsByType[operation.type]?.[operation.name];
  return needs?.every(({ permit, on }) => held.has(permit) || on === 'others') ?? false;
}

/** Operations that succeeded without the required permits. */
async function holes(api: RawApi, among: readonly Operation[]): Promise<string[]> {
  const found: string[] = [];
  for (const operation of among) {
    for (const path of listPaths(operation)) {
      const { status, text } = await ask(api, operation, path);
      expect(status, `${label(operation)}: ${text} ${log.join('\n')}`).toBeLessThan(500);
      if (status < 300 && !isAllowed(operation)) found.push(label(operation));
    }
  }
  return found;
}

describe('every operation', () => {
  it('F4 authorisation matrix: refuses requests without a token', async () => {
    for (const operation of sampleEvery(operations, chooseCount(1, 3))) {
      for (const filter of ['', '?filter=true', '?filter=false']) {
        const url = `${worlds.jane.server.ready.api_url}${listPaths(operation)[0]}${filter}`;
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

  it('F4 authorisation matrix: refuses an unfiltered read without the permission for everything', async () => {
    for (const operation of sampleEvery(reads, chooseCount(1, 3))) {
      const [path = ''] = listPaths(operation);
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

  it('F4 authorisation matrix: returns the same with the filter for a role on the whole system', async () => {
    // Engines omit the CPU types from a filtered list of levels.
    const same = reads.filter(({ path }) => path !== '/clusterlevels');
    for (const { path } of same.filter(({ path: one }) => one.split('/').length === 2)) {
      const all = await worlds.admin.json('GET', path);
      const filtered = await worlds.admin.json('GET', `${path}?filter=true`);
      expect([filtered.status, filtered.text], path).toEqual([all.status, all.text]);
    }
  }, 900_000);

  it('F4 authorisation matrix: refuses changes without a permit', async () => {
    const found = await holes(worlds.jane, changes);
    expect([...new Set(found)]).toEqual([]);
    recordResult('F4', `0 unlisted holes in ${operations.length} operations`);
  }, 900_000);

  it('F4 control: detects a user who may do everything', async () => {
    const found = await holes(
      worlds.admin,
      changes.filter(({ path }) => /^\/(?:vms|tags)/.test(path)),
    );
    expect(found.length).toBeGreaterThan(5);
  }, 900_000);
});
