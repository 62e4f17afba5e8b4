/**
 * From a word to an object: an exact id, or an exact name. A name that several objects have is an
 * error that lists them, a name that none has is one with the nearest names.
 */

import type { ApiObject, Client } from '../../client/client.ts';
import { AmbiguousError, NotFoundError, UsageError } from '../../client/errors.ts';
import { naming } from '../../model/derive/naming.ts';
import { isSearchable, listOperations, type Operation } from '../../model/index.ts';
import { plainText, valueAt } from '../output/cells.ts';
import type { EffectiveSettings } from '../session/effective-settings.ts';
import { knownNames } from '../session/name-cache.ts';
import { closeMatches } from '../text/did-you-mean.ts';
import { type Collection, collectionAt, homeOf } from './collections.ts';
import {
  bareWord,
  isMatch,
  isSearchedByName,
  isUuid,
  isWithin,
  nameAttributesOf,
  nameFollowOf,
  type Scope,
  searchFor,
} from './identifiers.ts';

export type Ids = Readonly<Record<string, string>>;

export interface Found {
  readonly id: string;
  /** As other commands take it: `vms/web01`. */
  readonly label: string;
  /** As the server described it, where it was asked. */
  readonly item?: ApiObject;
}

/** What finds objects by a client; names that this machine has seen are what suggestions come from. */
export function finderFor(configured: EffectiveSettings, client: Client): Finder {
  return new Finder(client, (noun) => knownNames(configured, { noun }).names);
}

export class Finder {
  readonly #client: Client;
  readonly #knownNames: (noun: string) => readonly string[];

  /** @param knownNames names that were seen before, for suggestions where the search found nothing */
  constructor(client: Client, knownNames: (noun: string) => readonly string[] = () => []) {
    this.#client = client;
    this.#knownNames = knownNames;
  }

  /**
   * The object of a collection that a word stands for. `ids` address the collection; `unregistered`
   * looks among what lies on a storage domain without being in the inventory.
   */
  async find(
    given: string,
    collection: Collection,
    ids: Ids = {},
    unregistered = false,
  ): Promise<Found> {
    const { noun, type } = collection;
    const word = bareWord(given, noun);
    const label = `${noun}/${word}`;
    const names = nameAttributesOf(type);
    const list = operationNamed(collection.path, 'list');
    const get = collection.object ? operationNamed(collection.object, 'get') : undefined;
    if (!list || names.length === 0) return await this.#byId(word, collection, ids, get, label);
    const { found, listed } = await this.#look(word, collection, ids, unregistered);
    if (found) return found;
    throw this.#missing(label, word, ids, names, listed);
  }

  /**
   * The same, but nothing where there is none: nearest names are not looked for. `scope` leaves those
   * of a name that are elsewhere aside.
   */
  async look(
    given: string,
    collection: Collection,
    ids: Ids = {},
    scope?: Scope,
  ): Promise<Found | undefined> {
    const names = nameAttributesOf(collection.type);
    const list = operationNamed(collection.path, 'list');
    const word = bareWord(given, collection.noun);
    if (list && names.length > 0) {
      return (await this.#look(word, collection, ids, false, scope)).found;
    }
    return await this.find(given, collection, ids).catch((error: unknown) => {
      if (error instanceof NotFoundError) return undefined;
      throw error;
    });
  }

  /** The id of the only object that an owner has: its drive. Throws where there are none, or several. */
  async only({ path, noun }: Collection, ids: Ids): Promise<string> {
    const operation = operationNamed(path, 'list');
    const items = operation ? await this.#client.list({ operation, ids }) : [];
    const [first, ...others] = items;
    if (first && others.length === 0) return String(first['id']);
    if (first) throw ambiguous(noun, noun, items);
    throw new NotFoundError(`no ${noun} exist`, {
      hint: `vmctl ${noun} list`,
    });
  }

  async #look(
    word: string,
    collection: Collection,
    ids: Ids,
    unregistered = false,
    scope?: Scope,
  ): Promise<{ readonly found?: Found; readonly listed: readonly ApiObject[] }> {
    const { noun, type } = collection;
    const label = `${noun}/${word}`;
    const names = nameAttributesOf(type);
    const list = operationNamed(collection.path, 'list');
    const get = collection.object ? operationNamed(collection.object, 'get') : undefined;
    if (!list) return { listed: [] };
    const searches = isSearchedByName(type) && isSearchable(list);
    const [named, byId] = await Promise.all([
      this.#named(word, list, ids, searches, names, type, unregistered),
      searches && get && isUuid(word) ? this.#get(get, collection, ids, word) : undefined,
    ]);
    const matches = named.filter((item) => isMatch(item, word, names) && isWithin(item, scope));
    if (byId && !matches.some((item) => item['id'] === byId['id'])) matches.push(byId);
    const [only, ...others] = matches;
    if (only && others.length === 0) {
      const found = {
        id: String(only['id']),
        label: nameLabel(only, collection, label),
        item: only,
      };
      return { found, listed: named };
    }
    if (only) throw ambiguous(label, noun, matches);
    const found = await this.#elsewhere(word, collection, named);
    return found ? { found, listed: named } : { listed: named };
  }

