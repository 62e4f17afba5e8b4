/** Search notation: fields, related objects, and the order of lists (specification 4.3). */
/**
 * Kinds of search fields. `text` matches completely or with `*`. `number` is an integer unless
 * `isDecimal`. `span` is a duration. `severity` is an ordered enum. `tag` is the name of a tag or
 * of its ancestor. `user` is a name with or without its domain.
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
 * Step from an object to others. `follow`: the targets of a reference or a list of references.
 * `back`: the objects of a type whose reference names this object, as in `disk_attachment.vm`.
 * `paired`: the networks of clusters.
 */
export type Step =
  | { readonly follow: string }
  | { readonly back: string }
  | { readonly paired: 'cluster_network' };

export interface SearchField {
  readonly kind: SearchFieldKind;
  /** Steps to the objects with the attribute, if they are not the object itself. */
  readonly through?: readonly Step[];
  /** Dotted path of the attribute, also through references. Absent booleans are false. */
  readonly path?: string;
  /** Stored member that responses do not contain, instead of a path. */
  readonly storedPath?: string;
  /** Whether the attribute is a version, compared as `major.minor`. */
  readonly as?: 'version';
  /** Meaning of a field that is not an attribute, instead of a path. */
  readonly source?: string;
  /** Meaning, if the path does not show it. */
  readonly doc?: string;
  /** Enum of an `enum` field (`checked-names.ts`). */
  readonly enum?: string;
  /**
   * Additional values, in lower case and without underscores, and their meaning. Values of the enum
   * match in any case, with or without underscores.
   */
  readonly values?: Readonly<Record<string, string>>;
  /** Unit of numbers in searches. The attribute is in bytes. */
  readonly unit?: 'MiB' | 'GiB';
  /** Whether numbers can have a fraction. */
  readonly isDecimal?: true;
  /** Relations, if they differ from those of the kind. */
  readonly relations?: readonly Relation[];
  /** An object without this reference matches every value: Blank is in every data center. */
  readonly everyWithout?: string;
  /** Whether the values are ids. */
  readonly isId?: boolean;
  /** Works, but completion does not offer it. */
  readonly hidden?: boolean;
}

/** Default relations by kind of field. */
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

/** Severities of events in ascending order. */
export const severities = ['normal', 'warning', 'error', 'alert'] as const;

/** Fields by their names in searches. */
export type SearchFields = Readonly<Record<string, SearchField>>;

/** Related objects whose fields can be searched as `name.field`. */
export interface CrossReference {
  /** Accepted names, the singular first. */
  readonly names: readonly string[];
  /** Source of the fields: a type, or a kind that exists only in searches. */
  readonly fields: string;
  /** Type of the related objects. */
  readonly type: string;
  readonly steps?: readonly Step[];
  /** Stored reference that responses do not contain, instead of steps. */
  readonly storedReference?: string;
}

export interface SortRule {
  readonly path: string;
  readonly descending?: boolean;
}

/** Search of a type. */
export interface Search {
  readonly fields?: SearchFields;
  /** Related objects whose fields can be searched as `name.field`. */
  readonly related?: readonly CrossReference[];
  /** Default order of lists, which also breaks ties of a requested order. By name if absent. */
  readonly order?: readonly SortRule[];
  /** Engines refuse text without a field, and unknown fields. */
  readonly withoutText?: true;
  /** Fields of the same objects as seen from another object, by kind. */
  readonly seenAs?: Readonly<Record<string, SearchFields>>;
}
