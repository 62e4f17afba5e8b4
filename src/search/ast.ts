/**
 * Syntax tree of a search. Everything is resolved: each condition holds the definition of its field,
 * and its value is in the form in which the attribute holds it, so that nothing is left to look up.
 */
import type { CrossReference, Relation, SearchField } from '../model/notation/search.ts';

export interface SearchQuery {
  /** Key of `searchFields`: what is searched. */
  readonly type: string;
  /** Absent when everything is asked for. */
  readonly where?: Expression;
  /** The requested order first, then what the default order adds to it. */
  readonly order: readonly SortKey[];
  /** From 1; absent when no page was asked for. */
  readonly page?: number;
}

export type Expression = All | Any | Comparison | FreeText;

/** Holds where all of two or more expressions do. */
export interface All {
  readonly op: 'all';
  readonly of: readonly Expression[];
}

/** Holds where any of two or more expressions does. */
export interface Any {
  readonly op: 'any';
  readonly of: readonly Expression[];
}

export interface NamedField {
  readonly name: string;
  readonly field: SearchField;
}

/**
 * One field compared with one value. `!=` also holds where the attribute is absent. With `through`
 * the field is one of the related objects, and one of them is enough.
 */
export interface Comparison extends NamedField {
  readonly op: 'compare';
  readonly through?: CrossReference;
  readonly relation: Relation;
  readonly value: SearchValue;
}

/** Text looked for in any of the text fields of the object, or of the objects related to it. */
export interface FreeText {
  readonly op: 'text';
  readonly through?: CrossReference;
  /** It was written as `reference!=text`. */
  readonly negated: boolean;
  readonly fields: readonly NamedField[];
  /** Already with wildcards at both ends. */
  readonly pattern: TextPattern;
}

/**
 * Text cut at its wildcards: `web*` is `['web', '']`, and text without a wildcard a single piece,
 * which matches as a whole. Any text may stand between two pieces; `%` and `_` mean themselves.
 */
export interface TextPattern {
  readonly pieces: readonly string[];
}

export type SearchValue =
  /** `""` or `null`: the attribute is absent or empty text. Only with `=` and `!=`. */
  | { readonly kind: 'absent' }
  | { readonly kind: 'text'; readonly pattern: TextPattern }
  /** The word of an enum as the attribute holds it. */
  | { readonly kind: 'word'; readonly word: string }
  /** An absent boolean counts as false. */
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'number'; readonly value: number | bigint }
  /**
   * A number of MiB or GiB, in bytes. Sizes count as whole units, rounded down: `=` holds from
   * `from` on and below `until`, `<` below `from`, `>` from `until` on.
   */
  | { readonly kind: 'size'; readonly from: number | bigint; readonly until: number | bigint }
  /**
   * A moment and the one 24 hours later, as ISO 8601 in UTC: `=` holds from `from` on and before
   * `until`, `<` before `from`, `>` after `from`.
   */
  | { readonly kind: 'date'; readonly from: string; readonly until: string }
  | { readonly kind: 'span'; readonly seconds: number }
  /** The severities for which the condition holds, the relation taken into account. */
  | { readonly kind: 'severity'; readonly words: readonly string[] }
  /** The name of a tag; the tag itself or any tag below it will do. */
  | { readonly kind: 'tag'; readonly pattern: TextPattern }
  /** A user name and, when it was given, the name of its domain. */
  | { readonly kind: 'user'; readonly name: TextPattern; readonly domain?: TextPattern };

export interface SortKey {
  /** Of a requested order: what the field is called. */
  readonly name?: string;
  readonly field: SearchField;
  /** Ascending order has absent values first, descending order last. */
  readonly descending: boolean;
}
