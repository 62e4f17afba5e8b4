/** Collections in definitions, and reasons to omit the others. */
import type { InDefinitions } from '../notation/definition.ts';
import { allResources } from '../resources/index.ts';
import { allCollections } from './collections.ts';

/** Form of a collection in definitions: complete objects, only names, or some attributes. */
export interface Written {
  readonly how: 'whole' | 'names';
  readonly only?: readonly string[];
}

const declared = allResources.flatMap((one): (readonly [string, InDefinitions])[] =>
  one.definition ? [[one.name, one.definition]] : [],
);

/** By the path of the collection. */
export const writtenCollections: Readonly<Record<string, Written>> = Object.fromEntries(
  declared.flatMap(([, { writtenAt = [], namedAt = [], only = {} }]) => [
    ...writtenAt.map((path): [string, Written] => [
      path,
      { how: 'whole', ...(only[path] ? { only: only[path] } : {}) },
    ]),
    ...namedAt.map((path): [string, Written] => [path, { how: 'names' }]),
  ]),
);

/** Objects, by type, that every service has or that are created with others. */
export const unwrittenObjects: Readonly<Record<string, NonNullable<InDefinitions['except']>>> =
  Object.fromEntries(declared.flatMap(([name, { except }]) => (except ? [[name, except]] : [])));

/** Reasons to omit objects from definitions, by type or by path of a collection. */
export const omittedCollections: Readonly<Record<string, string>> = Object.fromEntries(
  declared.flatMap(([name, { leftOut: why = {} }]) =>
    typeof why === 'string' ? [[name, why]] : Object.entries(why),
  ),
);

/** Clusters exist at the top level too. */
const secondPath = '/datacenters/{datacenter}/clusters';

/**
 * Collections with `add` that definitions neither contain nor omit with a reason. The list must be
 * empty. Views and lists of members show objects of other collections.
 */
export const undecidedCollections: readonly string[] = allCollections.flatMap(
  ({ type, path, declared: { add, placement } }) => {
    if (!add || writtenCollections[path] || omittedCollections[path] || omittedCollections[type])
      return [];
    const isElsewhere =
      path.startsWith(secondPath) || placement.is === 'view' || placement.is === 'members';
    const isWritten = declared.some(([name, one]) => name === type && one.writtenAt);
    return isElsewhere && isWritten ? [] : [path];
  },
);
