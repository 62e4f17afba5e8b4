/**
 * The objects of a definition one by one, each after all that it needs: a template that is made from a
 * machine after the machine, a machine that is made from a template after the template.
 */
import { nounsByPath } from '../model/derive/commands.ts';
import { writtenCollections } from '../model/derive/definitions.ts';
import { naming } from '../model/derive/naming.ts';
import { placements } from '../model/derive/placements.ts';
import { requiredOnAdd } from '../model/derive/required.ts';
import { services } from '../model/derive/services.ts';
import { isType } from '../model/index.ts';
import { acceptedPaths } from '../model/requirements.ts';
import type { SourcePlace } from '../source-place.ts';
import {
  divided,
  type Item,
  isItem,
  objectServiceOf,
  type PlacedDefinition,
  phasesOf,
  turnOf,
} from './document.ts';
import { isNameless, wordOf } from './identity.ts';
import { mentioned, ownerOf } from './references.ts';
import { settled, userOf } from './values.ts';

/** One object of a definition. */
export interface Entry {
  /** Path template of the collection: `/vms/{vm}/nics`. */
  readonly service: string;
  readonly type: string;
  /** As commands call it: `vms/web01/nics/nic1`. */
  readonly label: string;
  /** Where it stands: `vms[0].nics[1]`, with the position in the file. */
  readonly where: SourcePlace;
  /** Its attributes as the API has them; references are still names. */
  readonly wanted: Item;
  readonly parent: Entry | undefined;
  /** Entries without which it cannot be made, beside its parent. */
  readonly needs: Set<Entry>;
  /** It exists by itself, and is only put in here. */
  readonly isMember: boolean;
  /** It is to run. */
  readonly runs: boolean;
  /** The password of a user is no attribute. */
  readonly password: unknown;
  /** What is below it. */
  readonly children: Entry[];
}

/** Takes a definition apart. Throws `FILE:LINE:COLUMN: problem` for what is wrong with it. */
export function entriesOf({ definition, place }: PlacedDefinition): readonly Entry[] {
  const sequence = new Sequence();
  for (const names of phasesOf(definition)) {
    for (const name of names) {
      for (const [index, item] of (definition[name] ?? []).entries()) {
        sequence.add(`/${name}`, item, place.at(name, index), undefined);
      }
    }
    sequence.catchUp('later');
  }
  sequence.catchUp('last');
  return ordered(sequence.entries);
}

/** Types whose attributes describe what is given, where the API shows less. */
const describedBy: Readonly<Record<string, string>> = { openstack_image: 'image' };

class Sequence {
  readonly entries: Entry[] = [];
  readonly #postponed: Record<'later' | 'last', (() => void)[]> = { later: [], last: [] };

  /** Entries by collection and name, of types whose names are unique. */
  readonly #named = new Map<string, Entry>();

  /** Throws if an entry before this one has its name, and the service would refuse that. */
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

  catchUp(turn: 'later' | 'last'): void {
    const list = this.#postponed[turn];
    // What was put off may put something off itself: the networks of an iSCSI bond.
    for (let add = list.shift(); add; add = list.shift()) add();
    if (turn === 'last' && this.#postponed.later.length > 0) {
      this.catchUp('later');
      this.catchUp('last');
    }
  }

  add(service: string, item: Item, where: SourcePlace, parent: Entry | undefined): void {
    const objectService = objectServiceOf(service);
    const type = services[service]?.type ?? '';
    const { own, below } = divided(objectService, item);
    // A state is reached, not set; the password of a user is no attribute.
    const { status, password, ...rest } = own;
    const isUser = service === '/users';
    const sent = isUser ? userOf(rest) : password === undefined ? rest : { ...rest, password };
    const described = describedBy[type] ?? type;
    const wanted = isType(described) ? settled(described, sent, where) : sent;
    const word = wordOf(type, wanted) ?? where.path().match(/\d+/g)?.at(-1) ?? '';
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
      const turn = turnOf(name);
      if (turn === 'now') addAll();
      else this.#postponed[turn].push(addAll);
    }
  }
}

/** Throws for an entry without a name, if its service adds no object without one. */
function checkName({ type, wanted, where, isMember }: Entry): void {
  const accepted = (requiredOnAdd[type] ?? []).map(acceptedPaths);
  const needed = accepted.find((paths) => paths.includes('name'));
  if (!needed || isMember || wanted['id'] !== undefined) return;
  if (needed.some((path) => wanted[path.replace(/\..*/s, '')] !== undefined)) return;
  throw new Error(`${where}: name missing`);
}

/** What is only put into a collection: all that is said of it is its name. */
function isMember(service: string, type: string, wanted: Item): boolean {
  const rule = writtenCollections[service];
  if (rule) return rule.how === 'names' || rule.only !== undefined;
  // What only a file can give is not there yet.
  const isAdded = services[service]?.operations['add'] !== undefined;
  const isKept = placements[service]?.is === 'owned';
  return (
    isAdded &&
    !isKept &&
    Object.keys(wanted).join() === 'name' &&
    services[homePath(type)] !== undefined
  );
}

/** The collection without parents of a type. */
function homePath(type: string): string {
  return (
    Object.keys(services).find(
      (path) => path.lastIndexOf('/') === 0 && services[path]?.type === type,
    ) ?? ''
  );
}

const attachedDomains = '/datacenters/{datacenter}/storagedomains';
const clusterNetworks = '/clusters/{cluster}/networks';

/** Entries by what they can be referred to as: `network mgmt`. */
type Known = ReadonlyMap<string, readonly Entry[]>;

