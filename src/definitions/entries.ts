/**
 * Entries of a definition in dependency order: for example, a template after the VM that it is
 * created from, and a VM after its template.
 */

import { nounsByPath } from '../model/derive/commands.ts';
import { writtenCollections } from '../model/derive/definitions.ts';
import { naming } from '../model/derive/naming.ts';
import { placements } from '../model/derive/placements.ts';
import { requiredOnAdd } from '../model/derive/required.ts';
import { services } from '../model/derive/services.ts';
import { isType } from '../model/index.ts';
import { acceptedPaths } from '../model/requirements.ts';
import { isRecord } from '../records.ts';
import type { SourcePlace } from '../source-place.ts';
import {
  divideItem,
  findObjectService,
  getCreationTurn,
  type Item,
  listPhases,
  type PlacedDefinition,
} from './document.ts';
import { getIdentityName, isNameless } from './identity.ts';
import { getParentAttribute, listReferences } from './references.ts';
import { completeUser, convertAttributes } from './values.ts';

/** An object of a definition. */
export interface Entry {
  /** Path template of the collection: `/vms/{vm}/nics`. */
  readonly service: string;
  readonly type: string;
  /** Label for commands: `vms/web01/nics/nic1`. */
  readonly label: string;
  /** Path in the definition, `vms[0].nics[1]`, with the position in the file. */
  readonly where: SourcePlace;
  /** Attributes with the values of the API; references are still names. */
  readonly wanted: Item;
  readonly parent: Entry | undefined;
  /** Entries that must exist first, in addition to the parent. */
  readonly needs: Set<Entry>;
  /** Whether the entry adds an existing object to the collection. */
  readonly isMember: boolean;
  /** Whether the VM must be started. */
  readonly runs: boolean;
  /** Password of a user, which is not an attribute. */
  readonly password: unknown;
  /** Entries of the subcollections. */
  readonly children: Entry[];
}

/**
 * Entries of a definition in dependency order. Throws `FILE:LINE:COLUMN: problem` if the definition
 * is invalid.
 */
export function listDefinitionEntries({ definition, place }: PlacedDefinition): readonly Entry[] {
  const sequence = new EntryCollector();
  for (const names of listPhases(definition)) {
    for (const name of names) {
      for (const [index, item] of (definition[name] ?? []).entries()) {
        sequence.add(`/${name}`, item, place.at(name, index), undefined);
      }
    }
    sequence.addPostponed('later');
  }
  sequence.addPostponed('last');
  return sortEntries(sequence.entries);
}

/** Types whose definition uses the attributes of another type. */
const describedBy: Readonly<Record<string, string>> = { openstack_image: 'image' };

class EntryCollector {
  readonly entries: Entry[] = [];
  readonly #postponed: Record<'later' | 'last', (() => void)[]> = { later: [], last: [] };

  /** Entries by collection and name, for types with unique names. */
  readonly #named = new Map<string, Entry>();

  /** Throws if an earlier entry has the same name and the service would refuse the duplicate. */
  #checkUnique(entry: Entry): void {
    const { service, parent, type, wanted, where, isMember } = entry;
    const unique = naming[type]?.unique ?? 'nowhere';
    if (isMember || unique === 'nowhere' || wanted['name'] === undefined) return;
    const scope = typeof unique === 'object' ? wanted[unique.within] : undefined;
    const key = JSON.stringify([service, parent?.where.path(), wanted['name'], scope]);
    const first = this.#named.get(key);
    if (first) {
      const name = String(wanted['name']);
      throw new Error(`${where}: the name "${name}" is already used at ${first.where.path()}`);
    }
    this.#named.set(key, entry);
  }

  addPostponed(turn: 'later' | 'last'): void {
    const list = this.#postponed[turn];
    // Postponed entries can postpone further entries, for example the networks of an iSCSI bond.
    for (let add = list.shift(); add; add = list.shift()) add();
    if (turn === 'last' && this.#postponed.later.length > 0) {
      this.addPostponed('later');
      this.addPostponed('last');
    }
  }

  add(service: string, item: Item, where: SourcePlace, parent: Entry | undefined): void {
    const objectService = findObjectService(service);
    const type = services[service]?.type ?? '';
    const { own, below } = divideItem(objectService, item);
    // The status is a target state, and the password of a user is not an attribute.
    const { status, password, ...rest } = own;
    const isUser = service === '/users';
    const sent = isUser
      ? completeUser(rest)
      : password === undefined
        ? rest
        : { ...rest, password };
    const described = describedBy[type] ?? type;
    const wanted = isType(described) ? convertAttributes(described, sent, where) : sent;
    const word = getIdentityName(type, wanted) ?? where.path().match(/\d+/g)?.at(-1) ?? '';
    const noun = nounsByPath[service] ?? service.slice(service.lastIndexOf('/') + 1);
    const entry: Entry = {
      service,
      type,
      label: `${parent ? `${parent.label}/` : ''}${noun}/${word}`,
      where,
      wanted,
      parent,
      needs: new Set(),
      isMember: isMember(service, type, wanted),
      runs: status === 'up',
      password: isUser ? password : undefined,
      children: [],
    };
    checkName(entry);
    this.#checkUnique(entry);
    parent?.children.push(entry);
    this.entries.push(entry);
    for (const [name, items] of below) {
      const path = `${objectService}/${name}`;
      const addAll = () => {
        for (const [index, one] of items.entries()) {
          this.add(path, one, where.at(name, index), entry);
        }
      };
      const turn = getCreationTurn(name);
      if (turn === 'now') addAll();
      else this.#postponed[turn].push(addAll);
    }
  }
}

