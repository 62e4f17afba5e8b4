/** The machine that a template is made of, where a definition says only what the template is. */

import type { OperationRunner } from '../../cli/verbs/operation-runner.ts';
import { ConflictError } from '../../client/errors.ts';
import type { Item } from '../../definitions/document.ts';
import type { Entry } from '../../definitions/entries.ts';
import { isSame } from '../../definitions/identity.ts';
import { partsOfTemplates, sourceOfTemplate } from '../../definitions/templates.ts';
import { services } from '../../model/derive/services.ts';

export interface Source {
  readonly id: string;
  /** Removes the machine with its disks. */
  readonly remove: () => Promise<void>;
}

/** Says that nobody misses the machine. */
const comment = 'Temporary VM of vmctl apply for a template.';

/** Makes such a machine; `partsIn` says what is in a collection below it. */
export async function sourceOf(
  runner: OperationRunner,
  { label, wanted }: Entry,
  body: Item,
  partsIn: (vm: string, collection: string) => Promise<readonly Item[]>,
): Promise<Source> {
  const { createHash } = process.getBuiltinModule('node:crypto');
  const key = JSON.stringify([label, wanted['version']]);
  const name = `vmctl-${createHash('sha256').update(key).digest('hex').slice(0, 16)}`;
  await removeLeftOver(runner, name);
  const blank = await runner.finder.reference('Blank', 'template');
  const vm = await runner.add({
    path: '/vms',
    name: 'add',
    body: { ...sourceOfTemplate(body), name, comment, template: blank },
  });
  const id = String(vm['id']);
  const remove = async () => {
    await runner.change({ path: '/vms/{vm}', name: 'remove' }, { id, label: `vms/${name}` });
  };
  try {
    for (const collection of partsOfTemplates) await addParts(runner, id, collection, partsIn);
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
  partsIn: (vm: string, collection: string) => Promise<readonly Item[]>,
): Promise<void> {
  const path = `/vms/{vm}/${collection}`;
  const type = services[path]?.type ?? '';
  const bodies = await partsIn(vm, collection);
  if (bodies.length === 0) return;
  // A machine comes with a console.
  const present = type === 'graphics_console' ? await runner.list({ path, ids: { vm } }) : [];
  for (const body of bodies) {
    if (present.some((one) => isSame(type, body, one))) continue;
    await runner.add({ path, name: 'add', ids: { vm }, body });
  }
}

/** What an interrupted run has left behind. */
async function removeLeftOver(runner: OperationRunner, name: string): Promise<void> {
  const all = await runner.list({ path: '/vms' });
  const found = all.find((one) => one['name'] === name);
  if (!found) return;
  if (found['comment'] !== comment) {
    throw new ConflictError(`vms/${name}: the name of the temporary VM is in use`);
  }
  await runner.change(
    { path: '/vms/{vm}', name: 'remove' },
    { id: String(found['id']), label: `vms/${name}` },
  );
}
