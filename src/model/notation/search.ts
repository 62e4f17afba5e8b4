/**
 * Search: fields that objects are searched by, their relations to others, and the order of lists
 * (specification 4.3).
 */
/**
 * `text` compares as a whole or with `*`; `number` is an integer, `span` a duration, `severity` an
 * ordered word, `tag` the name of a tag or of one above it, `user` a name with or without its
 * domain.
 */
export type SearchFieldKind =
  | 'text'
  | 'enum'
  | 'bool'
  | 'number'
  | 'date'
  | 'span'
  | 'severity'
  | 'tag'
  | 'user';

export type Relation = '=' | '!=' | '<' | '>' | '<=' | '>=';

/**
 * One step from an object to others: `follow` goes to the objects that a reference or a list of
 * references names; `back` goes to the objects of a type whose reference names this one, as in
 * `disk_attachment.vm`; `paired` goes to the networks as clusters have them.
 */
export type Step =
  | { readonly follow: string }
  | { readonly back: string }
  | { readonly paired: 'cluster_network' };

export interface SearchField {
  readonly kind: SearchFieldKind;
  /** Steps to the objects that have the attribute, when it is not the object itself. */
  readonly through?: readonly Step[];
  /** Dotted path of the attribute; it may lead through references. Absent booleans are false. */
  readonly path?: string;
  /** Instead of a path: a member that is stored with the object and not shown. */
  readonly storedPath?: string;
  /** The attribute is a version, and its text `major.minor`. */
  readonly as?: 'version';
  /** Instead of a path: what the field means where it is no attribute. */
  readonly source?: string;
  /** Of an `enum` field (`checked-names.ts`). */
  readonly enum?: string;
  /**
   * Words beside those of the enum, in lower case and without underscores, and what they stand
   * for. Words of the enum itself are found in any case, with or without underscores.
   */
  readonly values?: Readonly<Record<string, string>>;
  /** Numbers are counted in this unit, the attribute in bytes. */
  readonly unit?: 'MiB' | 'GiB';
  /** Relations, where they are not those of the kind. */
  readonly relations?: readonly Relation[];
  /** An object without this reference has every value: Blank is in every data center. */
  readonly everyWithout?: string;
  /** Works, but is not offered. */
  readonly hidden?: boolean;
}

/** Relations that a field of a kind has when it does not say otherwise. */
export const relationsByKind: Readonly<Record<SearchFieldKind, readonly Relation[]>> = {
  text: ['=', '!='],
  enum: ['=', '!='],
  bool: ['=', '!='],
  number: ['=', '!=', '<', '>', '<=', '>='],
  date: ['<', '>'],
  span: ['<', '>'],
  severity: ['=', '!=', '<', '>', '<=', '>='],
  tag: ['=', '!='],
  user: ['=', '!='],
};

/** Severities of events, the mildest first. */
export const severities = ['normal', 'warning', 'error', 'alert'] as const;

/** Fields by the word that a search says. */
export type SearchFields = Readonly<Record<string, SearchField>>;

/** A way from an object to related ones, whose fields can be asked for as `name.field`. */
export interface CrossReference {
  /** The singular first; all are accepted. */
  readonly names: readonly string[];
  /** Whose fields there are: a type, or a kind that the search alone knows. */
  readonly fields: string;
  /** Type of the objects that the steps lead to. */
  readonly type: string;
  readonly steps?: readonly Step[];
  /** Instead of steps: a reference that is stored with the object and not shown. */
  readonly storedReference?: string;
}

export interface SortRule {
  readonly path: string;
  readonly descending?: boolean;
}

/** How objects of a type are searched for. */
export interface Search {
  readonly fields?: SearchFields;
  /** Ways to related objects, whose fields can be asked for as `name.field`. */
  readonly related?: readonly CrossReference[];
  /** Order of lists, and of what a requested order leaves open; by name where nothing is said. */
  readonly order?: readonly SortRule[];
  /** Fields of the same objects where they are seen from another one: a kind that the search knows. */
  readonly seenAs?: Readonly<Record<string, SearchFields>>;
}
