/**
 * Parser of the search language (specification 4.3). It is written by hand to report positions and
 * expected tokens in linear time.
 */
import { crossReferences, defaultSorts, searchFields } from '../model/derive/search.ts';
import {
  type CrossReference,
  type Relation,
  relationsByKind,
  type SearchField,
} from '../model/notation/search.ts';
import type { Comparison, Expression, FreeText, NamedField, SearchQuery, SortKey } from './ast.ts';
import { Scanner, SearchError, SearchValueError, type Token, UnknownField } from './scanner.ts';
import { parseContainsPattern, readValue, requireId } from './values.ts';

export { SearchError } from './scanner.ts';

/** Limit that protects the store. People write far fewer conditions. */
const maxConditions = 256;

/** A condition on related objects costs a store as much as a search of those objects. */
const maxRelated = 16;

/** Page numbers have 32 bits. */
const maxPage = 2 ** 31 - 1;

/**
 * Parses a search for objects of a type, a key of `searchFields`, in linear time. Throws a
 * `SearchError` for invalid text.
 * @param now time that "today" refers to
 * @param wholeIds whether fields with ids accept only complete ids
 */
export function parseSearch(
  text: string,
  type: string,
  now: Date = new Date(),
  wholeIds = false,
): SearchQuery {
  return new Parser(text, type, now, wholeIds).query();
}

/** Left side of a condition. */
type Subject =
  | (NamedField & { readonly through?: CrossReference })
  | { readonly field?: never; readonly through: CrossReference };

class Parser {
  private readonly scanner: Scanner;
  private readonly type: string;
  private readonly now: Date;
  private readonly wholeIds: boolean;
  private readonly fields: Readonly<Record<string, SearchField>>;
  private conditionCount = 0;
  private relatedCount = 0;
  /** References that already have a search text; '' is the object itself. */
  private readonly freeTexts = new Set<string>();

  constructor(text: string, type: string, now: Date, wholeIds: boolean) {
    const fields = Object.hasOwn(searchFields, type) ? searchFields[type] : undefined;
    if (!fields) throw new Error(`Objects of type ${type} are not searchable.`);
    this.scanner = new Scanner(text);
    this.type = type;
    this.now = now;
    this.wholeIds = wholeIds;
    this.fields = fields;
  }

  query(): SearchQuery {
    const where = this.conditions();
    const sort = this.scanner.keyword('sortby') ? this.sort() : undefined;
    const page = this.scanner.keyword('page') ? this.page() : undefined;
    if (!this.scanner.atEnd) {
      // The remaining text follows an order or a page. Other text would be a condition.
      const expected = page === undefined ? ['page', 'the end'] : ['the end'];
      throw new SearchError('unexpected text', this.scanner.position, expected);
    }
    const order = [...(sort ? [sort] : []), ...defaultOrder(this.type)];
    return {
      type: this.type,
      ...(where ? { where } : {}),
      order,
      ...(page === undefined ? {} : { page }),
    };
  }

  /** Adjacent conditions form a conjunction. `and` and `or` bind more tightly. */
  private conditions(): Expression | undefined {
    const groups: Expression[] = [];
    while (!this.atEndOfConditions()) groups.push(this.alternatives());
    return groups.length > 0 ? joined('all', groups) : undefined;
  }

  private atEndOfConditions(): boolean {
    return (
      this.scanner.atEnd || this.scanner.startsWith('sortby') || this.scanner.startsWith('page')
    );
  }

  private alternatives(): Expression {
    const of = [this.conjunction()];
    while (this.scanner.keyword('or')) of.push(this.conjunction());
    return joined('any', of);
  }

  private conjunction(): Expression {
    const of = [this.condition()];
    while (this.scanner.keyword('and')) of.push(this.condition());
    return joined('all', of);
  }

  private condition(): Expression {
    const { scanner } = this;
    const position = scanner.position;
    const misplaced = ['and', 'or', 'sortby', 'page'].find((word) => scanner.startsWith(word));
    if (scanner.atEnd) throw new SearchError('the query ends', position, ['a condition']);
    if (misplaced) throw new SearchError(`unexpected ${misplaced}`, position, ['a condition']);
    if (++this.conditionCount > maxConditions) {
      throw new SearchError(`more than ${maxConditions} conditions`, position, ['the end']);
    }
    const word = scanner.word();
    if (!word) throw new SearchError('unexpected relation', position, ['a field']);
    if (!word.quoted && /^[()]/.test(word.text)) {
      throw new SearchError('parentheses are not supported', position, ['a condition']);
    }
    const relationAt = scanner.position;
    const relation = scanner.relation();
    if (!relation) return this.freeText(word);
    if (word.quoted) throw new SearchError('a field in quotes', position, ['a field']);
    const subject = this.subject(word);
    if (subject.through && ++this.relatedCount > maxRelated) {
      throw new SearchError(`more than ${maxRelated} conditions on related objects`, position);
    }
    const allowed = subject.field ? listRelations(subject.field) : relationsByKind.text;
    if (!allowed.includes(relation)) {
      throw new SearchError(`${relation} is not valid for ${word.text}`, relationAt, allowed);
    }
    return subject.field
      ? this.comparison(subject, relation)
      : this.freeText(scanner.value(), subject.through, relation === '!=');
  }

