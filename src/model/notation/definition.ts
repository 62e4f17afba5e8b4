/** Notation of definitions: what a site written down (`vmctl export`) says of a resource. */

type Path = `/${string}`;

export interface InDefinitions {
  /** Collections whose objects are written down, by path. */
  readonly writtenAt?: readonly Path[];
  /** Collections of which only the names are: their objects are written down elsewhere. */
  readonly namedAt?: readonly Path[];
  /** The attributes that are written in a collection, where the rest is written down elsewhere. */
  readonly only?: Readonly<Record<Path, readonly string[]>>;
  /** Why its objects are not written down: anywhere, or in these collections. */
  readonly leftOut?: string | Readonly<Record<Path, string>>;
  /**
   * Objects that every service has, or that come with others, and that nobody can change: those with
   * one of these values of an attribute, or with any.
   */
  readonly except?: Readonly<Record<string, readonly (string | boolean)[] | 'any'>>;
}
