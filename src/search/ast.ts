/**
 * Syntax tree of a search. All names are resolved: each condition contains the definition of its
 * field, and its value in the form that the attribute has in memory.
 */
import type { CrossReference, Relation, SearchField } from '../model/notation/search.ts';

export interface SearchQuery {
  /** Type of the searched objects: a key of `searchFields`. */
  readonly type: string;
  /** Absent if the search selects all objects. */
  readonly where?: Expression;
  /** Requested order, followed by the keys of the default order. */
  readonly order: readonly SortKey[];
  /** Page number from 1. Absent if the search names no page. */
  readonly page?: number;
}

export type Expression = All | Any | Comparison | FreeText;

/** True if all of two or more expressions are true. */
export interface All {
  readonly op: 'all';
  readonly of: readonly Expression[];
}

/** True if any of two or more expressions is true. */
export interface Any {
  readonly op: 'any';
  readonly of: readonly Expression[];
}

export interface NamedField {
  readonly name: string;
  readonly field: SearchField;
}

/**
 * Comparison of one field with one value. `!=` is also true for an absent attribute. With
 * `through`, the field belongs to related objects, and one matching object suffices.
 */
export interface Comparison extends NamedField {
  readonly op: 'compare';
  readonly through?: CrossReference;
  readonly relation: Relation;
  readonly value: SearchValue;
}

/** Text to find in any text field of the object or of its related objects. */
export interface FreeText {
  readonly op: 'text';
  readonly through?: CrossReference;
  /** True for `reference!=text`. */
  readonly negated: boolean;
  readonly fields: readonly NamedField[];
  /** Pattern with wildcards at both ends. */
  readonly pattern: TextPattern;
}

/**
 * Text split at its wildcards: `web*` is `['web', '']`. Text without a wildcard is a single piece
 * and matches completely. Between two pieces, any text matches. `%` and `_` have no special
 * meaning.
 */
export interface TextPattern {
  readonly pieces: readonly string[];
}

export type SearchValue =
  /** `""` or `null`: the attribute is absent or empty. Only with `=` and `!=`. */
  | { readonly kind: 'absent' }
  | { readonly kind: 'text'; readonly pattern: TextPattern }
  /** Enum value, spelled as in the attribute. */
  | { readonly kind: 'word'; readonly word: string }
  /** An absent boolean counts as false. */
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'number'; readonly value: number | bigint }
  /**
   * A number of MiB or GiB, in bytes. Sizes count as complete units, rounded down: `=` is true from
   * `from` to below `until`, `<` below `from`, `>` from `until`.
   */
  | { readonly kind: 'size'; readonly from: number | bigint; readonly until: number | bigint }
  /**
   * A time and the time 24 hours later, as ISO 8601 in UTC. `=` is true from `from` to before
   * `until`, `<` before `from`, `>` after `from`.
   */
  | { readonly kind: 'date'; readonly from: string; readonly until: string }
  | { readonly kind: 'span'; readonly seconds: number }
  /** Severities that satisfy the relation. */
  | { readonly kind: 'severity'; readonly words: readonly string[] }
  /** Name of a tag. A descendant of this tag also matches. */
  | { readonly kind: 'tag'; readonly pattern: TextPattern }
  /** User name, and the name of its domain if the search contains one. */
  | { readonly kind: 'user'; readonly name: TextPattern; readonly domain?: TextPattern };

export interface SortKey {
  /** Name of the field in the requested order. */
  readonly name?: string;
  readonly field: SearchField;
  /** Absent values come first in ascending order, last in descending order. */
  readonly descending: boolean;
}
