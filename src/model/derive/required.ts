/** Required members, by type and by path, of added objects and of actions (specification 4.5). */
import type { Requirement } from '../notation/collections.ts';
import { allResources } from '../resources/index.ts';
import { allCollections } from './collections.ts';

/** Required attributes of `add`, by type. */
export const requiredOnAdd: Readonly<Record<string, readonly Requirement[]>> = Object.fromEntries(
  allResources.flatMap(({ name, required }) => (required ? [[name, required]] : [])),
);

/** Required attributes of an `add` that attaches existing objects, by path. */
export const requiredOnAttach: Readonly<Record<string, readonly Requirement[]>> =
  Object.fromEntries(
    allCollections.flatMap(({ path, declared: { required } }) =>
      required ? [[path, required]] : [],
    ),
  );

/** Required attributes of `add` if the request contains a certain member, by type. */
export const requiredOnAddWith: Readonly<
  Record<string, Readonly<Record<string, readonly Requirement[]>>>
> = Object.fromEntries(
  allResources.flatMap(({ name, requiredWith }) => (requiredWith ? [[name, requiredWith]] : [])),
);

/** Required attributes by kind of stored object, if they differ from those of the type. */
export const requiredOnAddOfKind: Readonly<Record<string, readonly Requirement[]>> =
  Object.fromEntries(allResources.flatMap((one) => Object.entries(one.requiredOfKind ?? {})));

/** Required elements of action bodies, by type and operation. */
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
