/**
 * Permits of each operation, and the objects on which the caller needs them (specification 5.5).
 */
import { type ConditionalNeed, type Need, superUser } from '../notation/permits.ts';
import type { OperationRule } from '../notation/resource.ts';
import { allResources } from '../resources/index.ts';
import { allCollections } from './collections.ts';

type ByTypeAndOperation<V> = Readonly<Record<string, Readonly<Record<string, V>>>>;

/** One property of the operation rules, by type and operation. */
function byOperation<V>(of: (rule: OperationRule) => V | undefined): ByTypeAndOperation<V> {
  return Object.fromEntries(
    allResources.map(({ name, operations }) => [
      name,
      Object.fromEntries(
        Object.entries(operations ?? {}).flatMap(([operation, rule]) => {
          const value = of(rule);
          return value === undefined ? [] : [[operation, value]];
        }),
      ),
    ]),
  );
}

/** By type and operation. Operations without an entry are restricted to superusers. */
export const permitsByType: ByTypeAndOperation<readonly Need[]> = byOperation(({ permit }) => {
  if (permit === superUser) return undefined;
  return 'on' in permit ? [permit] : permit;
});

/** Additional permits, by type and operation. */
export const permitsWhenSent: ByTypeAndOperation<readonly ConditionalNeed[]> = byOperation(
  ({ permitWhenSent }) => permitWhenSent,
);

/** Permits of collections that attach existing objects, by path. */
export const permitsByPath: ByTypeAndOperation<readonly Need[]> = Object.fromEntries(
  allCollections.flatMap(({ path, objects, declared: { permits } }) =>
    permits ? [path, ...(objects ? [objects] : [])].map((one) => [one, permits]) : [],
  ),
);

/** Containers of the objects of a type, as paths of references. */
export const containedIn: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  allResources.flatMap((one) => (one.containedIn ? [[one.name, one.containedIn]] : [])),
);

/** Types whose visible objects make an object of a type visible. */
export const reachedFrom: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  allResources.flatMap((one) => (one.reachedFrom ? [[one.name, one.reachedFrom]] : [])),
);

/** Attributes that refer to the subject of an object, by type. */
export const about: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  allResources.flatMap((one) => (one.about ? [[one.name, one.about]] : [])),
);
