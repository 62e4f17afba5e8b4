/** Notation of definitions: how `vmctl export` writes a resource. */

type Path = `/${string}`;

export interface InDefinitions {
  /** Collections with complete objects, by path. */
  readonly writtenAt?: readonly Path[];
  /** Collections with names only. Their objects are written in another collection. */
  readonly namedAt?: readonly Path[];
  /** Attributes to write in a collection, if others are written in another one. */
  readonly only?: Readonly<Record<Path, readonly string[]>>;
  /** Reason to omit its objects from all collections, or from these. */
  readonly leftOut?: string | Readonly<Record<Path, string>>;
  /**
   * Unchangeable objects that every service has, or that are created with others: those with one of
   * these values of an attribute, or with any value.
   */
  readonly except?: Readonly<Record<string, readonly (string | boolean)[] | 'any'>>;
}
