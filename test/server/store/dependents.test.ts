/** Dependents of a removed object: complete, with few statements. */
import { expect, it } from 'vitest';
import type { RuleContext } from '../../../src/server/core/context.ts';
import { erase, forgetReferences } from '../../../src/server/core/removal.ts';
import { listLinkAttributes, storedKinds } from '../../../src/server/store/kinds.ts';
import { countStatements } from '../support/statements.ts';
import { useWorld } from '../support/world.ts';

const world = useWorld();

/** All objects of the site, by the path prefix of their parts. */
function listObjects({ tx }: RuleContext): { id: string; path: string }[] {
  return storedKinds().flatMap((kind) =>
    tx.ids(kind).map((id) => ({ id, path: `${tx.findCollection(kind, id)}/${id}` })),
  );
}

it('finds the kinds with objects below each object of a site', async () => {
  await world.run((ctx) => {
    const { tx } = ctx;
    let found = 0;
    for (const { path } of listObjects(ctx)) {
      const below = storedKinds().filter((kind) => tx.below(kind, path).length > 0);
      expect(tx.kindsBelow(path).sort(), path).toEqual([...below].sort());
      found += below.length;
    }
    expect(found).toBeGreaterThan(20);
  });
});

it('does not confuse paths with a common id prefix', async () => {
  await world.run(({ tx }) => {
    tx.insert('nic', '/vms/1-2/nics', { id: 'n', name: 'n' });
    expect(tx.kindsBelow('/vms/1')).toEqual([]);
    expect(tx.kindsBelow('/vms/1-2')).toEqual(['nic']);
    tx.remove('nic', 'n');
  });
});

it('finds the lists that refer to each object of a site', async () => {
  await world.run((ctx) => {
    const { tx } = ctx;
    const [vm = ''] = tx.ids('vm', { limit: 1 });
    tx.insert('affinity_label', '/affinitylabels', { id: 'label', name: 'l', vms: [{ id: vm }] });
    tx.insert('affinity_group', '/clusters/c/affinitygroups', { id: 'group', vms: [{ id: vm }] });
    expect(tx.listsNaming(vm).length).toBeGreaterThan(1);
    let found = 0;
    for (const id of new Set(listObjects(ctx).map((one) => one.id))) {
      const naming = storedKinds().flatMap((kind) =>
        listLinkAttributes(kind)
          .filter((attribute) => tx.referring(kind, attribute, id).length > 0)
          .map((attribute) => `${kind}.${attribute}`),
      );
      const listed = tx.listsNaming(id).map(({ kind, attribute }) => `${kind}.${attribute}`);
      expect(listed.sort(), id).toEqual(naming.sort());
      found += naming.length;
    }
    expect(found).toBeGreaterThan(3);
  });
});

it('removes a VM with fewer statements than the number of kinds', async () => {
  await world.run((ctx) => {
    const { tx } = ctx;
    const [vm] = tx.list('vm', { where: { status: 'down' }, limit: 1 });
    const id = vm?.id ?? '';
    expect(tx.kindsBelow(`/vms/${id}`).length).toBeGreaterThan(0);
    const count = countStatements(tx, () => {
      erase(ctx, { ref: { kind: 'vm', collection: '/vms' }, object: { ...vm } });
      forgetReferences(ctx, id);
    });
    expect(count).toBeLessThan(storedKinds().length / 4);
    expect(tx.kindsBelow(`/vms/${id}`)).toEqual([]);
    expect(tx.get('vm', id)).toBeUndefined();
  });
});
