/** Which object of a service an entry of a definition means, and what differs between the two. */

import { type Difference, differences } from '../../cli/verbs/differences.ts';
import type { Found, Ids } from '../../cli/verbs/references.ts';
import { AmbiguousError } from '../../client/errors.ts';
import { nicsOfHosts } from '../../definitions/bonds.ts';
import { type Item, isItem, objectServiceOf } from '../../definitions/document.ts';
import { type Entry, placeOfMember } from '../../definitions/entries.ts';
import { isNameless, isSame, wordOf } from '../../definitions/identity.ts';
import {
  type Asking,
  covers,
  isBase,
  isNamed,
  type OnMissing,
  reference,
} from '../../definitions/references.ts';
import { listAttributes, listOperations } from '../../model/index.ts';
import { getNameScope } from '../../model/naming.ts';
import { badDefinition } from './read.ts';
import type { Site } from './site.ts';

/** What is known of an entry. */
export interface State {
  /** The id of the object, once it exists. */
  id: string | undefined;
  /** As the service has it; what is made first has nothing yet. */
  readonly found: Found | undefined;
}

/** The ids of what is above an entry: those that exist. */
export function idsAbove({ parent }: Entry, states: ReadonlyMap<Entry, State>): Ids {
  if (!parent) return {};
  const objectService = objectServiceOf(parent.service) ?? '';
  const placeholder = objectService.slice(objectService.lastIndexOf('{') + 1, -1);
  const id = states.get(parent)?.id;
  return { ...idsAbove(parent, states), ...(id === undefined ? {} : { [placeholder]: id }) };
}

/** The reference to what is put into a collection, with what else is said of it there. */
export function* memberOf(entry: Entry, onMissing: OnMissing): Asking<Item> {
  const { type, wanted } = entry;
  if (wanted['id'] !== undefined) return wanted;
  if (isNameless(type)) return yield* reference(type, wanted, onMissing, ['name']);
  const { name, ...more } = wanted;
  const named = { name, ...placeOfMember(entry) };
  return { ...(yield* reference(type, named, onMissing, ['name'])), ...more };
}

/** Entries that are called alike, and the objects that other entries have. */
interface Alike {
  /** How many entries of a collection have the name of this one. */
  readonly count: number;
  /** Ids of objects that other entries mean. */
  readonly taken: ReadonlySet<string>;
}

/** Finds the objects that entries mean, each only once. */
export class Matcher {
  readonly #site: Site;
  readonly #states: ReadonlyMap<Entry, State>;
  readonly #entries = new Map<string, Entry[]>();

  constructor(site: Site, states: ReadonlyMap<Entry, State>) {
    this.#site = site;
    this.#states = states;
  }

  /** Says which entries there are, so that those of one name are known. */
  expect(entries: readonly Entry[]): void {
    for (const entry of entries) {
      const key = keyOf(entry);
      this.#entries.set(key, [...(this.#entries.get(key) ?? []), entry]);
    }
  }

