/** What may stand at the end of a search that is being typed: fields, relations, values, keywords. */
import { crossReferences, searchFields } from '../../model/derive/search.ts';
import { isType, listAttributes, parseKind } from '../../model/index.ts';
import {
  relationsByKind,
  type SearchField,
  type SearchFields,
} from '../../model/notation/search.ts';
import { listOfferedValues } from '../../search/index.ts';
import { homeOf } from '../verbs/collections.ts';
import type { Choice } from './choice.ts';

export type SearchOffer =
  | { readonly choices: readonly Choice[] }
  | { readonly start: string; readonly noun: string };

const nothing: SearchOffer = { choices: [] };

/** A field with its relation, and as much of its value as there is. */
const condition = /(?:^|[\s])([\w.]+)\s*(!=|<=|>=|=|<|>)\s*("?)([^\s"]*)$/;

/** What may stand at the end of a search for objects of a type, a key of `searchFields`. */
export function searchChoices(text: string, type: string): SearchOffer {
  const own = searchFields[type];
  if (!own) return nothing;
  const found = condition.exec(text);
  if (found) {
    const [, name = '', , quote = '', value = ''] = found;
    // Names in quotes are put in with their quotes.
    const start = text.slice(0, text.length - value.length - quote.length);
    return valueChoices(fieldAt(type, name), homeOfField(type, name), start, quote);
  }
  const [, word = ''] = /(?:^|\s)([\w.]*)$/.exec(text) ?? [];
  const start = text.slice(0, text.length - word.length);
  const isInQuotes = (start.match(/"/g)?.length ?? 0) % 2 === 1;
  if (isInQuotes || (word === '' && /\S$/.test(text))) return nothing;
  const choices = wordChoices(type, own, start.trim().toLowerCase(), word);
  return { choices: choices.map(([one, doc]) => [`${start}${one}`, doc]) };
}

/** What may follow what is complete already. */
function wordChoices(
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
    return plainFields(own).flatMap(([name, field]) =>
      field.kind === 'tag' ? [] : [[name, docOf(field)]],
    );
  }
  if (sorted) {
    return sorted[1] === undefined ? [['asc', ''], ['desc', ''], page] : [page];
  }
  const fields = fieldChoices(type, own, word);
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

/** Fields; those of related objects behind a dot. The only one that is left comes with its relations. */
function fieldChoices(type: string, own: SearchFields, word: string): readonly Choice[] {
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
    ...plainFields(fields).map(([name, field]) => [`${start}${name}`, field] as const),
  ].filter(([name]) => name.startsWith(word));
  const [only, ...others] = matching;
  const isOnly = only && others.length === 0 && !references.some(([name]) => name.startsWith(word));
  if (!isOnly || word === '') {
    return [...matching.map(([name, field]): Choice => [name, docOf(field)]), ...references];
  }
  const [name, field] = only;
  return relationsOf(field).map((relation) => [`${name}${relation}`, docOf(field)]);
}

function plainFields(fields: SearchFields): readonly (readonly [string, SearchField])[] {
  return Object.entries(fields).filter(([, { hidden }]) => !hidden);
}

function relationsOf({ kind, relations }: SearchField): readonly string[] {
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

function docOf({ kind, unit }: SearchField): string {
  return unit === undefined ? kindDocs[kind] : `${kindDocs[kind]} of ${unit}`;
}

function fieldAt(type: string, name: string): SearchField | undefined {
  const [first = '', second] = name.toLowerCase().split('.');
  if (second === undefined) return searchFields[type]?.[first];
  const through = crossReferences[type]?.find(({ names }) => names.includes(first));
  return through && searchFields[through.fields]?.[second];
}

/** The noun of the objects whose names the field holds: `name` of machines, `cluster` of them. */
function homeOfField(type: string, name: string): string | undefined {
  const [first = '', second] = name.toLowerCase().split('.');
  const through = crossReferences[type]?.find(({ names }) => names.includes(first));
  const of = second === undefined ? type : through?.type;
  const path = fieldAt(type, name)?.path;
  if (of === undefined || path === undefined || !isType(of)) return undefined;
  if (path === 'name' || path === 'alias') return homeOf(of)?.noun;
  const [, attribute = ''] = /^(\w+)\.name$/.exec(path) ?? [];
  const kind = listAttributes(of)[attribute]?.kind;
  return kind && parseKind(kind).form === 'ref' ? homeOf(parseKind(kind).of)?.noun : undefined;
}

function valueChoices(
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
