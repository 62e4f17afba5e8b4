/** Rules for names of objects, and the scope in which names are unique (specification 2.2). */

export type NamePattern = 'letters' | 'masked' | 'identifier' | 'dotted' | 'any';

export interface Naming {
  readonly pattern: NamePattern;
  /** Maximum characters of a name. */
  readonly max: number;
  /**
   * Scope of unique names: the service, the collection, objects with the same value of an attribute
   * (`cluster.data_center`), or none.
   */
  readonly unique: 'service' | 'collection' | 'nowhere' | { readonly within: string };
  /** Status of the refusal of a duplicate name (default 409). */
  readonly takenStatus?: 400;
}

/** Rule of each pattern, as a text and as a regular expression for complete names. */
export const namePatterns: Readonly<Record<NamePattern, { test: RegExp; rule: string }>> = {
  letters: {
    test: /^[\p{L}\p{N}._-]+$/u,
    rule: 'only letters, digits, ".", "_" and "-" are allowed',
  },
  masked: {
    test: /^[\p{L}\p{N}._-]*\?*[\p{L}\p{N}._-]*$/u,
    rule: 'only letters, digits, ".", "_" and "-" are allowed, and one run of "?"',
  },
  identifier: {
    test: /^[A-Za-z0-9_-]+$/,
    rule: 'only ASCII letters, digits, "_" and "-" are allowed',
  },
  dotted: {
    test: /^[A-Za-z0-9._-]+$/,
    rule: 'only ASCII letters, digits, ".", "_" and "-" are allowed',
  },
  any: { test: /^[^\p{Cc}]+$/u, rule: 'it must not be empty or contain control characters' },
};
