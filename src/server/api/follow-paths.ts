/** Paths of the parameter `follow` (specification 4.3): taken apart, and what each word of one leads to. */
import { services } from '../../model/derive/services.ts';
import { listAttributes, listSubCollections, parseKind } from '../../model/index.ts';
import { attributeOfCollection } from '../../model/list-links.ts';
import type { TypeName } from '../../model/resources/index.ts';
import { Refusal, titleOf } from '../core/fault.ts';

/** More paths, or deeper ones, would let one request read the whole inventory many times. */
export const maximumPaths = 20;

const maximumDepth = 6;

/** Words with those that follow them: paths that begin alike share what they lead to. */
export interface PathTree extends Map<string, PathTree> {}

/** Where objects of an answer are: their type, and the path template under which they are shown. */
export interface Location {
  readonly type: TypeName;
  readonly service: string;
}

/** Takes paths apart. Refuses with 400 those that are too deep. */
export function treeOf(paths: readonly string[]): PathTree {
  const tree: PathTree = new Map();
  for (const path of paths) {
    const segments = path.split('.');
    if (segments.length > maximumDepth) {
      throw tooMuch(`${path.slice(0, 100)} is ${segments.length} deep`, maximumDepth);
    }
    let at = tree;
    for (const word of segments) {
      const next = at.get(plain(word)) ?? new Map<string, PathTree>();
      at.set(plain(word), next);
      at = next;
    }
  }
  return tree;
}

/** The refusal of what goes beyond a limit. */
export function tooMuch(what: string, limit: number): Refusal {
  return new Refusal(
    400,
    'Operation Failed',
    `The parameter follow ${what}; at most ${limit} are allowed.`,
  );
}

/** Refuses with 400 a word that is no link of the type. */
export function refuseWord(word: string, type: TypeName): never {
  throw new Refusal(
    400,
    'Operation Failed',
    `Cannot follow "${word.slice(0, 100)}": it is not a link of ${titleOf(type)}.`,
  );
}

function plain(word: string): string {
  return word.replaceAll('_', '').toLowerCase();
}

interface Link {
  /** Attribute that shows the list. */
  readonly attribute: string;
  /** Path template of the list, and the type of what is in it. */
  readonly path: string;
  readonly type: TypeName;
}

/** The sub-collection that a word names, where the type has one. */
export function linkOf({ type, service }: Location, word: string): Link | undefined {
  const path = `${service}/${word}`;
  const target = listSubCollections(service).includes(word) ? services[path]?.type : undefined;
  const wanted = attributeOfCollection(word);
  const attribute = Object.keys(listAttributes(type)).find((name) => plain(name) === wanted);
  return target && attribute ? { attribute, path, type: target } : undefined;
}

/** Lists that objects of a type have in one place and not in another, by type and word. */
const elsewhere = new Set(
  Object.entries(services)
    .filter(([path]) => path.endsWith('}'))
    .flatMap(([path, { type }]) => listSubCollections(path).map((word) => `${type} ${word}`)),
);

/** The attribute that refers to other objects and is called like the word. */
export function referenceOf(type: TypeName, word: string) {
  for (const [attribute, { kind }] of Object.entries(listAttributes(type))) {
    const { form, of } = parseKind(kind);
    if (form === 'links' && elsewhere.has(`${type} ${word}`)) continue;
    if (plain(attribute) === word && (form === 'ref' || form === 'links')) {
      return { attribute, type: of, list: form === 'links' };
    }
  }
  return undefined;
}
