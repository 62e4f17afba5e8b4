/**
 * Values that tables add to the objects of a list: names of references, states of attached domains.
 */

import type { ApiObject, Client } from '../../client/client.ts';
import { typeOptions } from '../../model/derive/commands.ts';
import { isType, listAttributes, parseKind } from '../../model/index.ts';
import { isRecord } from '../../records.ts';
import { getValue } from '../output/cells.ts';
import { type Column, nameMembers, parseColumn } from '../output/columns.ts';
import { getObjects } from '../text/objects.ts';
import { findRootCollection } from './collections.ts';
import { findOperation, getPlaceholder } from './references.ts';

/** Maximum number of single lookups of a kind. Beyond it, all objects are listed. */
const maxSingleLookups = 2;

interface WantedName {
  readonly attribute: string;
  readonly member: string;
  readonly type: string;
}

/**
 * Adds names that columns show and responses lack. Sends one list request for each kind, or single
 * requests if few names are missing. Failed lookups leave the id.
 */
export class NameLookup {
  readonly #client: Client;
  readonly #wanted: readonly WantedName[];
  readonly #known = new Map<string, Map<string, ApiObject>>();
  readonly #lookUps = new Map<string, number>();

  constructor(client: Client, type: string, columns: readonly Column[]) {
    this.#client = client;
    this.#wanted = columns.flatMap(({ paths }) =>
      paths.flatMap((path) => listWantedNames(path, type)),
    );
  }

  /** Adds the names. Earlier lookups are cached. */
  async fill(items: readonly ApiObject[]): Promise<readonly ApiObject[]> {
    let result = items;
    for (const wanted of this.#wanted) result = await this.#filled(result, wanted);
    return result;
  }

  async #filled(
    items: readonly ApiObject[],
    { attribute, member, type }: WantedName,
  ): Promise<readonly ApiObject[]> {
    const known = this.#known.get(type) ?? new Map<string, ApiObject>();
    this.#known.set(type, known);
    const missing = new Set<string>();
    for (const reference of items.flatMap((item) => toReferences(item[attribute]))) {
      const id = reference['id'];
      if (id === undefined || reference[member] !== undefined) continue;
      if (known.get(String(id))?.[member] === undefined) missing.add(String(id));
    }
    if (missing.size > 0) await this.#lookUp(type, missing, known);
    const named = (reference: ApiObject): ApiObject => {
      const value = known.get(String(reference['id']))?.[member];
      if (value === undefined || reference[member] !== undefined) return reference;
      return { ...reference, [member]: value };
    };
    return items.map((item) => {
      const before = item[attribute];
      if (before === undefined) return item;
      const after = toReferences(before).map(named);
      return { ...item, [attribute]: Array.isArray(before) ? after : after[0] };
    });
  }

  async #lookUp(
    type: string,
    ids: ReadonlySet<string>,
    known: Map<string, ApiObject>,
  ): Promise<void> {
    const home = findRootCollection(type);
    const list = home && findOperation(home.path, 'list');
    const get = home?.object ? findOperation(home.object, 'get') : undefined;
    if (!home || !list) return;
    const requestedCount = (this.#lookUps.get(type) ?? 0) + ids.size;
    // After a complete list, unknown objects are deleted or invisible.
    if (!Number.isFinite(requestedCount)) return;
    try {
      if (get && requestedCount <= maxSingleLookups) {
        this.#lookUps.set(type, requestedCount);
        for (const id of ids) {
          const found = await this.#client.fetchUndecoded({
            operation: get,
            ids: { [getPlaceholder(home)]: id },
          });
          if (found[0]) known.set(id, pickNames(found[0]));
        }
      } else {
        this.#lookUps.set(type, Number.POSITIVE_INFINITY);
        for await (const items of this.#client.streamUndecoded({ operation: list })) {
          for (const item of items) known.set(String(item['id']), pickNames(item));
        }
      }
    } catch {
      // Without permission, or after a deletion, tables show the id.
    }
  }
}

/** Returns a reference, or a list of them, as a list. */
function toReferences(value: unknown): readonly ApiObject[] {
  return (Array.isArray(value) ? value : [value]).filter(isRecord);
}

/** Keeps only the names, because lists may be long. */
function pickNames(item: ApiObject): ApiObject {
  return Object.fromEntries(nameMembers.map((member) => [member, item[member]]));
}

