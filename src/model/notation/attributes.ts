/** Attributes of types: kinds of values, and mutability (specification 2.4). */

/** Scalars: `int` is 32 bits, `long` 64 bits, `date` an ISO 8601 timestamp with offset. */
export type ScalarKind = 'string' | 'int' | 'long' | 'decimal' | 'bool' | 'date';

/**
 * Kind of an attribute. `struct` is a nested object, `ref` a reference to another object (`{id,
 * href}`, the complete object if followed), `links` a followable list of objects.
 * `model/checked-names.ts` checks the names at compile time.
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
 * Mutability of an attribute: `R` read-only, `C` on create, `CU` on create and update, `U` only on
 * update, `A` only in actions.
 */
export type Mutability = 'R' | 'C' | 'CU' | 'U' | 'A';

export type SizeUnit = 'bytes' | 'MiB' | 'GiB';

export interface Attribute {
  readonly kind: Kind;
  readonly mut: Mutability;
  /** Unit of a size. Output for users uses a suitable unit. */
  readonly unit?: SizeUnit;
  /**
   * Attribute that determines this one if it is absent. A request with both sets both, even if one
   * is unchanged.
   */
  readonly sentWith?: string;
  /**
   * If a request contains this attribute without the other one, it determines the other one, also
   * if unchanged.
   */
  readonly decides?: string;
  /** Attribute that commands refuse together with this one, because services ignore one of them. */
  readonly excludes?: string;
  /** Minimum and maximum characters of a text. */
  readonly length?: readonly [min: number, max: number];
  /** Whether services refuse a smaller value, so that a change cannot be reverted. */
  readonly onlyGrows?: true;
  /** Accepted on input, never returned. */
  readonly writeOnly?: boolean;
  /** Password or key: masked in responses, and a placeholder in definitions. */
  readonly secret?: true;
  /**
   * Responses contain it, because clients need it. Recordings, the journal and histories do not.
   */
  readonly confidential?: true;
  /** Type of the object whose id is the value. Definitions contain its name instead. */
  readonly identifiedType?: string;
  /** Responses contain only the id of the object, without an address. */
  readonly withoutAddress?: true;
  /** Responses contain the complete object; its references contain only ids. */
  readonly withoutAddressesWithin?: true;
  /** Links to the same objects, for objects without such a list. */
  readonly through?: string;
  /** Value of a new object if the request has none. */
  readonly default?: string | number | boolean | readonly string[];
  readonly doc?: string;
}

export interface TypeDefinition {
  /** XML element of one object (default: the name of the type). */
  readonly tag?: string;
  /** XML element of a list (default: the tag with an `s`). */
  readonly plural?: string;
  readonly doc?: string;
  /** Type whose attributes this one extends. */
  readonly base?: string;
  /** Type of the referenced objects, if references of this type refer to another one. */
  readonly standsFor?: string;
  /** Whether it has id, href, name, description and comment (specification 2.2). */
  readonly identified?: boolean;
  /** Attributes that definitions omit, because they follow from others or are detected. */
  readonly unwritten?: readonly string[];
  /** Attributes of a base that responses contain. Others are only stored. */
  readonly answers?: readonly string[];
  readonly attributes: Readonly<Record<string, Attribute>>;
}
