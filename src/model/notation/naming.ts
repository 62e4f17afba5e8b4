/** Names: which ones objects may have, and among which objects a name is unique (specification 2.2). */

export type NamePattern = 'letters' | 'masked' | 'identifier' | 'dotted' | 'any';

export interface Naming {
  readonly pattern: NamePattern;
  /** Longest name, in characters. */
  readonly max: number;
  /**
   * Where a name is unique: in the whole service, in the collection, among objects with the same
   * value of an attribute (`cluster.data_center`), or nowhere.
   */
  readonly unique: 'service' | 'collection' | 'nowhere' | { readonly within: string };
  /** Status of the refusal of a name that is taken, where it is not 409. */
  readonly takenStatus?: 400;
}

/** What each pattern allows, in words and as a test of the whole name. */
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
