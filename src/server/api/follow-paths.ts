/** Paths of the parameter `follow` (specification 4.3): parsing, and target of each word. */
import { services } from '../../model/derive/services.ts';
import { listAttributes, listSubCollections, parseKind } from '../../model/index.ts';
import { attributeOfCollection } from '../../model/list-links.ts';
import type { TypeName } from '../../model/resources/index.ts';
import { formatTypeTitle, Refusal } from '../core/fault.ts';

/** More or deeper paths would permit a request to read the inventory many times. */
export const maximumPaths = 20;

const maximumDepth = 6;

/** Tree of words. Paths with a common prefix share its targets. */
export interface PathTree extends Map<string, PathTree> {}

/** Type and path template of objects in a response. */
export interface Location {
  readonly type: TypeName;
  readonly service: string;
}

/** Parses paths. Refuses paths that are too deep with 400. */
export function parsePathTree(paths: readonly string[]): PathTree {
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

/** Refusal of a path that exceeds a limit. */
export function tooMuch(what: string, limit: number): Refusal {
  return new Refusal(
    400,
    'Operation Failed',
    `The parameter follow ${what}; at most ${limit} are allowed.`,
  );
}

/** Refuses a word that is not a link of the type with 400. */
export function refuseWord(word: string, type: TypeName): never {
  throw new Refusal(
    400,
    'Operation Failed',
    `Cannot follow "${word.slice(0, 100)}": it is not a link of ${formatTypeTitle(type)}.`,
  );
}

function plain(word: string): string {
  return word.replaceAll('_', '').toLowerCase();
}

interface Link {
  /** Attribute that shows the list. */
  readonly attribute: string;
  /** Path template of the list, and type of its objects. */
  readonly path: string;
  readonly type: TypeName;
}

/** Sub-collection with the name of a word, if the type has one. */
export function findSubCollectionLink({ type, service }: Location, word: string): Link | undefined {
  const path = `${service}/${word}`;
  const target = listSubCollections(service).includes(word) ? services[path]?.type : undefined;
  const wanted = attributeOfCollection(word);
  const attribute = Object.keys(listAttributes(type)).find((name) => plain(name) === wanted);
  return target && attribute ? { attribute, path, type: target } : undefined;
}

/** Lists that objects of a type have in some collections only, by type and word. */
const elsewhere = new Set(
  Object.entries(services)
    .filter(([path]) => path.endsWith('}'))
    .flatMap(([path, { type }]) => listSubCollections(path).map((word) => `${type} ${word}`)),
);

/** Attribute with references and the name of the word. */
export function findReferenceAttribute(type: TypeName, word: string) {
  for (const [attribute, { kind }] of Object.entries(listAttributes(type))) {
    const { form, of } = parseKind(kind);
    if (form === 'links' && elsewhere.has(`${type} ${word}`)) continue;
    if (plain(attribute) === word && (form === 'ref' || form === 'links')) {
      return { attribute, type: of, list: form === 'links' };
    }
  }
  return undefined;
}
