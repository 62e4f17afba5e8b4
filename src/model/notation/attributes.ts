/** Attributes of types: kinds of values, and when clients may set them (specification 2.4). */

/** Scalars: `int` is 32 bits, `long` 64 bits, `date` an ISO 8601 timestamp with offset. */
export type ScalarKind = 'string' | 'int' | 'long' | 'decimal' | 'bool' | 'date';

/**
 * What an attribute holds. `struct` is a nested object, `ref` a reference to an object of its own
 * (`{id, href}`, the whole object when followed), `links` a followable list of such objects. The names
 * behind the words are checked at compile time (`model/checked-names.ts`).
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

export type SizeUnit = 'bytes' | 'MiB' | 'GiB';

export interface Attribute {
  readonly kind: Kind;
  readonly mut: Mutability;
  /** What a size is counted in: people are shown it with a unit that fits. */
  readonly unit?: SizeUnit;
  /**
   * It follows from this attribute where it is not sent: who sends both means both, although one of
   * them may stay as it is.
   */
  readonly sentWith?: string;
  /** If a request has this attribute without the other one, it determines that one, also unchanged. */
  readonly decides?: string;
  /** Smallest and largest number of characters of a text. */
  readonly length?: readonly [min: number, max: number];
  /** Services refuse a smaller value: a change of it cannot be reverted. */
  readonly onlyGrows?: true;
  /** Accepted on input, never returned. */
  readonly writeOnly?: boolean;
  /** A password or key: answers mask it, definitions have a placeholder in its stead. */
  readonly secret?: true;
  /** Answers contain it because clients need it; recordings, the journal and histories do not. */
  readonly confidential?: true;
  /** The text is the id of such an object; definitions have its name. */
  readonly idOf?: string;
  /** Responses contain only the id of the object, without an address. */
  readonly withoutAddress?: true;
  /** Responses contain the whole object; its own references have ids only. */
  readonly withoutAddressesWithin?: true;
  /** Links that lead to the same objects from where an object has no such list of its own. */
  readonly through?: string;
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
  /** Attributes that definitions leave out: they follow from others, or from what the service finds. */
  readonly unwritten?: readonly string[];
  /** The attributes that answers contain, where others are only stored: those of a base. */
  readonly answers?: readonly string[];
  readonly attributes: Readonly<Record<string, Attribute>>;
}
