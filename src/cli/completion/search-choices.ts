/** Completion of search queries: fields, relations, values and keywords. */
import { crossReferences, searchFields } from '../../model/derive/search.ts';
import { isType, listAttributes, parseKind } from '../../model/index.ts';
import {
  relationsByKind,
  type SearchField,
  type SearchFields,
} from '../../model/notation/search.ts';
import { listOfferedValues } from '../../search/index.ts';
import { findRootCollection } from '../verbs/collections.ts';
import type { Choice } from './choice.ts';

export type SearchOffer =
  | { readonly choices: readonly Choice[] }
  | { readonly start: string; readonly noun: string };

const nothing: SearchOffer = { choices: [] };

/** Field, relation and a possibly incomplete value at the end of the query. */
const condition = /(?:^|[\s])([\w.]+)\s*(!=|<=|>=|=|<|>)\s*("?)([^\s"]*)$/;

/** Returns the choices for the end of a query. `type` is a key of `searchFields`. */
export function completeQuery(text: string, type: string): SearchOffer {
  const own = searchFields[type];
  if (!own) return nothing;
  const found = condition.exec(text);
  if (found) {
    const [, name = '', , quote = '', value = ''] = found;
    // The shell replaces a quoted name including its quotes.
    const start = text.slice(0, text.length - value.length - quote.length);
    return completeValue(findField(type, name), findNounForField(type, name), start, quote);
  }
  const [, word = ''] = /(?:^|\s)([\w.]*)$/.exec(text) ?? [];
  const start = text.slice(0, text.length - word.length);
  const isInQuotes = (start.match(/"/g)?.length ?? 0) % 2 === 1;
  if (isInQuotes || (word === '' && /\S$/.test(text))) return nothing;
  const choices = completeWord(type, own, start.trim().toLowerCase(), word);
  return { choices: choices.map(([one, doc]) => [`${start}${one}`, doc]) };
}

/** Returns the keywords and fields that can follow the query. */
function completeWord(
  type: string,
  own: SearchFields,
  before: string,
  word: string,
): readonly Choice[] {
  const last = /(\S+)$/.exec(before)?.[1] ?? '';
  const sorted = /\bsortby\s+\S+(\s+(?:asc|desc))?$/.exec(before);
  const page: Choice = ['page', 'page of the list'];
  if (/(^|\s)page(\s+\d+)?$/.test(before)) return [];
  if (last === 'sortby') {
    return listVisibleFields(own).flatMap(([name, field]) =>
      field.kind === 'tag' ? [] : [[name, describeField(field)]],
    );
  }
  if (sorted) {
    return sorted[1] === undefined ? [['asc', ''], ['desc', ''], page] : [page];
  }
  const fields = completeField(type, own, word);
  if (before !== '' && last !== 'and' && last !== 'or') {
    const joins: readonly Choice[] = [
      ['and', 'both conditions match'],
      ['or', 'one of the conditions matches'],
      ['sortby', 'sort by a field'],
      page,
    ];
    return word === '' ? joins : [...joins, ...fields];
  }
  return fields;
}

/**
 * Returns the fields, and those of related objects after a dot. A single match includes its
 * relations.
 */
function completeField(type: string, own: SearchFields, word: string): readonly Choice[] {
  const related = crossReferences[type] ?? [];
  const dot = word.indexOf('.');
  const through = related.find(({ names }) => names.includes(word.slice(0, Math.max(0, dot))));
  const start = dot < 0 ? '' : word.slice(0, dot + 1);
  const fields = dot < 0 ? own : through ? (searchFields[through.fields] ?? {}) : {};
  const references =
    dot < 0
      ? related.flatMap(({ names, fields: of }) =>
          (word === '' ? names.slice(-1) : names).map((name): Choice => [`${name}.`, `of ${of}`]),
        )
      : [];
  const matching = [
    ...listVisibleFields(fields).map(([name, field]) => [`${start}${name}`, field] as const),
  ].filter(([name]) => name.startsWith(word));
  const [only, ...others] = matching;
  const isOnly = only && others.length === 0 && !references.some(([name]) => name.startsWith(word));
  if (!isOnly || word === '') {
    return [
      ...matching.map(([name, field]): Choice => [name, describeField(field)]),
      ...references,
    ];
  }
  const [name, field] = only;
  return getRelations(field).map((relation) => [`${name}${relation}`, describeField(field)]);
}

function listVisibleFields(fields: SearchFields): readonly (readonly [string, SearchField])[] {
  return Object.entries(fields).filter(([, { hidden }]) => !hidden);
}

function getRelations({ kind, relations }: SearchField): readonly string[] {
  return relations ?? relationsByKind[kind];
}

const kindDocs: Readonly<Record<SearchField['kind'], string>> = {
  text: 'text',
  enum: 'a word',
  bool: 'true or false',
  number: 'a number',
  date: 'a date',
  span: 'a duration',
  severity: 'a severity',
  tag: 'a tag',
  user: 'a user',
};

function describeField({ kind, unit }: SearchField): string {
  return unit === undefined ? kindDocs[kind] : `${kindDocs[kind]} of ${unit}`;
}

function findField(type: string, name: string): SearchField | undefined {
  const [first = '', second] = name.toLowerCase().split('.');
  if (second === undefined) return searchFields[type]?.[first];
  const through = crossReferences[type]?.find(({ names }) => names.includes(first));
  return through && searchFields[through.fields]?.[second];
}

/** Returns the noun whose names are values of a field: VMs for `name`, clusters for `cluster`. */
function findNounForField(type: string, name: string): string | undefined {
  const [first = '', second] = name.toLowerCase().split('.');
  const through = crossReferences[type]?.find(({ names }) => names.includes(first));
  const of = second === undefined ? type : through?.type;
  const path = findField(type, name)?.path;
  if (of === undefined || path === undefined || !isType(of)) return undefined;
  if (path === 'name' || path === 'alias') return findRootCollection(of)?.noun;
  const [, attribute = ''] = /^(\w+)\.name$/.exec(path) ?? [];
  const kind = listAttributes(of)[attribute]?.kind;
  return kind && parseKind(kind).form === 'ref'
    ? findRootCollection(parseKind(kind).of)?.noun
    : undefined;
}

function completeValue(
  field: SearchField | undefined,
  noun: string | undefined,
  start: string,
  quote: string,
): SearchOffer {
  if (!field) return nothing;
  if (noun !== undefined) return { start, noun };
  const words = quote === '' ? listOfferedValues(field) : [];
  return { choices: words.map((word) => [`${start}${word}`, '']) };
}