/** Throws if an entry has no name and its type requires one. */
function checkName({ type, wanted, where, isMember }: Entry): void {
  const accepted = (requiredOnAdd[type] ?? []).map(acceptedPaths);
  const needed = accepted.find((paths) => paths.includes('name'));
  if (!needed || isMember || wanted['id'] !== undefined) return;
  if (needed.some((path) => wanted[path.replace(/\..*/s, '')] !== undefined)) return;
  throw new Error(`${where}: name missing`);
}

/** Whether the entry adds an existing object to the collection: it consists of a name only. */
function isMember(service: string, type: string, wanted: Item): boolean {
  const rule = writtenCollections[service];
  if (rule) return rule.how === 'names' || rule.only !== undefined;
  // Without an add operation, only a definition file creates the objects: they do not exist yet.
  const isAdded = services[service]?.operations['add'] !== undefined;
  const isKept = placements[service]?.is === 'owned';
  return (
    isAdded &&
    !isKept &&
    Object.keys(wanted).join() === 'name' &&
    services[findTopLevelPath(type)] !== undefined
  );
}

/** Top-level collection of a type; empty if there is none. */
function findTopLevelPath(type: string): string {
  return (
    Object.keys(services).find(
      (path) => path.lastIndexOf('/') === 0 && services[path]?.type === type,
    ) ?? ''
  );
}

const attachedDomains = '/datacenters/{datacenter}/storagedomains';
const clusterNetworks = '/clusters/{cluster}/networks';

/** Entries by type and name (`network mgmt`), as references name them. */
type EntryIndex = ReadonlyMap<string, readonly Entry[]>;

function indexEntries(entries: readonly Entry[]): EntryIndex {
  const found = new Map<string, Entry[]>();
  const note = (key: string, entry: Entry) => {
    const list = found.get(key);
    if (list) list.push(entry);
    else found.set(key, [entry]);
  };
  for (const entry of entries) {
    const name = getIdentityName(entry.type, entry.wanted);
    if (entry.isMember) {
      if (name !== undefined) note(`${entry.service} ${name}`, entry);
      continue;
    }
    if (name !== undefined) note(`${entry.type} ${name}`, entry);
    else if (isNameless(entry.type)) note(entry.type, entry);
    const disk = entry.type === 'disk_attachment' ? entry.wanted['disk'] : undefined;
    if (isRecord(disk) && Object.keys(disk).length > 1) {
      note(`disk ${getIdentityName('disk', disk) ?? ''}`, entry);
    }
  }
  return found;
}

/**
 * Sets the dependencies of the entries and sorts them topologically. Throws for circular
 * dependencies.
 */
function sortEntries(entries: readonly Entry[]): readonly Entry[] {
  const all = indexEntries(entries);
  for (const entry of entries) for (const one of findNeeds(entry, all)) entry.needs.add(one);
  const result: Entry[] = [];
  const state = new Map<Entry, 'open' | 'done'>();
  const visit = (entry: Entry, path: readonly Entry[]) => {
    if (state.get(entry) === 'done') return;
    if (state.get(entry) === 'open') {
      const labels = [...path.slice(path.indexOf(entry)), entry].map(({ label }) => label);
      throw new Error(`${entry.where}: circular dependency: ${labels.join(', which needs ')}`);
    }
    state.set(entry, 'open');
    const before = [...path, entry];
    if (entry.parent) visit(entry.parent, before);
    for (const one of entry.needs) visit(one, before);
    state.set(entry, 'done');
    result.push(entry);
  };
  for (const entry of entries) visit(entry, []);
  return result;
}