function known(entries: readonly Entry[]): Known {
  const found = new Map<string, Entry[]>();
  const note = (key: string, entry: Entry) => {
    const list = found.get(key);
    if (list) list.push(entry);
    else found.set(key, [entry]);
  };
  for (const entry of entries) {
    const name = wordOf(entry.type, entry.wanted);
    if (entry.isMember) {
      if (name !== undefined) note(`${entry.service} ${name}`, entry);
      continue;
    }
    if (name !== undefined) note(`${entry.type} ${name}`, entry);
    else if (isNameless(entry.type)) note(entry.type, entry);
    const disk = entry.type === 'disk_attachment' ? entry.wanted['disk'] : undefined;
    if (isItem(disk) && Object.keys(disk).length > 1) {
      note(`disk ${wordOf('disk', disk) ?? ''}`, entry);
    }
  }
  return found;
}

/** Notes what each entry needs, and puts it behind that. Throws where entries need each other. */
function ordered(entries: readonly Entry[]): readonly Entry[] {
  const all = known(entries);
  for (const entry of entries) for (const one of needsOf(entry, all)) entry.needs.add(one);
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

function* needsOf(entry: Entry, all: Known): Generator<Entry> {
  const { type, wanted, service, parent } = entry;
  const found = (key: string) => (all.get(key) ?? []).filter((one) => !isAround(one, entry));
  const named: (readonly [string, Item])[] = [...mentioned(type, wanted)];
  if (entry.isMember) named.push([type, { ...placeOfMember(entry), ...wanted }]);
  for (const [of, reference] of named) {
    const name = calledIn(of, reference);
    if (name === undefined) {
      if (isNameless(of)) yield* found(of);
      continue;
    }
    // Interfaces of a host are only used on that host.
    const isHere = (one: Entry) => of !== 'host_nic' || one.parent === parent;
    yield* within(found(`${of} ${name}`).filter(isHere), of, reference);
    if (of === 'storage_domain' && service !== attachedDomains) {
      yield* found(`${attachedDomains} ${name}`);
    }
    if (type === 'network_attachment' && of === 'network') {
      yield* found(`${clusterNetworks} ${name}`);
    }
    if (type === 'nic' && of === 'vnic_profile') {
      const profiles = within(found(`${of} ${name}`), of, reference);
      for (const network of profiles.length > 0 ? profiles.map(networkOf) : [name]) {
        yield* found(`${clusterNetworks} ${network}`).filter(inClusterOf(parent));
      }
    }
  }
  if (service === attachedDomains) yield* dataDomainsBefore(entry, all);
}

/** What a reference calls an object. */
function calledIn(type: string, { name, alias, user_name: login }: Item): string | undefined {
  const word = name ?? alias ?? login;
  if (word === undefined) return undefined;
  return type === 'user' ? `${String(word).replace(/-authz$/, '')}-authz` : String(word);
}

/** An entry that is above another, or below it. */
function isAround(one: Entry, entry: Entry): boolean {
  for (let at: Entry | undefined = entry; at; at = at.parent) if (at === one) return true;
  for (let at: Entry | undefined = one.parent; at; at = at.parent) if (at === entry) return true;
  return false;
}

/** Where an object is that is put into a collection: networks are those of the data center around. */
export function placeOfMember({ type, parent }: Entry): Item {
  if (type !== 'network') return {};
  if (parent?.type === 'cluster') {
    const { data_center: center } = parent.wanted;
    return center === undefined ? {} : { data_center: center };
  }
  const center = parent?.parent;
  return center?.type === 'data_center' ? { data_center: { name: center.wanted['name'] } } : {};
}

/** Of entries with one name those that are where the reference says. */
function within(entries: readonly Entry[], type: string, reference: Item): readonly Entry[] {
  const scopes = ['data_center', 'network', 'cluster', 'storage_domain'].filter(
    (name) => reference[name] !== undefined,
  );
  if (type === 'template') return entries.filter((entry) => isVersion(entry.wanted, reference));
  const fitting = entries.filter((entry) =>
    scopes.every((name) => {
      const place = ownerOf(type) === name ? entry.parent?.wanted : entry.wanted[name];
      return place === undefined || nameOf(place) === nameOf(reference[name]);
    }),
  );
  return fitting.length > 0 ? fitting : entries;
}

/** Whether a template is the one that a reference means: the first of its name, or a later version. */
function isVersion({ version }: Item, { version: wanted }: Item): boolean {
  const own = isItem(version) ? version : {};
  if (!isItem(wanted)) return own['base_template'] === undefined;
  return own['base_template'] !== undefined && own['version_name'] === wanted['version_name'];
}

function networkOf(profile: Entry): string | undefined {
  return nameOf(profile.wanted['network']);
}

function inClusterOf(vm: Entry | undefined): (entry: Entry) => boolean {
  const cluster = nameOf(vm?.wanted['cluster']);
  return ({ parent }) => cluster === undefined || nameOf(parent?.wanted) === cluster;
}

function nameOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return isItem(value) && value['name'] !== undefined ? String(value['name']) : undefined;
}

/** A data center takes domains of other types when it has one of data. */
function dataDomainsBefore({ wanted, parent }: Entry, all: Known): readonly Entry[] {
  const isData = (name: string | undefined) =>
    (all.get(`storage_domain ${name}`) ?? []).every(
      (one) => (one.wanted['type'] ?? 'data') === 'data',
    );
  if (isData(nameOf(wanted))) return [];
  return (parent?.children ?? []).filter(
    (one) => one.service === attachedDomains && isData(nameOf(one.wanted)),
  );
}
