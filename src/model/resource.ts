/** TypeScript types of the objects on the wire, inferred from their declarations. */
import type { EnumName, EnumValue } from './enums.ts';
import type { ActionParameter, actionParameters } from './notation/parameters.ts';
import type { Declarations, TypeName } from './resources/index.ts';

type Definition<T extends TypeName> = Declarations[T];

type ScalarValue<K> = K extends 'int' | 'decimal'
  ? number
  : K extends 'long'
    ? Long
    : K extends 'bool'
      ? boolean
      : string;

/** 64-bit integers are numbers while those are exact, and bigints beyond 2^53. */
export type Long = number | bigint;

type EnumOf<E extends string> = E extends EnumName ? EnumValue<E> : never;
type ObjectOf<T extends string> = T extends TypeName ? Resource<T> : never;

/** The TypeScript type of a value of this kind, as it is held in memory. */
export type ValueOf<K extends string> = K extends `enum ${infer E}`
  ? EnumOf<E>
  : K extends `struct ${infer T}` | `ref ${infer T}`
    ? ObjectOf<T>
    : K extends `links ${infer T}` | `list struct ${infer T}`
      ? ObjectOf<T>[]
      : K extends `list enum ${infer E}`
        ? EnumOf<E>[]
        : K extends `list ${infer S}`
          ? ScalarValue<S>[]
          : ScalarValue<K>;

type AttributesOf<T extends TypeName> = {
  -readonly [A in keyof Definition<T>['attributes']]?: Definition<T>['attributes'][A] extends {
    kind: infer K extends string;
  }
    ? ValueOf<K>
    : never;
};

type BaseOf<T extends TypeName> =
  Definition<T> extends { base: infer B extends TypeName } ? Resource<B> : unknown;

/** A link to related objects: `rel` names the relation (specification 2.3). */
export interface Link {
  rel: string;
  href: string;
}

/** What every object may carry (specification 2.2); structs leave it empty. */
export interface Identified {
  id?: string;
  href?: string;
  name?: string;
  description?: string;
  comment?: string;
  link?: Link[];
  actions?: { link: Link[] };
}

/** An object of the named type, as client and server hold it in memory: every part optional. */
export type Resource<T extends TypeName> = Omit<Identified, keyof Definition<T>['attributes']> &
  AttributesOf<T> &
  BaseOf<T>;

/** What is sent with an action: its parameters by name (specification 4.5), every one optional. */
export type ActionBody = {
  -readonly [P in ActionParameter]?: ValueOf<(typeof actionParameters)[P]['kind']>;
};
