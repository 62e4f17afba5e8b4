/** Collections of the model by noun: their paths, types and parents. */
import { nounsByPath } from '../../model/derive/commands.ts';
import { services } from '../../model/derive/services.ts';
import type { DeclaredPath, TypeAt } from '../../model/paths.ts';
import type { TypeName } from '../../model/resources/index.ts';
import { findNoun } from '../args/catalog.ts';

/** Parent of a collection, named by a flag: `--vm web01`. */
export interface Parent {
  /** Placeholder in the path: `vm`, `volume`. */
  readonly placeholder: string;
  /** Path template of the parent's collection: `/vms`. */
  readonly collection: string;
  readonly noun: string;
}

/** `T` is the type of the objects, if it is known. */
export interface Collection<T extends TypeName = TypeName> {
  /** Path template: `/vms/{vm}/nics`. */
  readonly path: string;
  readonly noun: string;
  /** Type of the objects. */
  readonly type: T;
  /** Path template of one object, if objects can be addressed: `/vms/{vm}/nics/{nic}`. */
  readonly object: string | undefined;
  /** Parents, outermost first. */
  readonly parents: readonly Parent[];
}

/** Returns the noun of a collection: its last segment, unless another collection has that noun. */
export function getCollectionNoun(path: string): string {
  return nounsByPath[path] ?? path.slice(path.lastIndexOf('/') + 1);
}

interface Paths {
  /** Paths of the collections, by noun. */
  readonly byNoun: ReadonlyMap<string, readonly string[]>;
  /** Paths of single objects, by the path of their collection. */
  readonly objects: ReadonlyMap<string, string>;
}

let collectedPaths: Paths | undefined;

/** Collects paths that all commands need; other properties are derived on demand. */
function collectPaths(): Paths {
  if (collectedPaths) return collectedPaths;
  const byNoun = new Map<string, string[]>();
  const objects = new Map<string, string>();
  const seen = new Set<string>(['', '/']);
  for (const path of Object.keys(services)) {
    const isObject = path.endsWith('}');
    const collection = isObject ? path.slice(0, path.lastIndexOf('/')) : path;
    if (isObject) objects.set(collection, path);
    if (seen.has(collection)) continue;
    seen.add(collection);
    const noun = getCollectionNoun(collection);
    const others = byNoun.get(noun);
    if (others) others.push(collection);
    else byNoun.set(noun, [collection]);
  }
  collectedPaths = { byNoun, objects };
  return collectedPaths;
}

function describeCollection(path: string): Collection {
  const object = collectPaths().objects.get(path);
  const type = services[path]?.type ?? services[object ?? '']?.type;
  if (!type) throw new Error(`The model has no collection ${path}.`);
  return { path, noun: getCollectionNoun(path), type, object, parents: listParents(path) };
}

/** Lists the placeholders of a path with their collections. */
function listParents(path: string): readonly Parent[] {
  const segments = path.split('/');
  return segments.flatMap((segment, index) => {
    if (!segment.startsWith('{')) return [];
    const collection = segments.slice(0, index).join('/');
    return [{ placeholder: segment.slice(1, -1), collection, noun: getCollectionNoun(collection) }];
  });
}

const collections = new Map<string, readonly Collection[]>();

/** Lists the collections of a noun; empty for nouns outside the API. */
export function listCollections(noun: string): readonly Collection[] {
  let found = collections.get(noun);
  if (!found) {
    found = (collectPaths().byNoun.get(noun) ?? []).map(describeCollection);
    collections.set(noun, found);
  }
  return found;
}

/** Returns the collection of a path template. Throws for a path outside the model. */
export function getCollection<P extends DeclaredPath>(path: P): Collection<TypeAt<P>>;
export function getCollection(path: string): Collection;
export function getCollection(path: string): Collection {
  const found = listCollections(getCollectionNoun(path)).find((one) => one.path === path);
  if (!found) throw new Error(`The model has no collection ${path}.`);
  return found;
}

/** Lists all nouns of the model. */
export function listModelNouns(): readonly string[] {
  return [...collectPaths().byNoun.keys()];
}

const topLevel = new Map<string, Collection | undefined>();

/** Returns the collection without parents with all objects of a type, if it can be listed. */
export function findRootCollection(type: string): Collection | undefined {
  if (!topLevel.has(type)) {
    const path = Object.keys(services).find(
      (one) =>
        one.lastIndexOf('/') === 0 &&
        services[one]?.type === type &&
        services[one]?.operations['list'] !== undefined,
    );
    const home = path === undefined ? undefined : describeCollection(path);
    topLevel.set(type, home);
  }
  return topLevel.get(type);
}

/** Returns the singular of a noun for flags: `vm` of `vms`, `policy` of `policies`. */
export function getSingular(noun: string): string {
  if (noun.endsWith('ies')) return `${noun.slice(0, -3)}y`;
  return noun.endsWith('s') ? noun.slice(0, -1) : noun;
}

/** Returns the noun for a kind that a user typed: `vm`, `storage-domain`. */
export function findKind(word: string): string | undefined {
  const noun = findNoun(word);
  return noun?.api ? noun.name : undefined;
}