function* findNeeds(entry: Entry, all: EntryIndex): Generator<Entry> {
  const { type, wanted, service, parent } = entry;
  const found = (key: string) => (all.get(key) ?? []).filter((one) => !isRelative(one, entry));
  const named: (readonly [string, Item])[] = [...listReferences(type, wanted)];
  if (entry.isMember) named.push([type, { ...getMemberScope(entry), ...wanted }]);
  for (const [of, reference] of named) {
    const name = getReferenceName(of, reference);
    if (name === undefined) {
      if (isNameless(of)) yield* found(of);
      continue;
    }
    // NICs of a host are only referenced on the same host.
    const isHere = (one: Entry) => of !== 'host_nic' || one.parent === parent;
    yield* filterByScope(found(`${of} ${name}`).filter(isHere), of, reference);
    if (of === 'storage_domain' && service !== attachedDomains) {
      yield* found(`${attachedDomains} ${name}`);
    }
    if (type === 'network_attachment' && of === 'network') {
      yield* found(`${clusterNetworks} ${name}`);
    }
    if (type === 'nic' && of === 'vnic_profile') {
      const profiles = filterByScope(found(`${of} ${name}`), of, reference);
      for (const network of profiles.length > 0 ? profiles.map(getNetworkName) : [name]) {
        yield* found(`${clusterNetworks} ${network}`).filter(isInClusterWith(parent));
      }
    }
  }
  if (service === attachedDomains) yield* listRequiredDataDomains(entry, all);
}

/** Name of the object in a reference. */
function getReferenceName(
  type: string,
  { name, alias, user_name: login }: Item,
): string | undefined {
  const word = name ?? alias ?? login;
  if (word === undefined) return undefined;
  return type === 'user' ? `${String(word).replace(/-authz$/, '')}-authz` : String(word);
}

/** Whether an entry is a parent or a child of another, at any depth. */
function isRelative(one: Entry, entry: Entry): boolean {
  for (let at: Entry | undefined = entry; at; at = at.parent) if (at === one) return true;
  for (let at: Entry | undefined = one.parent; at; at = at.parent) if (at === entry) return true;
  return false;
}

/** Scope of an added object: a network belongs to the data center of the collection. */
export function getMemberScope({ type, parent }: Entry): Item {
  if (type !== 'network') return {};
  if (parent?.type === 'cluster') {
    const { data_center: center } = parent.wanted;
    return center === undefined ? {} : { data_center: center };
  }
  const center = parent?.parent;
  return center?.type === 'data_center' ? { data_center: { name: center.wanted['name'] } } : {};
}

/** Entries that match the scope of a reference; all of them if none matches. */
function filterByScope(entries: readonly Entry[], type: string, reference: Item): readonly Entry[] {
  const scopes = ['data_center', 'network', 'cluster', 'storage_domain'].filter(
    (name) => reference[name] !== undefined,
  );
  if (type === 'template') return entries.filter((entry) => isVersion(entry.wanted, reference));
  const fitting = entries.filter((entry) =>
    scopes.every((name) => {
      const place = getParentAttribute(type) === name ? entry.parent?.wanted : entry.wanted[name];
      return place === undefined || getName(place) === getName(reference[name]);
    }),
  );
  return fitting.length > 0 ? fitting : entries;
}

/** Whether a template matches a reference: the first version, or the named later version. */
function isVersion({ version }: Item, { version: wanted }: Item): boolean {
  const own = isRecord(version) ? version : {};
  if (!isRecord(wanted)) return own['base_template'] === undefined;
  return own['base_template'] !== undefined && own['version_name'] === wanted['version_name'];
}

function getNetworkName(profile: Entry): string | undefined {
  return getName(profile.wanted['network']);
}

function isInClusterWith(vm: Entry | undefined): (entry: Entry) => boolean {
  const cluster = getName(vm?.wanted['cluster']);
  return ({ parent }) => cluster === undefined || getName(parent?.wanted) === cluster;
}

function getName(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return isRecord(value) && value['name'] !== undefined ? String(value['name']) : undefined;
}

/** Attached data domains. A data center accepts other domain types only after a data domain. */
function listRequiredDataDomains({ wanted, parent }: Entry, all: EntryIndex): readonly Entry[] {
  const isData = (name: string | undefined) =>
    (all.get(`storage_domain ${name}`) ?? []).every(
      (one) => (one.wanted['type'] ?? 'data') === 'data',
    );
  if (isData(getName(wanted))) return [];
  return (parent?.children ?? []).filter(
    (one) => one.service === attachedDomains && isData(getName(one.wanted)),
  );
}
