/**
 * Choices that the model tells: attribute paths, conditions, types, and what may stand in a search.
 * Loaded only where one of these is being typed.
 */
import { stateAttribute } from '../../client/poll.ts';
import { types } from '../../model/derive/types.ts';
import { type EnumName, enums } from '../../model/enums.ts';
import { isIdentified, isType, listAttributes, parseKind } from '../../model/index.ts';
import type { Attribute, Kind } from '../../model/notation/attributes.ts';
import { nounOf } from '../args/catalog.ts';
import { defaultColumns } from '../output/columns.ts';
import { collectionsOf, homeOf } from '../verbs/collections.ts';
import { type Candidate, verbOf } from '../verbs/derive-verbs.ts';
import { isReference, isWritable, kindAt, type Shape, shapeOf, wordsAt } from '../verbs/fields.ts';
import { searchTypeOf } from '../verbs/search-query.ts';
import { type Choice, nounChoices } from './choice.ts';
import { searchChoices } from './search-choices.ts';
import type { ModelKind } from './table.ts';

/** Choices, or that names of a noun go behind a beginning; in a search with quotes where they need them. */
export type ModelOffer =
  | { readonly choices: readonly Choice[] }
  | { readonly start: string; readonly noun: string; readonly isQuoted?: boolean };

/** What is being typed about. */
export interface Subject {
  readonly noun: string;
  readonly verb: string;
}

/** What may stand where a value of this kind is typed, as far as it is typed. */
export function modelChoices(of: ModelKind, subject: Subject, typed: string): ModelOffer {
  const candidates = verbOf(subject.noun, subject.verb)?.candidates ?? [];
  const [candidate] = candidates;
  const type = candidate?.collection.type ?? collectionsOf(subject.noun)[0]?.type;
  if (of === 'types') return { choices: typeChoices(typed) };
  if (type === undefined) return { choices: [] };
  switch (of) {
    case 'columns':
      return { choices: columnChoices(type, typed) };
    case 'order':
      return { choices: orderChoices(type, typed) };
    case 'links':
      return { choices: linkChoices(type, typed) };
    case 'condition':
      return { choices: conditionChoices(type) };
    case 'assignment':
      return assignmentChoices(candidates, typed);
    case 'search':
      return searchOffer(candidates, type, typed);
  }
}

/** A sentence is enough. */
function docOf({ doc = '' }: Attribute): string {
  return doc.split(/(?<=\.)\s/, 1)[0] ?? '';
}

function hasParts(kind: Kind): boolean {
  const { form } = parseKind(kind);
  return form !== 'scalar' && form !== 'enum';
}

const identity: Readonly<Record<string, Attribute>> = {
  id: { kind: 'string', mut: 'R', doc: 'Set by the service' },
};

