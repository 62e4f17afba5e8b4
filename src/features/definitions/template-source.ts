/** Temporary VM for a template that the definition describes without a source VM. */

import type { OperationRunner } from '../../cli/verbs/operation-runner.ts';
import { ConflictError } from '../../client/errors.ts';
import type { Item } from '../../definitions/document.ts';
import type { Entry } from '../../definitions/entries.ts';
import { isSame } from '../../definitions/identity.ts';
import { createSourceAttributes, templateSubcollections } from '../../definitions/templates.ts';
import { services } from '../../model/derive/services.ts';

export interface TemplateSource {
  readonly id: string;
  /** Removes the VM with its disks. */
  readonly remove: () => Promise<void>;
}

/** Marks the VM as temporary. */
const comment = 'Temporary VM of vmctl apply for a template.';

/** Creates a temporary VM; `listParts` returns the objects of a subcollection. */
export async function createTemplateSource(
  runner: OperationRunner,
  { label, wanted }: Entry,
  body: Item,
  listParts: (vm: string, collection: string) => Promise<readonly Item[]>,
): Promise<TemplateSource> {
  const { createHash } = process.getBuiltinModule('node:crypto');
  const key = JSON.stringify([label, wanted['version']]);
  const name = `vmctl-${createHash('sha256').update(key).digest('hex').slice(0, 16)}`;
  await removeLeftover(runner, name);
  const blank = await runner.finder.createReference('Blank', 'template');
  const vm = await runner.add({
    path: '/vms',
    name: 'add',
    body: { ...createSourceAttributes(body), name, comment, template: blank },
  });
  const id = String(vm.id);
  const remove = async () => {
    await runner.change({ path: '/vms/{vm}', name: 'remove' }, { id, label: `vms/${name}` });
  };
  try {
    for (const collection of templateSubcollections)
      await addParts(runner, id, collection, listParts);
  } catch (error) {
    await remove();
    throw error;
  }
  return { id, remove };
}

async function addParts(
  runner: OperationRunner,
  vm: string,
  collection: string,
  listParts: (vm: string, collection: string) => Promise<readonly Item[]>,
): Promise<void> {
  const path = `/vms/{vm}/${collection}`;
  const type = services[path]?.type ?? '';
  const bodies = await listParts(vm, collection);
  if (bodies.length === 0) return;
  // A new VM already has a graphics console.
  const present = type === 'graphics_console' ? await runner.list({ path, ids: { vm } }) : [];
  for (const body of bodies) {
    if (present.some((one) => isSame(type, body, one))) continue;
    await runner.add({ path, name: 'add', ids: { vm }, body });
  }
}

/** Removes the temporary VM of an interrupted run. */
async function removeLeftover(runner: OperationRunner, name: string): Promise<void> {
  const all = await runner.list({ path: '/vms' });
  const found = all.find((one) => one.name === name);
  if (!found) return;
  if (found.comment !== comment) {
    throw new ConflictError(`vms/${name}: the name of the temporary VM is in use`);
  }
  await runner.change(
    { path: '/vms/{vm}', name: 'remove' },
    { id: String(found.id), label: `vms/${name}` },
  );
}
