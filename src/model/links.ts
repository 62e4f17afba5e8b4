/** Links of an object to what is below it: the collections of its path that objects of its sort have. */
import { subCollections } from './index.ts';

interface Missing {
  /** The attribute that says of which sort an object is. */
  readonly by: string;
  readonly collections: Readonly<Record<string, readonly string[]>>;
}

/** By type: collections that objects of some sorts lack. */
const missing: Readonly<Record<string, Missing>> = {
  storage_domain: {
    by: 'type',
    collections: {
      data: ['files', 'images'],
      export: ['files', 'images'],
      iso: ['templates', 'vms', 'disks', 'images'],
      image: ['templates', 'vms', 'files', 'disks', 'storageconnections'],
    },
  },
  snapshot: {
    by: 'snapshot_type',
    // The present is no copy: its parts are those of the machine.
    collections: { active: ['cdroms', 'disks', 'nics'] },
  },
};

const kept = new Map<string, readonly string[]>();

/** Path words of the collections below an object of a type, found at this path of the model. */
export function linksOf(
  path: string,
  type: string,
  object: Readonly<Record<string, unknown>>,
): readonly string[] {
  const rule = missing[type];
  if (!rule) return subCollections(path);
  const sort = String(object[rule.by]);
  const key = `${path} ${sort}`;
  let links = kept.get(key);
  if (!links) {
    const without = rule.collections[sort] ?? [];
    links = subCollections(path).filter((word) => !without.includes(word));
    kept.set(key, links);
  }
  return links;
}
