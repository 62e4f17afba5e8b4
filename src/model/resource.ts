/** TypeScript types of API objects, inferred from their declarations. */
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

/** 64-bit integers: numbers up to 2^53, otherwise bigints. */
export type Long = number | bigint;

type EnumOf<E extends string> = E extends EnumName ? EnumValue<E> : never;
type ObjectOf<T extends string> = T extends TypeName ? Resource<T> : never;

/** TypeScript type of a value of this kind in memory. */
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

/** Common members of objects (specification 2.2). Structures have none. */
export interface Identified {
  id?: string;
  href?: string;
  name?: string;
  description?: string;
  comment?: string;
  link?: Link[];
  actions?: { link: Link[] };
}

/** Object of the named type in memory. All members are optional. */
export type Resource<T extends TypeName> = Omit<Identified, keyof Definition<T>['attributes']> &
  AttributesOf<T> &
  BaseOf<T>;

/** Parameters of an action by name (specification 4.5). All are optional. */
export type ActionBody = {
  -readonly [P in ActionParameter]?: ValueOf<(typeof actionParameters)[P]['kind']>;
};

/** Response to an action. */
export type ActionAnswer = ActionBody &
  Omit<Identified, 'actions'> & {
    status?: EnumValue<'creation_status'>;
    fault?: Resource<'fault'>;
    job?: Resource<'job'>;
  };
