/** Matching of definition entries with objects of a service, and their differences. */

import { type Difference, findDifferences } from '../../cli/verbs/differences.ts';
import type { FoundObject, Ids } from '../../cli/verbs/references.ts';
import { AmbiguousError } from '../../client/errors.ts';
import { nicsOfHosts } from '../../definitions/bonds.ts';
import { findObjectService, type Item } from '../../definitions/document.ts';
import { type Entry, getMemberScope } from '../../definitions/entries.ts';
import { getIdentityName, isNameless, isSame } from '../../definitions/identity.ts';
import {
  isBase,
  isNamed,
  matchesValues,
  type OnMissing,
  type Resolution,
  resolveReference,
} from '../../definitions/references.ts';
import { listAttributes, listOperations } from '../../model/index.ts';
import { getNameScope } from '../../model/naming.ts';
import { isRecord } from '../../records.ts';
import type { CachedService } from './cached-service.ts';
import { definitionError } from './read.ts';

/** State of an entry. */
export interface MatchState {
  /** Id of the object; undefined until it exists. */
  id: string | undefined;
  /** The object on the service; undefined if it has to be created first. */
  readonly found: FoundObject | undefined;
}

/** Ids of the existing parents of an entry. */
export function getParentIds({ parent }: Entry, states: ReadonlyMap<Entry, MatchState>): Ids {
  if (!parent) return {};
  const objectService = findObjectService(parent.service) ?? '';
  const placeholder = objectService.slice(objectService.lastIndexOf('{') + 1, -1);
  const id = states.get(parent)?.id;
  return { ...getParentIds(parent, states), ...(id === undefined ? {} : { [placeholder]: id }) };
}

/** Reference to a member of a collection, with further attributes of the membership. */
export function* resolveMember(entry: Entry, onMissing: OnMissing): Resolution<Item> {
  const { type, wanted } = entry;
  if (wanted['id'] !== undefined) return wanted;
  if (isNameless(type)) return yield* resolveReference(type, wanted, onMissing, ['name']);
  const { name, ...more } = wanted;
  const named = { name, ...getMemberScope(entry) };
  return { ...(yield* resolveReference(type, named, onMissing, ['name'])), ...more };
}

/** Entries with the same name, and the objects matched to them. */
interface SameNamed {
  /** Number of entries with the name in the collection. */
  readonly count: number;
  /** Ids of objects that match other entries. */
  readonly taken: ReadonlySet<string>;
}

/** Matches entries with objects; each object matches at most one entry. */
export class Matcher {
  readonly #site: CachedService;
  readonly #states: ReadonlyMap<Entry, MatchState>;
  readonly #entries = new Map<string, Entry[]>();

  constructor(site: CachedService, states: ReadonlyMap<Entry, MatchState>) {
    this.#site = site;
    this.#states = states;
  }

  /** Registers the entries, so that entries with the same name are recognized. */
  register(entries: readonly Entry[]): void {
    for (const entry of entries) {
      const key = entryKey(entry);
      this.#entries.set(key, [...(this.#entries.get(key) ?? []), entry]);
    }
  }

