/** A small site in memory, without sockets: for states that no request produces. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll } from 'vitest';
import { dialects } from '../../../src/model/dialect.ts';
import type { Resource } from '../../../src/model/resource.ts';
import { find, remove } from '../../../src/server/api/generic.ts';
import { requireAction } from '../../../src/server/core/behavior.ts';
import { resolveCollection } from '../../../src/server/core/collection-ref.ts';
import { RuleContext } from '../../../src/server/core/context.ts';
import type { Site } from '../../../src/server/core/ports.ts';
import { behaviors } from '../../../src/server/resources/index.ts';
import { fillDefaults } from '../../../src/server/seed/defaults.ts';
import { buildSite } from '../../../src/server/seed/site.ts';
import { openStore, type Store } from '../../../src/server/store/store.ts';

type Host = Resource<'host'>;

const counts = {
  datacenters: 1,
  clusters: 1,
  hosts: 3,
  storagedomains: 1,
  networks: 2,
  vms: 4,
  disks: 0,
};

export interface World {
  readonly store: () => Store;
  readonly site: () => Site;
  /** Runs work in a transaction on behalf of the service. */
  run<T>(work: (ctx: RuleContext) => T): Promise<T>;
  /** Runs an action of a host: `act(id, 'install', {})`. */
  act(id: string, action: string, body?: Record<string, unknown>): Promise<unknown>;
  remove(id: string): Promise<void>;
  host(name: string): Promise<Host & { id: string }>;
  /** Puts a host into a state, from any previous one. */
  put(id: string, changes: Partial<Host>): Promise<void>;
}

/** Creates a world before the tests of the file, with immediate transitions. */
export function useWorld(): World {
  let store: Store;
  let site: Site;
  beforeAll(async () => {
    store = await openStore(':memory:');
    site = {
      behaviors,
      dialect: dialects.standard,
      speed: 0,
      now: () => new Date(),
      steady: () => Date.now(),
      newId: randomUUID,
      random: () => 0.5,
      images: {
        sizes: () => ({ allocated: 0, length: 0 }),
      } as unknown as Site['images'],
      hostArchives: {} as Site['hostArchives'],
      tickets: {} as Site['tickets'],
      certificates: {} as Site['certificates'],
      answers: async () => true,
      address: () => '127.0.0.1:8443',
      isoFiles: () => [],
    };
    await store.write((tx) => {
      const ctx = RuleContext.system(tx, site);
      fillDefaults(ctx, 'admin@internal');
      buildSite(ctx, counts);
    });
  });
  afterAll(() => store.close());

  const run: World['run'] = (work) => store.write((tx) => work(RuleContext.system(tx, site)));
  return {
    store: () => store,
    site: () => site,
    run,
    act: (id, action, body = {}) =>
      run((ctx) => {
        const place = resolveCollection(ctx.tx, '/hosts', []);
        return requireAction(ctx, 'host', action)(ctx, find(ctx, place, id), body);
      }),
    remove: (id) =>
      run((ctx) => {
        const place = resolveCollection(ctx.tx, '/hosts', []);
        remove(ctx, find(ctx, place, id), ctx.parameters);
      }),
    host: (name) =>
      run((ctx) => {
        const found = ctx.tx.byName('host', name);
        if (!found?.id) throw new Error(`Host ${name} not found.`);
        return { ...found, id: found.id };
      }),
    put: (id, changes) =>
      run((ctx) => {
        const host = ctx.tx.get('host', id);
        ctx.tx.update('host', { ...host, ...changes });
      }),
  };
}
