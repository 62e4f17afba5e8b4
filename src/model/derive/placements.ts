/** Placements of collections by path: the source of their objects. */
import type { Placement } from '../notation/collections.ts';
import type { MissingCollections } from '../notation/resource.ts';
import { allResources } from '../resources/index.ts';
import { allCollections } from './collections.ts';

export const placements: Readonly<Record<string, Placement>> = Object.fromEntries(
  allCollections.map(({ path, declared: { placement } }) => [path, placement]),
);

/** Collections that some objects of a type lack, by type. */
export const missingCollections: Readonly<Record<string, MissingCollections>> = Object.fromEntries(
  allResources.flatMap((one) =>
    one.missingCollections ? [[one.name, one.missingCollections]] : [],
  ),
);
