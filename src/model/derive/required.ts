/** Required members, by type and by path, of added objects and of actions (specification 4.5). */
import type { Requirement } from '../notation/collections.ts';
import { allResources } from '../resources/index.ts';
import { allCollections } from './collections.ts';

/** By type: what `add` asks for. */
export const requiredOnAdd: Readonly<Record<string, readonly Requirement[]>> = Object.fromEntries(
  allResources.flatMap(({ name, required }) => (required ? [[name, required]] : [])),
);

/** By path: collections whose `add` asks for something else, because it attaches what exists. */
export const requiredOnAttach: Readonly<Record<string, readonly Requirement[]>> =
  Object.fromEntries(
    allCollections.flatMap(({ path, declared: { required } }) =>
      required ? [[path, required]] : [],
    ),
  );

/** By type: what `add` asks for instead where one of these members is sent. */
export const requiredOnAddWith: Readonly<
  Record<string, Readonly<Record<string, readonly Requirement[]>>>
> = Object.fromEntries(
  allResources.flatMap(({ name, requiredWith }) => (requiredWith ? [[name, requiredWith]] : [])),
);

/** By kind of stored object, where it is not that of its type. */
export const requiredOnAddOfKind: Readonly<Record<string, readonly Requirement[]>> =
  Object.fromEntries(allResources.flatMap((one) => Object.entries(one.requiredOfKind ?? {})));

/** By type, then by operation: elements of the action body. */
export const requiredByAction: Readonly<
  Record<string, Readonly<Record<string, readonly Requirement[]>>>
> = Object.fromEntries(
  allResources.map(({ name, operations }) => [
    name,
    Object.fromEntries(
      Object.entries(operations ?? {}).flatMap(([operation, { required }]) =>
        required ? [[operation, required]] : [],
      ),
    ),
  ]),
);
