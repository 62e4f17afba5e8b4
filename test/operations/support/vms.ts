/** What the tests of machines share: making one, waiting for one, writing bytes to its disks. */
import { expect } from 'vitest';
import type { People } from './site.ts';
import type { Thing } from './speaker.ts';

export const mebibyte = 2 ** 20;

type Added = Thing & { readonly id: string; readonly name: string };

/** Adds a machine of nothing to the cluster, with a name of its own. */
export async function newVm({ admin, path, name }: People, more: object = {}): Promise<Added> {
  const vm = {
    name: name('vm'),
    cluster: { id: path('{cluster}') },
    template: { name: 'Blank' },
    ...more,
  };
  const added = await admin.add('/vms', { vm });
  return { ...added, name: vm.name };
}

const moving = new Set([
  'image_locked',
  'wait_for_launch',
  'powering_up',
  'powering_down',
  'saving_state',
  'restoring_state',
  'reboot_in_progress',
  'migrating',
  'locked',
]);

/** The machine once it has come to rest. */
export function settled(people: People, id: string): Promise<Thing> {
  return until(people, `/vms/${id}`, (vm) => !moving.has(String(vm['status'])));
}

/** The object once it is as it should be; fails the test when that never happens. */
export async function until(
  { admin }: People,
  path: string,
  done: (object: Thing) => boolean,
): Promise<Thing> {
  const deadline = Date.now() + 20_000;
  for (;;) {
    const { object, status, text } = await admin.get(path);
    if (status === 200 && done(object)) return object;
    expect(Date.now(), `${path} never settled: ${text}`).toBeLessThan(deadline);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