  /** The object that a word stands for among all objects of a type; for references in bodies. */
  async reference(given: string, type: string): Promise<{ id: string } | { name: string }> {
    const home = homeOf(type);
    if (home) {
      const word = bareWord(given, home.noun);
      return isUuid(word) ? { id: word } : { id: (await this.find(word, home)).id };
    }
    if (given.trim() === '') throw new UsageError(`${type}: the name is empty`);
    const word = given.slice(given.indexOf('/') + 1);
    return isUuid(word) || type === 'file' ? { id: word } : { name: word };
  }

  async #byId(
    word: string,
    collection: Collection,
    ids: Ids,
    get: Operation | undefined,
    label: string,
  ): Promise<Found> {
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
        ids: { ...ids, [placeholderOf(collection)]: id },
      });
    } catch (error) {
      if (error instanceof NotFoundError) return undefined;
      throw error;
    }
  }

  async #named(
    word: string,
    operation: Operation,
    ids: Ids,
    searches: boolean,
    names: readonly string[],
    type: string,
    unregistered: boolean,
  ): Promise<ApiObject[]> {
    const search = searches ? searchFor(word, names) : undefined;
    const follow = nameFollowOf(type);
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

  /** Members are sometimes listed without their names; then the name is looked up at home. */
  async #elsewhere(
    word: string,
    { type, path, noun }: Collection,
    listed: readonly ApiObject[],
  ): Promise<Found | undefined> {
    const home = homeOf(type);
    if (!home || home.path === path) return undefined;
    if (listed.length === 0 || listed.some((item) => item['name'] !== undefined)) return undefined;
    const found = await this.find(word, home);
    return { ...found, label: `${noun}/${word}` };
  }

  /** Near names come from what was read already: a mistake costs no request. */
  #missing(
    label: string,
    word: string,
    ids: Ids,
    names: readonly string[],
    listed: readonly ApiObject[],
  ): NotFoundError {
    const isChild = Object.keys(ids).length > 0;
    const [noun = ''] = label.split('/');
    const known = [
      ...listed.flatMap((item) => names.map((name) => plainText(valueAt(item, name)))),
      ...(isChild ? [] : this.#knownNames(noun)),
    ];
    const near = closeMatches(
      word,
      known.filter((name) => name !== ''),
    );
    return new NotFoundError(`${label} not found`, {
      hint:
        near.length > 0
          ? `did you mean ${near.join(' or ')}?`
          : `vmctl ${noun} list${isChild ? ', with the same flags' : ''}`,
      ...(near.length > 0 ? { next: near.map((name) => `${noun}/${name}`) } : {}),
    });
  }
}

/** The label of an object: with its name, also for an id, if the service allows each name only once. */
function nameLabel(item: ApiObject, { noun, type }: Collection, label: string): string {
  const name = item['name'];
  const isUnique = naming[type]?.unique === 'service';
  return isUnique && typeof name === 'string' && name !== '' ? `${noun}/${name}` : label;
}

function ambiguous(label: string, noun: string, matches: readonly ApiObject[]): AmbiguousError {
  const lines = matches.map((item) => {
    const label = item['description'] ?? item['name'] ?? '';
    return `  ${noun}/${plainText(item['id'])}  ${plainText(label)}`.trimEnd();
  });
  return new AmbiguousError(`${label} matches ${matches.length} objects:\n${lines.join('\n')}`, {
    hint: 'use the id',
    next: matches.map((item) => `${noun}/${plainText(item['id'])}`),
  });
}

/** The placeholder of one object: `vm` of `/vms/{vm}`. */
export function placeholderOf({ object }: Collection): string {
  return object?.slice(object.lastIndexOf('{') + 1, -1) ?? '';
}

/** An operation of a path by its name, if it has it. */
export function operationNamed(path: string, name: string): Operation | undefined {
  return listOperations(path).find((operation) => operation.name === name);
}

/** The ids of all parents of a path, found one after the other from the outermost. */
export async function parentIds(
  finder: Finder,
  parents: readonly { readonly placeholder: string; readonly collection: string }[],
  wordOf: (placeholder: string, collection: string) => string,
): Promise<Ids> {
  let ids: Ids = {};
  for (const { placeholder, collection } of parents) {
    const found = await finder.find(wordOf(placeholder, collection), collectionAt(collection), ids);
    ids = { ...ids, [placeholder]: found.id };
  }
  return ids;
}

/** Bricks that exist: by id, or as `host:/directory`, which is their name. */
export function brickNames(words: readonly string[]): Readonly<Record<string, unknown>> {
  if (words.length === 0) return {};
  return { bricks: words.map((word) => (isUuid(word) ? { id: word } : { name: word })) };
}

/** `host:/directory` for each brick; the host by name or id. */
export async function newBricks(
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
    const server = await finder.reference(host, 'host');
    bricks.push({ server_id: 'id' in server ? server.id : server.name, brick_dir: directory });
  }
  return bricks;
}