  private comparison(
    { name, field, through }: NamedField & { readonly through?: CrossReference },
    relation: Relation,
  ): Comparison {
    const word = this.scanner.value();
    if (this.wholeIds && field.isId) requireId(word);
    const value = readValue(field, relation, word, this.now);
    return { op: 'compare', ...(through ? { through } : {}), name, field, relation, value };
  }

  /**
   * Subject of a condition: the field `name`, the field `reference.name` of related objects, or all
   * text of these.
   */
  private subject({ text, position }: Token): Subject {
    const name = text.toLowerCase();
    const own = findField(this.fields, name);
    if (own) return { name, field: own };
    const dot = name.indexOf('.');
    const through = this.reference(dot < 0 ? name : name.slice(0, dot));
    if (!through) {
      throw new UnknownField(`unknown field ${shorten(text)}`, position, [
        ...listNames(this.fields),
        ...(crossReferences[this.type] ?? []).map(({ names }) => `${names[0]}.`),
      ]);
    }
    if (dot < 0) return { through };
    const related = searchFields[through.fields] ?? {};
    const field = findField(related, name.slice(dot + 1));
    if (field) return { name: name.slice(dot + 1), field, through };
    throw new SearchError(
      `unknown field ${shorten(text.slice(dot + 1))} of ${through.names[0]}`,
      position + dot + 1,
      listNames(related),
    );
  }

  private reference(name: string): CrossReference | undefined {
    return crossReferences[this.type]?.find(({ names }) => names.includes(name));
  }

  /** Allow one search text for each object, because several have no clear meaning. */
  private freeText(word: Token, through?: CrossReference, negated = false): FreeText {
    const key = through?.names[0] ?? '';
    if (this.freeTexts.has(key)) {
      throw new SearchError('a second search text', word.position, [
        'a field and a relation, or quotes around several words',
      ]);
    }
    this.freeTexts.add(key);
    const fields = through ? (searchFields[through.fields] ?? {}) : this.fields;
    return {
      op: 'text',
      ...(through ? { through } : {}),
      negated,
      fields: Object.entries(fields)
        .filter(([, field]) => field.kind === 'text' && !field.hidden)
        .map(([name, field]) => ({ name, field })),
      pattern: parseContainsPattern(word.text),
    };
  }

  private sort(): SortKey {
    const position = this.scanner.position;
    const sortable = listNames(this.fields).filter((name) => this.fields[name]?.kind !== 'tag');
    if (this.scanner.atEnd) throw new SearchError('the query ends', position, sortable);
    const word = this.scanner.word();
    const name = word?.text.toLowerCase() ?? '';
    const field = findField(this.fields, name);
    if (!field || field.kind === 'tag') {
      const problem = name === '' ? 'no field to sort by' : `cannot sort by ${shorten(name)}`;
      throw new SearchError(problem, position, sortable);
    }
    const descending = this.scanner.keyword('desc');
    if (!descending) this.scanner.keyword('asc');
    return { name, field, descending };
  }

  private page(): number {
    const position = this.scanner.position;
    const word = this.scanner.atEnd ? undefined : this.scanner.word();
    const page = word && /^\d{1,10}$/.test(word.text) ? Number(word.text) : 0;
    if (page < 1 || page > maxPage) {
      const expected = [`a number from 1 to ${maxPage}`];
      const isZero = word !== undefined && /^0+$/.test(word.text);
      throw new (isZero ? SearchValueError : SearchError)('no page number', position, expected);
    }
    return page;
  }
}

function joined(op: 'all' | 'any', of: readonly Expression[]): Expression {
  const [first] = of;
  return first && of.length === 1 ? first : { op, of };
}

function listRelations(field: SearchField): readonly Relation[] {
  return field.relations ?? relationsByKind[field.kind];
}

function findField(
  fields: Readonly<Record<string, SearchField>>,
  name: string,
): SearchField | undefined {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

function listNames(fields: Readonly<Record<string, SearchField>>): readonly string[] {
  return Object.keys(fields).filter((name) => !fields[name]?.hidden);
}

/** Beginning of a long word. */
function shorten(text: string): string {
  return text.length > 40 ? `${text.slice(0, 37)}...` : text;
}

/** Default order of a type, by name unless declared. It also breaks the ties of a requested order. */
function defaultOrder(type: string): SortKey[] {
  const rules = defaultSorts[type] ?? [{ path: 'name' }];
  return rules.map(({ path, descending = false }) => ({
    field: { kind: 'text', path },
    descending,
  }));
}
