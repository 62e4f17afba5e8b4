/** Cached texts depend on the object, its address, the objects that it refers to, and the caller. */
import { describe, expect, it, vi } from 'vitest';
import { EncodedObjects } from '../../../src/server/api/encoded-objects.ts';
import { resolveCollection } from '../../../src/server/core/collection-ref.ts';
import type { RuleContext, VisibilityFilter } from '../../../src/server/core/context.ts';
import { useWorld } from '../support/world.ts';

const world = useWorld();
const cache = new EncodedObjects();
const media = ['application/xml', 'application/json'] as const;

/** A VM, or an object of another collection, as an item of a list. */
function written(
  ctx: RuleContext,
  medium: (typeof media)[number],
  object: object,
  service = '/vms',
  ids: readonly string[] = [],
): string {
  const ref = resolveCollection(ctx.tx, service, ids);
  const view = { ctx, apiPath: '/api', allContent: false, everything: false };
  const [text] = cache.encoderFor(view, ref)?.items(medium, [JSON.stringify(object)]) ?? [];
  if (typeof text !== 'string') throw new Error('The object is not cached.');
  return text;
}

describe.each(media)('%s', (medium) => {
  it('changes with the path of a referenced object', async () => {
    const profile = { id: 'p', name: 'a', qos: { id: 'q' } };
    const shown = (ctx: RuleContext) => written(ctx, medium, profile, '/vnicprofiles');
    const inQoss = '/datacenters/d/qoss/q';
    const without = await world.run((ctx) => [shown(ctx), shown(ctx)]);
    await world.run((ctx) => ctx.tx.insert('qos', '/datacenters/d/qoss', { id: 'q' }));
    const there = await world.run((ctx) => [shown(ctx), shown(ctx)]);
    await world.run((ctx) => ctx.tx.remove('qos', 'q'));
    const gone = await world.run(shown);
    for (const text of [...without, gone]) expect(text).not.toContain(inQoss);
    for (const text of there) expect(text).toContain(inQoss);
  });

  it('contains the address of the object in links to parts', async () => {
    const nodes = [{ id: 'n' }];
    const [one, other] = await world.run((ctx) =>
      ['v1', 'v2'].map((id) => written(ctx, medium, { id, name: 'a', numa_nodes: nodes })),
    );
    expect(one).toContain('/api/vms/v1/numanodes/n');
    expect(other).toContain('/api/vms/v2/numanodes/n');
  });

  it('contains the address of the object in its collection', async () => {
    const agent = { id: '1', name: 'a' };
    await world.run((ctx) => {
      const hosts = ctx.tx.ids('host', { limit: 2 });
      for (let turn = 0; turn < 3; turn++) {
        for (const host of hosts) {
          const text = written(ctx, medium, agent, '/hosts/{host}/fenceagents', [host]);
          expect(text).toContain(`/api/hosts/${host}/fenceagents/1`);
        }
      }
    });
  });

  it('changes with each attribute that a computed attribute depends on', async () => {
    const vm = { id: 'v', name: 'a', os: { type: 'rhel_9x64' }, status: 'up' };
    const icon = '11111111-2222-3333-4444-555555555555';
    const of = (more: object) => world.run((ctx) => written(ctx, medium, { ...vm, ...more }));
    const all = await Promise.all([
      of({}),
      of({ os: { type: 'windows_11' } }),
      of({ small_icon: { id: icon } }),
      of({ large_icon: { id: icon } }),
      of({ status: 'down' }),
      of({ run_once: true }),
      of({ stop_time: '2026-01-01T00:00:00.000Z' }),
      of({ creation_time: '2026-01-02T00:00:00.000Z' }),
      of({ display: { single_qxl_pci: true } }),
      of({ display: { type: 'vnc' } }),
    ]);
    expect(new Set(all).size).toBe(all.length);
    expect(await of({})).toBe(all[0]);
  });
});

it('caches neither complete, computed nor filtered objects', async () => {
  await world.run((ctx) => {
    const of = (service: string, everything = false) => {
      const ref = resolveCollection(ctx.tx, service, []);
      return cache.encoderFor({ ctx, apiPath: '/api', allContent: everything, everything }, ref);
    };
    expect(of('/vms')).toBeDefined();
    expect(of('/vms', true)).toBeUndefined();
    expect(of('/options')).toBeUndefined();
    ctx.filter = { sees: () => true } as Partial<VisibilityFilter> as VisibilityFilter;
    expect(of('/vms')).toBeUndefined();
  });
});

it('replaces all entries if the cache is full, at most once a minute', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  try {
    const small = new EncodedObjects(1_000);
    const add = (key: string) => {
      small.add(key, { text: 'x'.repeat(500), lookups: [] });
      return small.get(key) !== undefined;
    };
    expect([add('a'), add('b')]).toEqual([true, true]);
    expect([small.get('a'), add('c'), add('b')]).toEqual([undefined, false, true]);
    vi.advanceTimersByTime(60_000);
    expect(add('c')).toBe(true);
  } finally {
    vi.useRealTimers();
  }
});

it('does not cache lone surrogates, which UTF-8 cannot represent', () => {
  cache.add('lone', { text: '\ud800', lookups: [] });
  expect(cache.get('lone')).toBeUndefined();
});
