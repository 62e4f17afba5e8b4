/**
 * Resolution of words to objects: exact ids or exact names.
 * An ambiguous name is an error that lists the objects; an unknown name is an error with similar
 * names.
 */

import type { ApiObject, Client, ObjectOf } from '../../client/client.ts';
import { AmbiguousError, NotFoundError, UsageError, VmctlError } from '../../client/errors.ts';
import { naming } from '../../model/derive/naming.ts';
import { isSearchable, listOperations, type Operation } from '../../model/index.ts';
import type { TypeName } from '../../model/resources/index.ts';
import { formatPlain, getValue } from '../output/cells.ts';
import type { EffectiveSettings } from '../session/effective-settings.ts';
import { readCachedNames } from '../session/name-cache.ts';
import { findCloseMatches } from '../text/did-you-mean.ts';
import { type Collection, findRootCollection, getCollection } from './collections.ts';
import {
  createNameSearch,
  getNameAttributes,
  getNameLink,
  isMatch,
  isSearchedByName,
  isUuid,
  isWithin,
  type LookupScope,
  parseReference,
} from './identifiers.ts';
import {
  areVersions,
  createVersionError,
  requireKnownVersion,
  selectVersion,
  splitVersion,
} from './template-versions.ts';

/** Maximum number of objects that are read from the server for suggestions. */
const maxSuggestedFrom = 1_000;

export type Ids = Readonly<Record<string, string>>;

export interface FoundObject<Item extends object = ApiObject> {
  readonly id: string;
  /** Reference for other commands: `vms/web01`. */
  readonly label: string;
  /** Object as the server returned it, if it was read. */
  readonly item?: Item;
}

/** Creates a finder that takes suggestions from the cached names, and then from the server. */
export function createFinder(configured: EffectiveSettings, client: Client): Finder {
  return new Finder(client, (noun) => readCachedNames(configured, { noun }).names);
}

export class Finder {
  readonly #client: Client;
  readonly #knownNames: (noun: string) => readonly string[];

  /** @param knownNames returns cached names of a noun, for suggestions */
  constructor(client: Client, knownNames: (noun: string) => readonly string[] = () => []) {
    this.#client = client;
    this.#knownNames = knownNames;
  }

