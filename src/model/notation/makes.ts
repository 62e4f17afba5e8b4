/**
 * Notation of objects that operations create in addition to the addressed object: their collection,
 * and how to find them in it.
 */

export interface Makes {
  /**
   * Collection of the new object. Placeholders outside of the operation's path are elements of the
   * request with the same name.
   */
  readonly in: `/${string}`;
  /** Element of the request with the name of the new object. */
  readonly namedBy?: string;
  /** Member of the response that refers to it. */
  readonly answeredAs?: string;
  /** Whether it has the id of the addressed object, unless the request has `clone`. */
  readonly keepsId?: true;
  /** Element of the request that creates the object. */
  readonly when?: string;
}

/** Objects that an operation can create. The first one whose element is in the request applies. */
export type Making = readonly [Makes, ...Makes[]];

/** The operation needs a permit to create objects, but creates none. */
export const makesNothing = 'nothing';