/** Returns the reference of a path that shows only the name. */
function listWantedNames(path: string, type: string): readonly WantedName[] {
  const [attribute = '', member = '', ...deeper] = path.split('.');
  if (deeper.length > 0 || !isType(type)) return [];
  if (!nameMembers.some((name) => name === member)) return [];
  const kind = listAttributes(type)[attribute]?.kind;
  const parsed = kind ? parseKind(kind) : undefined;
  const isReference = parsed?.form === 'ref' || parsed?.form === 'links';
  return isReference ? [{ attribute, member, type: parsed.of }] : [];
}

/** Adds lists of columns that were followed by another path, such as disks of attachments. */
export function addFollowedLists(
  item: ApiObject,
  type: string,
  columns: readonly Column[],
): ApiObject {
  const lists = columns.flatMap(({ paths }) =>
    paths.flatMap((path) => {
      const [attribute = ''] = path.split('.');
      const { through } = isType(type) ? (listAttributes(type)[attribute] ?? {}) : {};
      const found = through === undefined ? undefined : getValue(item, through);
      return found === undefined || item[attribute] !== undefined ? [] : [[attribute, found]];
    }),
  );
  return lists.length === 0 ? item : { ...item, ...Object.fromEntries(lists) };
}

/** Adds names to objects in memory. */
export async function addNames(
  client: Client,
  type: string,
  items: readonly ApiObject[],
  columns: readonly Column[],
): Promise<readonly ApiObject[]> {
  return await new NameLookup(client, type, columns).fill(items);
}

/** Returns the references of a type as a list to follow; undefined if it has none. */
export function listReferenceLinks(type: string): string | undefined {
  const references = Object.entries(listAttributes(type)).filter(
    ([, { kind, writeOnly }]) => parseKind(kind).form === 'ref' && !writeOnly,
  );
  return references.length > 0 ? references.map(([name]) => name).join(',') : undefined;
}

/** Adds the names of references and reference lists that the response lacks. */
export async function addReferenceNames(
  client: Client,
  type: string,
  item: ApiObject,
): Promise<ApiObject> {
  const columns = Object.entries(listAttributes(type)).flatMap(([attribute, { kind }]) => {
    const { form, of } = parseKind(kind);
    if (form !== 'ref' && form !== 'links') return [];
    if (!toReferences(item[attribute]).some(hasOnlyIdentity)) return [];
    const known = typeOptions[of]?.knownBy ?? ['name'];
    const member = nameMembers.find((name) => known.includes(name)) ?? 'name';
    return [parseColumn(`${attribute}.${member}`)];
  });
  const [named = item] = await addNames(client, type, [item], columns);
  return named;
}

/** Whether a reference has only its identity. */
function hasOnlyIdentity(reference: ApiObject): boolean {
  return Object.keys(reference).every((name) => name === 'id' || name === 'href');
}

const attachedDomainsPath = '/datacenters/{datacenter}/storagedomains';

export class AttachedStatus {
  readonly #client: Client;
  readonly #isShown: boolean;
  /** States by domain id, by data center id. */
  readonly #known = new Map<string, Promise<ReadonlyMap<string, unknown>>>();

  constructor(client: Client, type: string, columns: readonly Column[]) {
    this.#client = client;
    this.#isShown =
      type === 'storage_domain' && columns.some(({ paths }) => paths.includes('status'));
  }

  /** Adds the states of domains, with one request for each data center. */
  async fill(items: readonly ApiObject[]): Promise<readonly ApiObject[]> {
    if (!this.#isShown) return items;
    return await Promise.all(items.map((item) => this.#filled(item)));
  }

  async #filled(item: ApiObject): Promise<ApiObject> {
    const [dataCenter] = getObjects(item, 'data_centers');
    if (item['status'] !== undefined || dataCenter?.['id'] === undefined) return item;
    const status = (await this.#statesIn(String(dataCenter['id']))).get(String(item['id']));
    return status === undefined ? item : { ...item, status };
  }

  #statesIn(datacenter: string): Promise<ReadonlyMap<string, unknown>> {
    let states = this.#known.get(datacenter);
    if (!states) {
      states = this.#read(datacenter);
      this.#known.set(datacenter, states);
    }
    return states;
  }

  async #read(datacenter: string): Promise<ReadonlyMap<string, unknown>> {
    const states = new Map<string, unknown>();
    const operation = findOperation(attachedDomainsPath, 'list');
    if (!operation) return states;
    try {
      for await (const items of this.#client.streamUndecoded({ operation, ids: { datacenter } })) {
        for (const item of items) states.set(String(item['id']), item['status']);
      }
    } catch {
      // Without permission for the data center, the state remains unknown.
    }
    return states;
  }
}
