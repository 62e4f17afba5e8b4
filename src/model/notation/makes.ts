/**
 * Notation of what operations make beside the object that they are called on: where the new object is
 * found, and how it is known among the others there.
 */

export interface Makes {
  /**
   * The collection that gets the new object. What is not its own path says it: a placeholder stands
   * for the element of the request of the same name.
   */
  readonly in: `/${string}`;
  /** Element of the request that may hold the name of the new object. */
  readonly namedBy?: string;
  /** Member of the answer that refers to it. */
  readonly answeredAs?: string;
  /** It has the id of the object that the operation is called on, unless `clone` is sent. */
  readonly keepsId?: true;
  /** It is made only where this element is sent. */
  readonly when?: string;
}

/** What an operation makes; of several the first whose element is sent. */
export type Making = readonly [Makes, ...Makes[]];

/** The operation needs the permit to make something, but makes nothing that was not there. */
export const makesNothing = 'nothing';