  /**
   * Finds an object of a collection by id or name. Throws `NotFoundError` or `AmbiguousError`.
   * @param ids ids of the parents
   * @param unregistered search the objects on a storage domain that are not in the inventory
   */
  async find<T extends TypeName>(
    given: string,
    collection: Collection<T>,
    ids?: Ids,
    unregistered?: boolean,
  ): Promise<FoundObject<ObjectOf<T>>>;
  async find(
    given: string,
    collection: Collection,
    ids: Ids = {},
    unregistered = false,
  ): Promise<FoundObject> {
    const { noun, type } = collection;
    const word = parseReference(given, noun);
    const label = `${noun}/${word}`;
    const names = getNameAttributes(type);
    const list = findOperation(collection.path, 'list');
    const get = collection.object ? findOperation(collection.object, 'get') : undefined;
    if (!list || names.length === 0) return await this.#findById(word, collection, ids, get, label);
    const wanted = splitVersion(word, type);
    const { found, listed } = await this.#search(word, collection, ids, unregistered);
    if (found) return found;
    requireKnownVersion(listed, wanted, type);
    const isListed = !isSearchedByName(type) || !isSearchable(list);
    const known = [
      ...listNames(listed, names),
      ...(Object.keys(ids).length > 0 ? [] : this.#knownNames(noun)),
    ];
    // The cache may still contain the name of a deleted object.
    const near = findCloseMatches(
      wanted.name,
      known.filter((name) => name !== wanted.name),
    );
    const isComplete = isListed || near.length > 0 || isUuid(word);
    const others = isComplete ? near : await this.#findNearNames(wanted.name, list, ids, names);
    throw createMissingError(label, Object.keys(ids).length > 0, others);
  }

  /** Names on the server that are similar to a word. Empty if the server does not list them. */
  async #findNearNames(
    word: string,
    operation: Operation,
    ids: Ids,
    names: readonly string[],
  ): Promise<readonly string[]> {
    try {
      const query = operation.query.includes('max') ? { max: maxSuggestedFrom } : {};
      const items = await this.#client.list({
        operation,
        ids,
        query,
        what: `find names like ${word}`,
      });
      return findCloseMatches(word, listNames(items, names));
    } catch (error) {
      if (error instanceof VmctlError) return [];
      throw error;
    }
  }

  /**
   * Finds an object; undefined if it does not exist. `scope` excludes objects of the same name
   * elsewhere.
   */
  async findIfExists<T extends TypeName>(
    given: string,
    collection: Collection<T>,
    ids?: Ids,
    scope?: LookupScope,
  ): Promise<FoundObject<ObjectOf<T>> | undefined>;
  async findIfExists(
    given: string,
    collection: Collection,
    ids: Ids = {},
    scope?: LookupScope,
  ): Promise<FoundObject | undefined> {
    const names = getNameAttributes(collection.type);
    const list = findOperation(collection.path, 'list');
    const word = parseReference(given, collection.noun);
    if (list && names.length > 0) {
      return (await this.#search(word, collection, ids, false, scope)).found;
    }
    return await this.find(given, collection, ids).catch((error: unknown) => {
      if (error instanceof NotFoundError) return undefined;
      throw error;
    });
  }

  /**
   * Returns the id of the only object of an owner, such as its CD-ROM drive. Throws if it has none
   * or several.
   */
  async findOnly({ path, noun }: Collection, ids: Ids): Promise<string> {
    const operation = findOperation(path, 'list');
    const items = operation ? await this.#client.list({ operation, ids }) : [];
    const [first, ...others] = items;
    if (first && others.length === 0) return String(first['id']);
    if (first) throw createAmbiguousError(noun, noun, items);
    throw new NotFoundError(`no ${noun} exist`, {
      hint: `vmctl ${noun} list`,
    });
  }

  async #search(
    word: string,
    collection: Collection,
    ids: Ids,
    unregistered = false,
    scope?: LookupScope,
  ): Promise<{ readonly found?: FoundObject; readonly listed: readonly ApiObject[] }> {
    const { noun, type } = collection;
    const label = `${noun}/${word}`;
    const names = getNameAttributes(type);
    const list = findOperation(collection.path, 'list');
    const get = collection.object ? findOperation(collection.object, 'get') : undefined;
    if (!list) return { listed: [] };
    const searches = isSearchedByName(type) && isSearchable(list);
    const wanted = splitVersion(word, type);
    const [named, byId] = await Promise.all([
      this.#listNamed(wanted.name, list, ids, searches, names, type, unregistered),
      searches && get && isUuid(word) ? this.#get(get, collection, ids, word) : undefined,
    ]);
    const same = named.filter((item) => isMatch(item, wanted.name, names) && isWithin(item, scope));
    const matches = selectVersion(same, wanted);
    if (byId && !matches.some((item) => item['id'] === byId['id'])) matches.push(byId);
    const [only, ...others] = matches;
    if (only && others.length === 0) {
      const found = {
        id: String(only['id']),
        label: formatLabel(only, collection, label),
        item: only,
      };
      return { found, listed: named };
    }
    if (only && areVersions(type, matches)) throw createVersionError(label, wanted.name, matches);
    if (only) throw createAmbiguousError(label, noun, matches);
    const found = await this.#findInRoot(word, collection, named);
    return found ? { found, listed: named } : { listed: named };
  }

  /** Creates a reference to an object of a type, for request bodies. */
  async createReference(given: string, type: string): Promise<{ id: string } | { name: string }> {
    const home = findRootCollection(type);
    if (home) {
      const word = parseReference(given, home.noun);
      return isUuid(word) ? { id: word } : { id: (await this.find(word, home)).id };
    }
    if (given.trim() === '') throw new UsageError(`${type}: the name is empty`);
    const word = given.slice(given.indexOf('/') + 1);
    return isUuid(word) || type === 'file' ? { id: word } : { name: word };
  }

  async #findById(
    word: string,
    collection: Collection,
    ids: Ids,
    get: Operation | undefined,
    label: string,
  ): Promise<FoundObject> {
    if (!get) return { id: word, label };
    const item = await this.#get(get, collection, ids, word);
    if (item) return { id: word, label, item };
    throw new NotFoundError(`${label} not found`, {
      hint: `${collection.noun} have no names: use an id from vmctl ${collection.noun} list`,
    });
  }

  async #get(
    operation: Operation,
    collection: Collection,
    ids: Ids,
    id: string,
  ): Promise<ApiObject | undefined> {
    try {
      return await this.#client.object({
        operation,
        ids: { ...ids, [getPlaceholder(collection)]: id },
      });
    } catch (error) {
      if (error instanceof NotFoundError) return undefined;
      throw error;
    }
  }

  async #listNamed(
    word: string,
    operation: Operation,
    ids: Ids,
    searches: boolean,
    names: readonly string[],
    type: string,
    unregistered: boolean,
  ): Promise<ApiObject[]> {
    const search = searches ? createNameSearch(word, names) : undefined;
    const follow = getNameLink(type);
    return await this.#client.list({
      operation,
      ids,
      query: {
        ...(search === undefined ? {} : { search, case_sensitive: true }),
        ...(follow === undefined ? {} : { follow }),
        ...(unregistered ? { unregistered } : {}),
      },
      what: `find ${word}`,
    });
  }

  /** Some lists of members lack names; then the root collection of the type resolves the name. */
  async #findInRoot(
    word: string,
    { type, path, noun }: Collection,
    listed: readonly ApiObject[],
  ): Promise<FoundObject | undefined> {
    const home = findRootCollection(type);
    if (!home || home.path === path) return undefined;
    if (listed.length === 0 || listed.some((item) => item['name'] !== undefined)) return undefined;
    const found = await this.find(word, home);
    return { ...found, label: `${noun}/${word}` };
  }
}

