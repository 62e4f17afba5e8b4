/** The notation in which types, services and lifecycles are declared. */

/** Scalars: `int` is 32 bits, `long` 64 bits, `date` an ISO 8601 timestamp with offset. */
export type ScalarKind = 'string' | 'int' | 'long' | 'decimal' | 'bool' | 'date';

/**
 * What an attribute holds. `struct` is a nested object, `ref` a reference to an object of its own
 * (`{id, href}`, the whole object when followed), `links` a followable list of such objects.
 */
export type Kind =
  | ScalarKind
  | `enum ${string}`
  | `struct ${string}`
  | `ref ${string}`
  | `links ${string}`
  | `list ${ScalarKind}`
  | `list enum ${string}`
  | `list struct ${string}`;

/**
 * When a client may set an attribute: `R` never (output only), `C` on create, `CU` on create and
 * update, `U` on update only, `A` only inside an action.
 */
export type Mutability = 'R' | 'C' | 'CU' | 'U' | 'A';

export interface Attribute {
  readonly kind: Kind;
  readonly mut: Mutability;
  /** Accepted on input, never returned. */
  readonly writeOnly?: boolean;
  /** Value of a new object that does not say otherwise. */
  readonly default?: string | number | boolean | readonly string[];
  readonly doc?: string;
}

export interface TypeDefinition {
  /** XML element of one object; by default the name of the type. */
  readonly tag?: string;
  /** XML element of a list; by default the tag with an `s`. */
  readonly plural?: string;
  readonly doc?: string;
  /** The type whose attributes this one extends. */
  readonly base?: string;
  /** The type of the objects that references of this type lead to, where it has none of its own. */
  readonly standsFor?: string;
  /** Has id, href, name, description and comment (specification 2.2). */
  readonly identified?: boolean;
  readonly attributes: Readonly<Record<string, Attribute>>;
}

/** Declares a family of types; returns it unchanged, with its literal types kept. */
export function types<const T extends Readonly<Record<string, TypeDefinition>>>(family: T): T {
  return family;
}

/**
 * The operations of one path. `list`, `get`, `add`, `update`, `remove` and `head` are the HTTP
 * methods of specification 4.1; every other name is an action, POSTed to the path followed by its
 * name without underscores. The text names its parameters (see `parameters.ts`), separated by
 * blanks: query parameters for the methods, elements of the action body for actions. `?name` is a
 * query parameter of an action, `!name` a body element of a method, and `[]` says that the main
 * parameter is a list although the operation is not `list`.
 */
export interface ServiceDefinition {
  /** The type of the objects behind the path. */
  readonly type: string;
  readonly operations: Readonly<Record<string, string>>;
}

/** Declares a family of services; returns it unchanged. */
export function services<const S extends Readonly<Record<`/${string}`, ServiceDefinition>>>(
  family: S,
): S {
  return family;
}
