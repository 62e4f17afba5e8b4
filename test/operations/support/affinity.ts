/** Common helpers of the affinity tests: groups and labels. */
import type { People } from './site.ts';

/** Creates a group of the cluster, and returns its path. */
export async function makeGroup({ admin, path, name }: People, prefix: string, more: object = {}) {
  const group = { name: name('group'), ...more };
  const added = await admin.add(path(prefix), { affinity_group: group });
  return { ...added, name: group.name, at: `${path(prefix)}/${added.id}` };
}

/** Creates a label with a unique name. */
export async function makeLabel({ admin, name }: People, more: object = {}) {
  const affinity_label = { name: name('label'), ...more };
  const added = await admin.add('/affinitylabels', { affinity_label });
  return { ...added, name: affinity_label.name };
}
