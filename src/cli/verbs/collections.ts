/** Collections of the model by noun: their paths, types and parents. */
import { nounsByPath } from '../../model/derive/commands.ts';
import { services } from '../../model/derive/services.ts';
import { nounOf } from '../args/catalog.ts';

/** An object that has to be named before the collection can be: `--vm web01`. */
export interface Parent {
  /** Placeholder in the path: `vm`, `volume`. */
  readonly placeholder: string;
  /** Collection that the parent is in, as a path template: `/vms`. */
  readonly collection: string;
  readonly noun: string;
}

export interface Collection {
  /** Path template: `/vms/{vm}/nics`. */
  readonly path: string;
  readonly noun: string;
  /** Type of the objects. */
  readonly type: string;
  /** Path template of one object, if objects can be addressed: `/vms/{vm}/nics/{nic}`. */
  readonly object: string | undefined;
  /** From the outermost to the innermost. */
  readonly parents: readonly Parent[];
}

/** The noun of a collection: its last segment, unless that is the noun of something else. */
export function nounOfCollection(path: string): string {
  return nounsByPath[path] ?? path.slice(path.lastIndexOf('/') + 1);
}

interface Paths {
  /** Paths of the collections, by noun. */
  readonly byNoun: ReadonlyMap<string, readonly string[]>;
  /** Path of one object, by the path of its collection. */
  readonly objects: ReadonlyMap<string, string>;
}

let known: Paths | undefined;

/** What all commands need of the services; the rest is made when it is asked for. */
function paths(): Paths {
  if (known) return known;
  const byNoun = new Map<string, string[]>();
  const objects = new Map<string, string>();
  const seen = new Set<string>(['', '/']);
  for (const path of Object.keys(services)) {
    const isObject = path.endsWith('}');
    const collection = isObject ? path.slice(0, path.lastIndexOf('/')) : path;
    if (isObject) objects.set(collection, path);
    if (seen.has(collection)) continue;
    seen.add(collection);
    const noun = nounOfCollection(collection);
    const others = byNoun.get(noun);
    if (others) others.push(collection);
    else byNoun.set(noun, [collection]);
  }
  known = { byNoun, objects };
  return known;
}

function describe(path: string): Collection {
  const object = paths().objects.get(path);
  const type = services[path]?.type ?? services[object ?? '']?.type ?? '';
  return { path, noun: nounOfCollection(path), type, object, parents: parentsOf(path) };
}

/** The placeholders of a path, with the collections that their objects are in. */
function parentsOf(path: string): readonly Parent[] {
  const segments = path.split('/');
  return segments.flatMap((segment, index) => {
    if (!segment.startsWith('{')) return [];
    const collection = segments.slice(0, index).join('/');
    return [{ placeholder: segment.slice(1, -1), collection, noun: nounOfCollection(collection) }];
  });
}

const collections = new Map<string, readonly Collection[]>();

/** The collections of a noun; a noun that is none of the API has none. */
export function collectionsOf(noun: string): readonly Collection[] {
  let found = collections.get(noun);
  if (!found) {
    found = (paths().byNoun.get(noun) ?? []).map(describe);
    collections.set(noun, found);
  }
  return found;
}

/** The collection of a path template. Throws for a path that the model does not have. */
export function collectionAt(path: string): Collection {
  const found = collectionsOf(nounOfCollection(path)).find((one) => one.path === path);
  if (!found) throw new Error(`The model has no collection ${path}.`);
  return found;
}

/** All nouns that the model makes. */
export function modelNouns(): readonly string[] {
  return [...paths().byNoun.keys()];
}

const topLevel = new Map<string, Collection | undefined>();

/** The collection without parents that holds the objects of a type, if they can be listed. */
export function homeOf(type: string): Collection | undefined {
  if (!topLevel.has(type)) {
    const path = Object.keys(services).find(
      (one) =>
        one.lastIndexOf('/') === 0 &&
        services[one]?.type === type &&
        services[one]?.operations['list'] !== undefined,
    );
    const home = path === undefined ? undefined : describe(path);
    topLevel.set(type, home);
  }
  return topLevel.get(type);
}

/** The singular of a noun, as flags have it: `vms` is `vm`, `policies` is `policy`. */
export function singular(noun: string): string {
  if (noun.endsWith('ies')) return `${noun.slice(0, -3)}y`;
  return noun.endsWith('s') ? noun.slice(0, -1) : noun;
}

/** The noun of a word that a user typed as kind of an object: `vm`, `storage-domain`. */
export function kindOf(word: string): string | undefined {
  const noun = nounOf(word);
  return noun?.api ? noun.name : undefined;
}
