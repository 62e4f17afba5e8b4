/** Texts that hold for one version of the store, one object or one caller alone are kept no longer. */
import { describe, expect, it } from 'vitest';
import { KeptTexts } from '../../../src/server/api/kept-texts.ts';
import { ShownTexts } from '../../../src/server/api/shown-texts.ts';
import { resolveCollection } from '../../../src/server/core/collection-ref.ts';
import type { RuleContext, VisibilityFilter } from '../../../src/server/core/context.ts';
import { useWorld } from '../support/world.ts';

const world = useWorld();
const kept = {
  version: 1,
  get knownVersion() {
    return this.version;
  },
};
const texts = new ShownTexts(new KeptTexts(kept));
const media = ['application/xml', 'application/json'] as const;

/** A machine, or an object of another place, as it is written in a list. */
function written(
  ctx: RuleContext,
  medium: (typeof media)[number],
  object: object,
  service = '/vms',
  ids: readonly string[] = [],
): string {
  const ref = resolveCollection(ctx.tx, service, ids);
  const view = { ctx, apiPath: '/api', allContent: false, everything: false };
  const [text] = texts.writerOf(view, ref)?.items(medium, [JSON.stringify(object)]) ?? [];
  if (typeof text !== 'string') throw new Error('It is not written at once.');
  return text;
}

describe.each(media)('%s', (medium) => {
  it('what was looked up is looked up anew when the store has changed', async () => {
    const disk = { id: 'd', name: 'a', quota: { id: 'q' } };
    const shown = (ctx: RuleContext) => written(ctx, medium, disk, '/disks');
    const inQuotas = '/datacenters/d/quotas/q';
    const without = await world.run((ctx) => [shown(ctx), shown(ctx)]);
    await world.run((ctx) => ctx.tx.insert('quota', '/datacenters/d/quotas', { id: 'q' }));
    kept.version += 1;
    const there = await world.run((ctx) => [shown(ctx), shown(ctx)]);
    await world.run((ctx) => ctx.tx.remove('quota', 'q'));
    kept.version += 1;
    const gone = await world.run(shown);
    for (const text of [...without, gone]) expect(text).not.toContain(inQuotas);
    for (const text of there) expect(text).toContain(inQuotas);
  });

  it('what stands below an object has its address', async () => {
    const nodes = [{ id: 'n' }];
    const [one, other] = await world.run((ctx) =>
      ['v1', 'v2'].map((id) => written(ctx, medium, { id, name: 'a', numa_nodes: nodes })),
    );
    expect(one).toContain('/api/vms/v1/numanodes/n');
    expect(other).toContain('/api/vms/v2/numanodes/n');
  });

  it('the same object is written with its address in each place, however often', async () => {
    const permit = { id: '1', name: 'a', administrative: false };
    await world.run((ctx) => {
      const roles = ctx.tx.ids('role', { limit: 2 });
      for (let turn = 0; turn < 3; turn++) {
        for (const role of roles) {
          const text = written(ctx, medium, permit, '/roles/{role}/permits', [role]);
          expect(text).toContain(`/api/roles/${role}/permits/1`);
        }
      }
    });
  });

  it('what is hidden from one caller is shown to another one', async () => {
    const vm = { id: 'v', name: 'a', host: { id: 'hidden' } };
    const seen = await world.run((ctx) => written(ctx, medium, vm));
    const filtered = await world.run((ctx) => {
      ctx.filter = { sees: (_kind: string, id: string) => id !== 'hidden' } as VisibilityFilter;
      return written(ctx, medium, vm);
    });
    expect(seen).toContain('/api/hosts/hidden');
    expect(filtered).not.toContain('hidden');
    expect(await world.run((ctx) => written(ctx, medium, vm))).toBe(seen);
  });

  it('a member that follows from others follows each of them', async () => {
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

it('writes nothing where all that is known of an object was asked for, or parts of it are made up', async () => {
  await world.run((ctx) => {
    const of = (service: string, everything = false) => {
      const ref = resolveCollection(ctx.tx, service, []);
      return texts.writerOf({ ctx, apiPath: '/api', allContent: everything, everything }, ref);
    };
    expect(of('/vms')).toBeDefined();
    expect(of('/vms', true)).toBeUndefined();
    expect(of('/options')).toBeUndefined();
  });
});