  /** Object that matches an entry; `anew` reads the collection again. Throws as `matchEntry` does. */
  async find(entry: Entry, own: Item, ids: Ids, anew = false): Promise<FoundObject | undefined> {
    const { service, type, wanted } = entry;
    const list = await (anew ? this.#site.reload(service, ids) : this.#site.list(service, ids));
    const alike = this.#entries.get(entryKey(entry)) ?? [entry];
    const others = alike.filter((one) => one !== entry);
    const taken = new Set(others.flatMap((one) => this.#states.get(one)?.id ?? []));
    const word = getIdentityName(type, wanted);
    const isSeveral = list.filter((one) => isNamed(type, one, word)).length > alike.length;
    // The collection of disks also lists disks of VMs and templates, which the definition has below
    // their owners.
    const attached =
      service === '/disks' && isSeveral ? await this.#site.attachedDisks() : new Set<string>();
    const free = list.filter(({ id }) => !attached.has(String(id)));
    return matchEntry(entry, own, free, { count: alike.length, taken });
  }
}

/** Key of an entry. Entries in one collection with the same name have the same key. */
function entryKey({ service, parent, type, wanted }: Entry): string {
  const scope = wanted[getNameScope(type) ?? ''];
  return JSON.stringify([
    service,
    parent?.where.path(),
    getIdentityName(type, wanted),
    scope,
    wanted['version'],
  ]);
}

/**
 * Object of a collection that matches an entry. If there are as many entries as objects with a
 * name, each entry matches the object with the fewest differences. Throws `AmbiguousError` if there
 * are more objects with the name than entries.
 */
function matchEntry(
  entry: Entry,
  own: Item,
  all: readonly Item[],
  { count, taken }: SameNamed,
): FoundObject | undefined {
  const list = all.filter(({ id }) => !taken.has(String(id)));
  const { type, wanted, isMember, where } = entry;
  const found = (item: Item | undefined) => item && { id: String(item['id']), label: '', item };
  if (isMember) return found(list.find(({ id }) => id !== undefined && id === own['id']));
  if (isNameless(type)) return found(list.find((one) => isSame(type, own, one)));
  const word = getIdentityName(type, wanted);
  if (word === undefined) throw definitionError(`${where}: name missing`);
  const scope = own[getNameScope(type) ?? ''];
  const matches = list.filter(
    (one) =>
      isNamed(type, one, word) &&
      (!isRecord(scope) || matchesValues(scope, one[getNameScope(type) ?? ''])) &&
      (type !== 'template' || isSameVersion(own, one)),
  );
  const others = all.filter((one) => taken.has(String(one['id'])) && isNamed(type, one, word));
  if (matches.length > 1 && count >= matches.length + others.length) {
    const distance = (one: Item) => {
      const { changed, fixed } = compareEntry(entry, own, one);
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

/** All versions of a template have the same name; their version names distinguish them. */
function isSameVersion({ version }: Item, present: Item): boolean {
  const isVersion = isRecord(version) && version['base_template'] !== undefined;
  if (!isVersion) return isBase(present);
  const { base_template: base, version_name: name } = version;
  return (
    !isBase(present) &&
    matchesValues({ base_template: base, version_name: name }, present['version'])
  );
}

/**
 * Differences between an entry and its object, divided into those that an update can change
 * (`changed`, by attribute) and those that it cannot (`fixed`).
 */
export function compareEntry({ service, type, isMember, wanted }: Entry, own: Item, present: Item) {
  const objectService = findObjectService(service) ?? '';
  const isBond = service === nicsOfHosts;
  const canUpdate = isBond || listOperations(objectService).some(({ name }) => name === 'update');
  const attributes = listAttributes(type);
  const changed = new Map<string, readonly Difference[]>();
  const fixed: Difference[] = [];
  if (isMember && isNameless(type)) return { changed, fixed };
  const { id: _id, ...said } = own;
  for (const [name, list] of findDifferences(
    type,
    isMember ? omitReference(said, wanted) : own,
    present,
  )) {
    if (canUpdate && (isBond || attributes[name]?.mut.includes('U'))) changed.set(name, list);
    else fixed.push(...list);
  }
  return { changed, fixed };
}

/** Attributes of a membership, without the reference. */
function omitReference({ name: _name, ...said }: Item, wanted: Item): Item {
  return Object.fromEntries(Object.entries(said).filter(([name]) => wanted[name] !== undefined));
}

/**
 * Whether the parent in the name scope of an object does not exist yet, for example the data center
 * of a network.
 */
export function isNewScope(type: string, own: Item): boolean {
  const scope = own[getNameScope(type) ?? ''];
  return scope !== undefined && (!isRecord(scope) || scope['id'] === undefined);
}
