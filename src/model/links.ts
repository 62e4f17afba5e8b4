/** Links of an object to what is below it: the collections of its path that objects of its sort have. */
import { missingCollections } from './derive/placements.ts';
import { subCollections } from './index.ts';

const linksBySort = new Map<string, readonly string[]>();

/** Path words of the collections below an object of a type, found at this path of the model. */
export function linksOf(
  path: string,
  type: string,
  object: Readonly<Record<string, unknown>>,
  { isUpdated = false, isListed = false } = {},
): readonly string[] {
  const rule = missingCollections[type];
  // Below a data center all storage domains have the same, except in lists.
  if (!rule || (!isListed && path.startsWith('/datacenters/'))) return subCollections(path);
  const sort = isUpdated && rule.afterUpdate ? 'updated' : String(object[rule.by]);
  const key = `${path} ${sort}`;
  let links = linksBySort.get(key);
  if (!links) {
    const without = sort === 'updated' ? (rule.afterUpdate ?? []) : (rule.collections[sort] ?? []);
    links = subCollections(path).filter((word) => !without.includes(word));
    linksBySort.set(key, links);
  }
  return links;
}
