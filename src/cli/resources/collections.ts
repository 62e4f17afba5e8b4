/** Where the objects of a noun live: the collections of the model, grouped by noun. */
import { services } from '../../model/services/index.ts';
import { nounOf } from '../catalog.ts';

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

/** Collections whose last segment is the noun of something else. */
const ownNouns: Readonly<Record<string, string>> = {
  '/hosts/{host}/nics': 'hostnics',
  '/hosts/{host}/devices': 'hostdevices',
  '/hosts/{host}/storage': 'hoststorage',
  '/hosts/{host}/hooks': 'hosthooks',
  '/externalhostproviders/{provider}/hosts': 'externalhosts',
};

/** The noun of a collection: its last segment, unless that is the noun of something else. */
export function nounOfCollection(path: string): string {
  return ownNouns[path] ?? path.slice(path.lastIndexOf('/') + 1);
}

let byNoun: ReadonlyMap<string, readonly Collection[]> | undefined;

function allCollections(): ReadonlyMap<string, readonly Collection[]> {
  if (byNoun) return byNoun;
  const made = new Map<string, Collection[]>();
  const seen = new Set<string>();
  for (const [path, { type }] of Object.entries(services)) {
    const collection = path.endsWith('}') ? path.slice(0, path.lastIndexOf('/')) : path;
    if (collection === '/' || seen.has(collection)) continue;
    seen.add(collection);
    const noun = nounOfCollection(collection);
    const all = made.get(noun) ?? [];
    made.set(noun, all);
    all.push({ path: collection, noun, type, object: undefined, parents: parentsOf(collection) });
  }
  for (const path of Object.keys(services)) {
    if (!path.endsWith('}')) continue;
    const collection = path.slice(0, path.lastIndexOf('/'));
    const all = made.get(nounOfCollection(collection)) ?? [];
    const at = all.findIndex((one) => one.path === collection);
    const found = all[at];
    if (found) all[at] = { ...found, object: path };
  }
  byNoun = made;
  return made;
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

/** The collections of a noun; a noun that is none of the API has none. */
export function collectionsOf(noun: string): readonly Collection[] {
  return allCollections().get(noun) ?? [];
}

/** The collection of a path template. Throws for a path that the model does not have. */
export function collectionAt(path: string): Collection {
  const found = collectionsOf(nounOfCollection(path)).find((one) => one.path === path);
  if (!found) throw new Error(`The model has no collection ${path}.`);
  return found;
}

/** All nouns that the model makes. */
export function modelNouns(): readonly string[] {
  return [...allCollections().keys()];
}

const topLevel = new Map<string, Collection | undefined>();

/** The collection without parents that holds the objects of a type, if they can be listed. */
export function homeOf(type: string): Collection | undefined {
  if (!topLevel.has(type)) {
    const home = [...allCollections().values()]
      .flat()
      .find(
        (one) =>
          one.type === type &&
          one.parents.length === 0 &&
          services[one.path]?.operations['list'] !== undefined,
      );
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
