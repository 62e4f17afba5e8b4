/** What a site written down says of collections, and why it says nothing of the others. */
import type { InDefinitions } from '../notation/definition.ts';
import { allResources } from '../resources/index.ts';
import { allCollections } from './collections.ts';

/** How a collection is written down: its objects, the names of them, or some of their attributes. */
export interface Written {
  readonly how: 'whole' | 'names';
  readonly only?: readonly string[];
}

const declared = allResources.flatMap((one): (readonly [string, InDefinitions])[] =>
  one.definition ? [[one.name, one.definition]] : [],
);

/** By the path of the collection. */
export const written: Readonly<Record<string, Written>> = Object.fromEntries(
  declared.flatMap(([, { writtenAt = [], namedAt = [], only = {} }]) => [
    ...writtenAt.map((path): [string, Written] => [
      path,
      { how: 'whole', ...(only[path] ? { only: only[path] } : {}) },
    ]),
    ...namedAt.map((path): [string, Written] => [path, { how: 'names' }]),
  ]),
);

/** By type: objects that every service has, or that come with others. */
export const unwrittenObjects: Readonly<Record<string, NonNullable<InDefinitions['except']>>> =
  Object.fromEntries(declared.flatMap(([name, { except }]) => (except ? [[name, except]] : [])));

/** Why objects that could be made are not written down: by type, or by the path of a collection. */
export const leftOut: Readonly<Record<string, string>> = Object.fromEntries(
  declared.flatMap(([name, { leftOut: why = {} }]) =>
    typeof why === 'string' ? [[name, why]] : Object.entries(why),
  ),
);

/** Below their data center clusters are found a second time. */
const secondPath = '/datacenters/{datacenter}/clusters';

/**
 * Collections in which objects can be made, and that a site written down neither has nor leaves out
 * for a reason: none. Views and lists of members show what is written elsewhere.
 */
export const undecided: readonly string[] = allCollections.flatMap(
  ({ type, path, declared: { add, placement } }) => {
    if (!add || written[path] || leftOut[path] || leftOut[type]) return [];
    const isElsewhere =
      path.startsWith(secondPath) || placement.is === 'view' || placement.is === 'members';
    const isWritten = declared.some(([name, one]) => name === type && one.writtenAt);
    return isElsewhere && isWritten ? [] : [path];
  },
);