/** Names of objects, for suggestions. */
function listNames(items: readonly ApiObject[], names: readonly string[]): readonly string[] {
  return items
    .flatMap((item) => names.map((name) => formatPlain(getValue(item, name))))
    .filter((name) => name !== '');
}

function createMissingError(
  label: string,
  isChild: boolean,
  near: readonly string[],
): NotFoundError {
  const [noun = ''] = label.split('/');
  return new NotFoundError(`${label} not found`, {
    hint:
      near.length > 0
        ? `did you mean ${near.join(' or ')}?`
        : `vmctl ${noun} list${isChild ? ', with the same flags' : ''}`,
    ...(near.length > 0 ? { next: near.map((name) => `${noun}/${name}`) } : {}),
  });
}

/**
 * Formats the label of an object: with its name, even for an id, if names are unique in the
 * service.
 */
function formatLabel(item: ApiObject, { noun, type }: Collection, label: string): string {
  const name = item['name'];
  const isUnique = naming[type]?.unique === 'service';
  return isUnique && typeof name === 'string' && name !== '' ? `${noun}/${name}` : label;
}

function createAmbiguousError(
  label: string,
  noun: string,
  matches: readonly ApiObject[],
): AmbiguousError {
  const lines = matches.map((item) => {
    const label = item['description'] ?? item['name'] ?? '';
    return `  ${noun}/${formatPlain(item['id'])}  ${formatPlain(label)}`.trimEnd();
  });
  return new AmbiguousError(`${label} matches ${matches.length} objects:\n${lines.join('\n')}`, {
    hint: 'use the id',
    next: matches.map((item) => `${noun}/${formatPlain(item['id'])}`),
  });
}

/** Returns the placeholder of an object: `vm` of `/vms/{vm}`. */
export function getPlaceholder({ object }: Collection): string {
  return object?.slice(object.lastIndexOf('{') + 1, -1) ?? '';
}

/** Finds an operation of a path by its name. */
export function findOperation(path: string, name: string): Operation | undefined {
  return listOperations(path).find((operation) => operation.name === name);
}

/** Resolves all parents of a path, outermost first. */
export async function resolveParentIds(
  finder: Finder,
  parents: readonly { readonly placeholder: string; readonly collection: string }[],
  getWord: (placeholder: string, collection: string) => string,
): Promise<Ids> {
  let ids: Ids = {};
  for (const { placeholder, collection } of parents) {
    const found = await finder.find(
      getWord(placeholder, collection),
      getCollection(collection),
      ids,
    );
    ids = { ...ids, [placeholder]: found.id };
  }
  return ids;
}

/** Creates references to existing bricks: by id, or by name (`host:/directory`). */
export function createBrickReferences(words: readonly string[]): Readonly<Record<string, unknown>> {
  if (words.length === 0) return {};
  return { bricks: words.map((word) => (isUuid(word) ? { id: word } : { name: word })) };
}

/** Creates new bricks from `host:/directory`; the host is a name or id. */
export async function createBricks(
  finder: Finder,
  words: readonly string[],
): Promise<readonly object[]> {
  if (words.length === 0) {
    throw new UsageError('no brick given', { hint: 'use HOST:/DIRECTORY for each' });
  }
  const bricks: object[] = [];
  for (const word of words) {
    const [, host, directory] = /^([^:]+):(\/.*)$/.exec(word) ?? [];
    if (host === undefined) {
      throw new UsageError(`${word}: not a brick`, { hint: 'use HOST:/DIRECTORY' });
    }
    const server = await finder.createReference(host, 'host');
    bricks.push({ server_id: 'id' in server ? server.id : server.name, brick_dir: directory });
  }
  return bricks;
}
