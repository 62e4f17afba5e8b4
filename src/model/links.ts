/** Links of an object: the collections below its path that objects of its sort have. */
import { missingCollections } from './derive/placements.ts';
import { listSubCollections } from './index.ts';

const linksBySort = new Map<string, readonly string[]>();

/** Types whose links include a search template for each collection, such as `users/search`. */
const typesWithSearches: ReadonlySet<string> = new Set(['domain']);

const searchesByPath = new Map<string, readonly string[]>();

/** Relations of the links of an object, in dialects with templates for searches. */
export function listLinksWithSearches(
  ...[path, type, object, answer]: Parameters<typeof listLinks>
): readonly string[] {
  const links = listLinks(path, type, object, answer);
  if (!typesWithSearches.has(type)) return links;
  const known = searchesByPath.get(path) ?? [...links, ...links.map((word) => `${word}/search`)];
  searchesByPath.set(path, known);
  return known;
}

/**
 * Path segments of the collections below an object of a type at this path of the model. `answer`:
 * the response to an update, or to GET of a single object, in dialects where these have other
 * links.
 */
export function listLinks(
  path: string,
  type: string,
  object: Readonly<Record<string, unknown>>,
  answer?: 'updated' | 'alone' | 'listed',
): readonly string[] {
  const rule = missingCollections[type];
  // Below a data center, all storage domains have the same links, except in lists.
  if (!rule || (answer !== 'listed' && path.startsWith('/datacenters/'))) {
    return listSubCollections(path);
  }
  const instead =
    answer === 'updated' ? rule.afterUpdate : answer === 'alone' ? rule.alone : undefined;
  const sort = instead ? `${answer}` : String(object[rule.by]);
  const key = `${path} ${sort}`;
  let links = linksBySort.get(key);
  if (!links) {
    const without = instead ?? rule.collections[sort] ?? [];
    links = listSubCollections(path).filter((word) => !without.includes(word));
    linksBySort.set(key, links);
  }
  return links;
}