  /** What the service has of an entry; `anew` asks it again. Throws as `foundIn` does. */
  async find(entry: Entry, own: Item, ids: Ids, anew = false): Promise<Found | undefined> {
    const { service, type, wanted } = entry;
    const list = await (anew ? this.#site.fresh(service, ids) : this.#site.list(service, ids));
    const alike = this.#entries.get(keyOf(entry)) ?? [entry];
    const others = alike.filter((one) => one !== entry);
    const taken = new Set(others.flatMap((one) => this.#states.get(one)?.id ?? []));
    const word = wordOf(type, wanted);
    const isSeveral = list.filter((one) => isNamed(type, one, word)).length > alike.length;
    // Disks of VMs and templates are written with what has them.
    const attached =
      service === '/disks' && isSeveral ? await this.#site.attachedDisks() : new Set<string>();
    const free = list.filter(({ id }) => !attached.has(String(id)));
    return foundIn(entry, own, free, { count: alike.length, taken });
  }
}

/** Entries with one key are called alike, and are in one collection. */
function keyOf({ service, parent, type, wanted }: Entry): string {
  const scope = wanted[getNameScope(type) ?? ''];
  return JSON.stringify([
    service,
    parent?.where.path(),
    wordOf(type, wanted),
    scope,
    wanted['version'],
  ]);
}

/**
 * Which of the objects of a collection an entry means. As many entries as objects of one name are told
 * apart by what else they say: each means the object that differs least. Throws `AmbiguousError` when
 * there are more objects of the name than entries.
 */
function foundIn(
  entry: Entry,
  own: Item,
  all: readonly Item[],
  { count, taken }: Alike,
): Found | undefined {
  const list = all.filter(({ id }) => !taken.has(String(id)));
  const { type, wanted, isMember, where } = entry;
  const found = (item: Item | undefined) => item && { id: String(item['id']), label: '', item };
  if (isMember) return found(list.find(({ id }) => id !== undefined && id === own['id']));
  if (isNameless(type)) return found(list.find((one) => isSame(type, own, one)));
  const word = wordOf(type, wanted);
  if (word === undefined) throw badDefinition(`${where}: name missing`);
  const scope = own[getNameScope(type) ?? ''];
  const matches = list.filter(
    (one) =>
      isNamed(type, one, word) &&
      (!isItem(scope) || covers(scope, one[getNameScope(type) ?? ''])) &&
      (type !== 'template' || isSameVersion(own, one)),
  );
  const others = all.filter((one) => taken.has(String(one['id'])) && isNamed(type, one, word));
  if (matches.length > 1 && count >= matches.length + others.length) {
    const distance = (one: Item) => {
      const { changed, fixed } = differencesOf(entry, own, one);
      return changed.size + fixed.length;
    };
    const [nearest] = matches.toSorted((one, other) => distance(one) - distance(other));
    return found(nearest);
  }
  if (matches.length > 1) {
    throw new AmbiguousError(`${where}: ${matches.length} objects are named ${word}`, {
      hint: `list all ${matches.length} in the definition, or rename all but one`,
    });
  }
  return found(matches[0]);
}

/** Versions of a template have the name of the first. */
function isSameVersion({ version }: Item, present: Item): boolean {
  const isVersion = isItem(version) && version['base_template'] !== undefined;
  if (!isVersion) return isBase(present);
  const { base_template: base, version_name: name } = version;
  return (
    !isBase(present) && covers({ base_template: base, version_name: name }, present['version'])
  );
}

/** What differs, by attribute of the object: what an update can change, and what it cannot. */
export function differencesOf(
  { service, type, isMember, wanted }: Entry,
  own: Item,
  present: Item,
) {
  const objectService = objectServiceOf(service) ?? '';
  const isBond = service === nicsOfHosts;
  const canUpdate = isBond || listOperations(objectService).some(({ name }) => name === 'update');
  const attributes = listAttributes(type);
  const changed = new Map<string, readonly Difference[]>();
  const fixed: Difference[] = [];
  if (isMember && isNameless(type)) return { changed, fixed };
  const { id: _id, ...said } = own;
  for (const [name, list] of differences(type, isMember ? without(said, wanted) : own, present)) {
    if (canUpdate && (isBond || attributes[name]?.mut.includes('U'))) changed.set(name, list);
    else fixed.push(...list);
  }
  return { changed, fixed };
}

/** What is said of a member beside which one it is. */
function without({ name: _name, ...said }: Item, wanted: Item): Item {
  return Object.fromEntries(Object.entries(said).filter(([name]) => wanted[name] !== undefined));
}

/** What is in a new object: the network of a data center that is made first. */
export function isNewScope(type: string, own: Item): boolean {
  const scope = own[getNameScope(type) ?? ''];
  return scope !== undefined && (!isItem(scope) || scope['id'] === undefined);
}
