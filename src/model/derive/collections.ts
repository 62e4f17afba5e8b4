/** All paths of the API: the collections of all resources, each with its objects (specification 4.5). */
import type { Collection } from '../notation/collections.ts';
import { allResources, type TypeName } from '../resources/index.ts';

/** A collection, by the path templates of itself and of its objects. */
export interface DeclaredCollection {
  readonly type: TypeName;
  /** Path template of the collection. Absent if only its objects have paths. */
  readonly path: string;
  /** Path template of its objects, if they have paths. */
  readonly objects?: string;
  readonly declared: Collection;
}

/** Collections below a cluster exist below its data center too. */
const cluster = '/clusters/{cluster}/';
const clusterOfDataCenter = '/datacenters/{datacenter}';

/** All collections, grouped by resource. */
export const allCollections: readonly DeclaredCollection[] = allResources.flatMap(
  ({ name, paths }) =>
    Object.entries(paths).flatMap(([path, declared]) =>
      path.startsWith(cluster)
        ? [
            collectionAt(name, path, declared),
            collectionAt(name, `${clusterOfDataCenter}${path}`, declared),
          ]
        : [collectionAt(name, path, declared)],
    ),
);

function collectionAt(type: TypeName, path: string, declared: Collection): DeclaredCollection {
  if (!path.endsWith('}')) return { type, path, declared };
  return { type, path: path.slice(0, path.lastIndexOf('/')), objects: path, declared };
}
