/** Permits of each operation, and the objects that they must be held on (specification 5.5). */
import { type ConditionalNeed, type Need, superUser } from '../notation/permits.ts';
import type { OperationRule } from '../notation/resource.ts';
import { allResources } from '../resources/index.ts';
import { allCollections } from './collections.ts';

type ByTypeAndOperation<V> = Readonly<Record<string, Readonly<Record<string, V>>>>;

/** What the rules of the operations of each type say, by type, then by operation. */
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

/** By type, then by operation. Operations that are not listed are for super users alone. */
export const permitsByType: ByTypeAndOperation<readonly Need[]> = byOperation(({ permit }) => {
  if (permit === superUser) return undefined;
  return 'on' in permit ? [permit] : permit;
});

/** By type, then by operation: permits beside those above. */
export const permitsWhenSent: ByTypeAndOperation<readonly ConditionalNeed[]> = byOperation(
  ({ permitWhenSent }) => permitWhenSent,
);

/** Collections whose objects are attached rather than made, by path: other permits hold there. */
export const permitsByPath: ByTypeAndOperation<readonly Need[]> = Object.fromEntries(
  allCollections.flatMap(({ path, objects, declared: { permits } }) =>
    permits ? [path, ...(objects ? [objects] : [])].map((one) => [one, permits]) : [],
  ),
);

/** What contains the objects of a type, as paths of references. */
export const containedIn: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  allResources.flatMap((one) => (one.containedIn ? [[one.name, one.containedIn]] : [])),
);

/** Types whose objects lead to those of a type. */
export const reachedFrom: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  allResources.flatMap((one) => (one.reachedFrom ? [[one.name, one.reachedFrom]] : [])),
);

/** Attributes by which objects of a type refer to what they are about. */
export const about: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  allResources.flatMap((one) => (one.about ? [[one.name, one.about]] : [])),
);