/** The attributes behind the last dot of a path, each with the path in front. */
function pathsAt(
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

function plainPaths(type: string, typed: string): readonly Choice[] {
  return pathsAt(type, typed)
    .filter(({ attribute }) => !attribute.writeOnly)
    .map(({ path, attribute }) => [hasParts(attribute.kind) ? `${path}.` : path, docOf(attribute)]);
}

/** `title=path` and `path*path`: the last path is completed. */
function columnChoices(type: string, typed: string): readonly Choice[] {
  const start = typed.slice(0, Math.max(typed.lastIndexOf('='), typed.lastIndexOf('*')) + 1);
  return plainPaths(type, typed.slice(start.length)).map(([path, doc]) => [`${start}${path}`, doc]);
}

function orderChoices(type: string, typed: string): readonly Choice[] {
  const sign = typed.startsWith('-') ? '-' : '';
  const titles = defaultColumns(type).map(({ title }): Choice => [title, '']);
  const paths = plainPaths(type, typed.slice(sign.length));
  const known = new Map([...titles, ...paths]);
  return [...known].map(([path, doc]) => [`${sign}${path}`, doc]);
}

function linkChoices(type: string, typed: string): readonly Choice[] {
  return pathsAt(type, typed)
    .filter(({ attribute }) => ['ref', 'links'].includes(parseKind(attribute.kind).form))
    .map(({ path, attribute }) => [path, docOf(attribute)]);
}

function conditionChoices(type: string): readonly Choice[] {
  const attribute = stateAttribute(type);
  const kind = attribute === undefined ? undefined : listAttributes(type)[attribute]?.kind;
  const states = kind ? valuesOf(kind) : [];
  return [
    ['exists', 'the object exists'],
    ['gone', 'the object no longer exists'],
    ['settled', 'the object is in a stable state'],
    ['event=', 'an event with this code occurred for the object'],
    ...['=', '!='].flatMap((sign) => states.map((state): Choice => [`status${sign}${state}`, ''])),
  ];
}

function valuesOf(kind: Kind): readonly string[] {
  const { form, of } = parseKind(kind);
  if (form === 'enum') return enums[of as EnumName];
  return form === 'scalar' && of === 'bool' ? ['true', 'false'] : [];
}

/** `path=value`: first the paths that can be written, behind the sign what the attribute may be. */
function assignmentChoices(candidates: readonly Candidate[], typed: string): ModelOffer {
  const shapes = candidates.map(({ operation }) => [shapeOf(operation), operation.name] as const);
  const [, path, value] = /^([\w.]+)=(.*)$/s.exec(typed) ?? [];
  if (path !== undefined && value !== undefined) {
    const start = `${path}=`;
    const kind = shapes.map(([shape]) => kindAt(shape, path)).find((one) => one !== undefined);
    const home = kind && isReference(kind) ? homeOf(parseKind(kind).of) : undefined;
    if (home) return { start, noun: home.noun };
    const words = kind ? valuesOf(kind) : [];
    return { choices: words.map((word) => [`${start}${word}`, '']) };
  }
  const prefix = typed.slice(0, Math.max(0, typed.lastIndexOf('.')));
  const choices = new Map<string, string>();
  for (const [shape, operation] of shapes) {
    for (const word of wordsAt(shape, prefix)) {
      const full = prefix === '' ? word : `${prefix}.${word}`;
      const kind = kindAt(shape, full);
      if (!kind || !mayWrite(shape, full, operation)) continue;
      const isSimple = !hasParts(kind) || isReference(kind);
      choices.set(`${full}${isSimple ? '=' : '.'}`, parseKind(kind).of.replaceAll('_', ' '));
    }
  }
  return { choices: [...choices] };
}

function mayWrite(shape: Shape, path: string, operation: string): boolean {
  if (!('type' in shape) || path.includes('.')) return true;
  const attribute = listAttributes(shape.type)[path];
  return attribute !== undefined && isWritable(attribute, operation);
}

/** Types and nouns, and attributes in them: `vm.cpu.topology`. */
function typeChoices(typed: string): readonly Choice[] {
  const at = typed.indexOf('.');
  if (at < 0) {
    const names = Object.entries(types).map(([name, { doc = '' }]): Choice => [name, doc]);
    return [...names, ...nounChoices().filter(([name]) => nounOf(name)?.api)];
  }
  const word = typed.slice(0, at).toLowerCase();
  const plain = word.replaceAll('-', '_');
  const type = isType(plain) ? plain : collectionsOf(nounOf(word)?.name ?? '')[0]?.type;
  if (type === undefined) return [];
  const start = typed.slice(0, at + 1);
  return pathsAt(type, typed.slice(at + 1))
    .filter(({ path }) => !/(^|\.)id$/.test(path))
    .flatMap(({ path, attribute }): readonly Choice[] => {
      const whole: Choice = [`${start}${path}`, docOf(attribute)];
      return hasParts(attribute.kind) ? [whole, [`${start}${path}.`, '']] : [whole];
    });
}

function searchOffer(candidates: readonly Candidate[], type: string, typed: string): ModelOffer {
  const [list] = candidates.filter(({ operation }) => operation.query.includes('search'));
  if (typed.startsWith('@')) return { start: '@', noun: 'bookmarks' };
  const found = searchChoices(typed, list ? searchTypeOf(list.operation) : type);
  return 'noun' in found ? { ...found, isQuoted: true } : found;
}
