/** Lists in which a deployed engine ignores or refuses a parameter. */

/** Lists that are always complete, with any `max`. */
export const listedWhole: ReadonlySet<string> = new Set(['/clusterlevels', '/operatingsystems']);

/** Lists that refuse `filter=true`. */
export const neverFiltered: ReadonlySet<string> = new Set(['/tags']);

/** Lists with additional objects: the root of the tags. */
const listedBesides: Readonly<Record<string, number>> = { '/tags': 1 };

/** Maximum number of objects that an engine lists for a `max`. */
export function listLimit(collection: string, max: number): number {
  if (listedWhole.has(collection)) return Number.POSITIVE_INFINITY;
  return max + (listedBesides[collection] ?? 0);
}
