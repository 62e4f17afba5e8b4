/**
 * Choices from the model: attribute paths, conditions, types and search queries.
 * Loaded only for such values.
 */

import { stateAttribute } from '../../client/wait-for-condition.ts';
import { types } from '../../model/derive/types.ts';
import { listEnumValues } from '../../model/enum-values.ts';
import { isIdentified, isType, listAttributes, parseKind } from '../../model/index.ts';
import type { Attribute, Kind } from '../../model/notation/attributes.ts';
import { findNoun } from '../args/catalog.ts';
import { defaultColumns, listShortNames } from '../output/columns.ts';
import { findRootCollection, listCollections } from '../verbs/collections.ts';
import { type Candidate, findVerb } from '../verbs/derive-verbs.ts';
import {
  type BodySchema,
  findKindAt,
  getBodySchema,
  isReference,
  isWritable,
  listMembers,
} from '../verbs/fields.ts';
import { getSearchType } from '../verbs/search-query.ts';
import { type Choice, listNounChoices } from './choice.ts';
import { completeQuery } from './search-choices.ts';
import type { ModelKind } from './table.ts';

/** Choices, or a prefix for names of a noun. `isQuoted`: names in a search query need quotes. */
export type ModelOffer =
  | { readonly choices: readonly Choice[] }
  | { readonly start: string; readonly noun: string; readonly isQuoted?: boolean };

/** Noun and verb of the completed command. */
export interface CompletionSubject {
  readonly noun: string;
  readonly verb: string;
}

/** Returns the choices for a value of a kind. */
export function listModelChoices(
  of: ModelKind,
  subject: CompletionSubject,
  typed: string,
): ModelOffer {
  const candidates = findVerb(subject.noun, subject.verb)?.candidates ?? [];
  const [candidate] = candidates;
  const type = candidate?.collection.type ?? listCollections(subject.noun)[0]?.type;
  if (of === 'types') return { choices: completeType(typed) };
  if (type === undefined) return { choices: [] };
  switch (of) {
    case 'columns':
      return { choices: completeColumn(type, typed) };
    case 'order':
      return { choices: completeOrder(type, typed) };
    case 'links':
      return { choices: completeLink(type, typed) };
    case 'condition':
      return { choices: listConditions(type) };
    case 'assignment':
      return completeAssignment(candidates, typed);
    case 'search':
      return completeSearch(candidates, type, typed);
  }
}

/** First sentence of the description of an attribute. */
function getFirstSentence({ doc = '' }: Attribute): string {
  return doc.split(/(?<=\.)\s/, 1)[0] ?? '';
}

function hasParts(kind: Kind): boolean {
  const { form } = parseKind(kind);
  return form !== 'scalar' && form !== 'enum';
}

const identity: Readonly<Record<string, Attribute>> = {
  id: { kind: 'string', mut: 'R', doc: 'Set by the service' },
};

/** Lists the attributes after the last dot of a path, with their complete paths. */
function listPaths(
  type: string,
  typed: string,
): readonly { readonly path: string; readonly attribute: Attribute }[] {
  const words = typed.split('.').slice(0, -1);
  let at = type;
  for (const word of words) {
    const kind = isType(at) ? listAttributes(at)[word]?.kind : undefined;
    const { form, of } = kind ? parseKind(kind) : { form: 'scalar', of: '' };
    if (form === 'scalar' || form === 'enum') return [];
    at = of;
  }
  if (!isType(at)) return [];
  const all = { ...(isIdentified(at) ? identity : {}), ...listAttributes(at) };
  return Object.entries(all).map(([name, attribute]) => ({
    path: [...words, name].join('.'),
    attribute,
  }));
}

function listReadablePaths(type: string, typed: string): readonly Choice[] {
  return listPaths(type, typed)
    .filter(({ attribute }) => !attribute.writeOnly)
    .map(({ path, attribute }) => [
      hasParts(attribute.kind) ? `${path}.` : path,
      getFirstSentence(attribute),
    ]);
}

/** Completes the last path of `title=path` and `path*path`. */
function completeColumn(type: string, typed: string): readonly Choice[] {
  const sign = /^[+-]/.exec(typed)?.[0] ?? '';
  const at = Math.max(typed.lastIndexOf('='), typed.lastIndexOf('*'), sign.length - 1);
  const start = typed.slice(0, at + 1);
  const titles = sign === '' ? [] : defaultColumns(type).map(({ title }) => title);
  const short = [...titles, ...listShortNames(type)].map((name): Choice => [name, '']);
  const known = new Map([...short, ...listReadablePaths(type, typed.slice(start.length))]);
  return [...known].map(([path, doc]) => [`${start}${path}`, doc]);
}

