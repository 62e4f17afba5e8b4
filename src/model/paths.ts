/** TypeScript types of the paths of the API, inferred from the declarations. */
import type { ChangingOperations } from './notation/resource.ts';
import type { Resource } from './resource.ts';
import type { Declarations, ResourceName } from './resources/index.ts';

type PathsOf<N extends ResourceName> = Declarations[N] extends { readonly paths: infer P }
  ? P
  : never;

/** Path template of the collection of an object: `/vms` of `/vms/{vm}`. */
type CollectionPath<
  P extends string,
  Before extends string = '',
> = P extends `${infer First}/${infer Rest}`
  ? Rest extends `${string}/${string}`
    ? CollectionPath<Rest, `${Before}${First}/`>
    : `${Before}${First}`
  : never;

/** Path template as declared, and that of the collection if it addresses one object. */
type WithCollection<P> = P extends `${string}}` ? P | CollectionPath<P> : P;

type TypesByPath = {
  readonly [N in ResourceName as WithCollection<keyof PathsOf<N>> & string]: N;
};

/** Declared path template, of objects or of a collection: `/vms/{vm}`, `/vms`. */
export type DeclaredPath = keyof TypesByPath;

/** Name of the type of the objects at a path. */
export type TypeAt<P extends DeclaredPath> = TypesByPath[P];

type OperationsOf<C> =
  | ChangingOperations<{ readonly only: C }>
  | Extract<keyof C, 'list' | 'get' | 'head'>
  | (C extends { readonly removeMany: object } ? 'remove' : never);

type OperationsByPath<N extends ResourceName> = {
  readonly [P in keyof PathsOf<N> as WithCollection<P> & string]: OperationsOf<PathsOf<N>[P]>;
};

/** Name of an operation at a path: of the collection or of its objects. */
export type OperationAt<P extends DeclaredPath> = P extends keyof OperationsByPath<TypeAt<P>>
  ? Extract<OperationsByPath<TypeAt<P>>[P], string>
  : never;

/** Requires a declared path, unless the path is not known when the code is written. */
export type KnownPath<P extends string> = P & (string extends P ? string : DeclaredPath);

/** Object at a path; of any type if the path is not known when the code is written. */
export type ObjectAt<P extends string> = P extends DeclaredPath
  ? Resource<TypeAt<P>>
  : Record<string, unknown>;

/** Name of an operation at a path; any name if the path is not known when the code is written. */
export type OperationIn<P extends string> = P extends DeclaredPath ? OperationAt<P> : string;