function completeOrder(type: string, typed: string): readonly Choice[] {
  const sign = typed.startsWith('-') ? '-' : '';
  const titles = defaultColumns(type).map(({ title }): Choice => [title, '']);
  const paths = listReadablePaths(type, typed.slice(sign.length));
  const known = new Map([...titles, ...paths]);
  return [...known].map(([path, doc]) => [`${sign}${path}`, doc]);
}

function completeLink(type: string, typed: string): readonly Choice[] {
  return listPaths(type, typed)
    .filter(({ attribute }) => ['ref', 'links'].includes(parseKind(attribute.kind).form))
    .map(({ path, attribute }) => [path, getFirstSentence(attribute)]);
}

function listConditions(type: string): readonly Choice[] {
  const attribute = stateAttribute(type);
  const kind = attribute === undefined ? undefined : listAttributes(type)[attribute]?.kind;
  const states = kind ? listValues(kind) : [];
  return [
    ['exists', 'the object exists'],
    ['gone', 'the object no longer exists'],
    ['settled', 'the object is in a stable state'],
    ['event=', 'an event with this code occurred for the object'],
    ...['=', '!='].flatMap((sign) => states.map((state): Choice => [`status${sign}${state}`, ''])),
  ];
}

function listValues(kind: Kind): readonly string[] {
  const { form, of } = parseKind(kind);
  if (form === 'enum') return listEnumValues(of);
  return form === 'scalar' && of === 'bool' ? ['true', 'false'] : [];
}

/** Completes `path=value`: first writable paths, then values of the attribute. */
function completeAssignment(candidates: readonly Candidate[], typed: string): ModelOffer {
  const shapes = candidates.map(
    ({ operation }) => [getBodySchema(operation), operation.name] as const,
  );
  const [, path, value] = /^([\w.]+)=(.*)$/s.exec(typed) ?? [];
  if (path !== undefined && value !== undefined) {
    const start = `${path}=`;
    const kind = shapes.map(([shape]) => findKindAt(shape, path)).find((one) => one !== undefined);
    const home = kind && isReference(kind) ? findRootCollection(parseKind(kind).of) : undefined;
    if (home) return { start, noun: home.noun };
    const words = kind ? listValues(kind) : [];
    return { choices: words.map((word) => [`${start}${word}`, '']) };
  }
  const prefix = typed.slice(0, Math.max(0, typed.lastIndexOf('.')));
  const choices = new Map<string, string>();
  for (const [shape, operation] of shapes) {
    for (const word of listMembers(shape, prefix)) {
      const full = prefix === '' ? word : `${prefix}.${word}`;
      const kind = findKindAt(shape, full);
      if (!kind || !canWrite(shape, full, operation)) continue;
      const isSimple = !hasParts(kind) || isReference(kind);
      choices.set(`${full}${isSimple ? '=' : '.'}`, parseKind(kind).of.replaceAll('_', ' '));
    }
  }
  return { choices: [...choices] };
}

function canWrite(shape: BodySchema, path: string, operation: string): boolean {
  if (!('type' in shape) || path.includes('.')) return true;
  const attribute = listAttributes(shape.type)[path];
  return attribute !== undefined && isWritable(attribute, operation);
}

/** Completes types and nouns, and attributes of them: `vm.cpu.topology`. */
function completeType(typed: string): readonly Choice[] {
  const at = typed.indexOf('.');
  if (at < 0) {
    const names = Object.entries(types).map(([name, { doc = '' }]): Choice => [name, doc]);
    return [...names, ...listNounChoices().filter(([name]) => findNoun(name)?.api)];
  }
  const word = typed.slice(0, at).toLowerCase();
  const plain = word.replaceAll('-', '_');
  const type = isType(plain) ? plain : listCollections(findNoun(word)?.name ?? '')[0]?.type;
  if (type === undefined) return [];
  const start = typed.slice(0, at + 1);
  return listPaths(type, typed.slice(at + 1))
    .filter(({ path }) => !/(^|\.)id$/.test(path))
    .flatMap(({ path, attribute }): readonly Choice[] => {
      const whole: Choice = [`${start}${path}`, getFirstSentence(attribute)];
      return hasParts(attribute.kind) ? [whole, [`${start}${path}.`, '']] : [whole];
    });
}

function completeSearch(candidates: readonly Candidate[], type: string, typed: string): ModelOffer {
  const [list] = candidates.filter(({ operation }) => operation.query.includes('search'));
  if (typed.startsWith('@')) return { start: '@', noun: 'bookmarks' };
  const found = completeQuery(typed, list ? getSearchType(list.operation) : type);
  return 'noun' in found ? { ...found, isQuoted: true } : found;
}
