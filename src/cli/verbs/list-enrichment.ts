/**
 * Values that tables add to the objects of a list: names of references, states of attached domains.
 */
import type { ApiObject, Client } from '../../client/client.ts';
import { typeOptions } from '../../model/derive/commands.ts';
import { isType, listAttributes, parseKind } from '../../model/index.ts';
import { valueAt } from '../output/cells.ts';
import { type Column, columnOf, nameMembers } from '../output/columns.ts';
import { homeOf } from './collections.ts';
import { operationNamed, placeholderOf } from './references.ts';

/** So many objects of a kind are looked up one by one; for more of them all are listed. */
const maxSingleLookups = 2;

interface Wanted {
  readonly attribute: string;
  readonly member: string;
  readonly type: string;
}

/**
 * Fills the names in that the columns show and the answer left out, with one list for each kind of
 * object, or single requests where only a few are missing. Whatever fails is shown by its id.
 */
export class Names {
  readonly #client: Client;
  readonly #wanted: readonly Wanted[];
  readonly #known = new Map<string, Map<string, ApiObject>>();
  readonly #lookUps = new Map<string, number>();

  constructor(client: Client, type: string, columns: readonly Column[]) {
    this.#client = client;
    this.#wanted = columns.flatMap(({ paths }) => paths.flatMap((path) => wantedBy(path, type)));
  }

  /** The objects with the names; what was looked up for earlier ones is not asked for again. */
  async fill(items: readonly ApiObject[]): Promise<readonly ApiObject[]> {
    let result = items;
    for (const wanted of this.#wanted) result = await this.#filled(result, wanted);
    return result;
  }

  async #filled(
    items: readonly ApiObject[],
    { attribute, member, type }: Wanted,
  ): Promise<readonly ApiObject[]> {
    const known = this.#known.get(type) ?? new Map<string, ApiObject>();
    this.#known.set(type, known);
    const missing = new Set<string>();
    for (const reference of items.flatMap((item) => referencesIn(item[attribute]))) {
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
      const after = referencesIn(before).map(named);
      return { ...item, [attribute]: Array.isArray(before) ? after : after[0] };
    });
  }

  async #lookUp(
    type: string,
    ids: ReadonlySet<string>,
    known: Map<string, ApiObject>,
  ): Promise<void> {
    const home = homeOf(type);
    const list = home && operationNamed(home.path, 'list');
    const get = home?.object ? operationNamed(home.object, 'get') : undefined;
    if (!home || !list) return;
    const requestedCount = (this.#lookUps.get(type) ?? 0) + ids.size;
    // Once all were listed, those that are still unknown are gone, or not to be seen.
    if (!Number.isFinite(requestedCount)) return;
    try {
      if (get && requestedCount <= maxSingleLookups) {
        this.#lookUps.set(type, requestedCount);
        for (const id of ids) {
          const found = await this.#client.fetchUndecoded({
            operation: get,
            ids: { [placeholderOf(home)]: id },
          });
          if (found[0]) known.set(id, nameOnly(found[0]));
        }
      } else {
        this.#lookUps.set(type, Number.POSITIVE_INFINITY);
        for await (const items of this.#client.streamUndecoded({ operation: list })) {
          for (const item of items) known.set(String(item['id']), nameOnly(item));
        }
      }
    } catch {
      // Not allowed to see them, or gone meanwhile: the id has to do.
    }
  }
}

/** One reference, or the list of them that some objects have in full. */
function referencesIn(value: unknown): readonly ApiObject[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? (value as readonly ApiObject[]) : [value as ApiObject];
}

/** Of the many objects that there may be only the names are kept. */
function nameOnly(item: ApiObject): ApiObject {
  return Object.fromEntries(nameMembers.map((member) => [member, item[member]]));
}

/** The reference whose name a path shows, when the name is all that it shows of it. */
function wantedBy(path: string, type: string): readonly Wanted[] {
  const [attribute = '', member = '', ...deeper] = path.split('.');
  if (deeper.length > 0 || !isType(type)) return [];
  if (!nameMembers.some((name) => name === member)) return [];
  const kind = listAttributes(type)[attribute]?.kind;
  const parsed = kind ? parseKind(kind) : undefined;
  const isReference = parsed?.form === 'ref' || parsed?.form === 'links';
  return isReference ? [{ attribute, member, type: parsed.of }] : [];
}

/** An object with the lists of columns that were followed by another path: disks of attachments. */
export function withListsOf(item: ApiObject, type: string, columns: readonly Column[]): ApiObject {
  const lists = columns.flatMap(({ paths }) =>
    paths.flatMap((path) => {
      const [attribute = ''] = path.split('.');
      const { through } = isType(type) ? (listAttributes(type)[attribute] ?? {}) : {};
      const found = through === undefined ? undefined : valueAt(item, through);
      return found === undefined || item[attribute] !== undefined ? [] : [[attribute, found]];
    }),
  );
  return lists.length === 0 ? item : { ...item, ...Object.fromEntries(lists) };
}

/** The names for objects that are all at hand. */
export async function fillNames(
  client: Client,
  type: string,
  items: readonly ApiObject[],
  columns: readonly Column[],
): Promise<readonly ApiObject[]> {
  return await new Names(client, type, columns).fill(items);
}

/** The references that objects of a type have, as a list to follow; nothing where they have none. */
export function referencesOf(type: string): string | undefined {
  const references = Object.entries(listAttributes(type)).filter(
    ([, { kind, writeOnly }]) => parseKind(kind).form === 'ref' && !writeOnly,
  );
  return references.length > 0 ? references.map(([name]) => name).join(',') : undefined;
}

/**
 * An object with the names of what it refers to, in its references and in the lists of them that it
 * has; what was followed is known already.
 */
export async function nameReferences(
  client: Client,
  type: string,
  item: ApiObject,
): Promise<ApiObject> {
  const columns = Object.entries(listAttributes(type)).flatMap(([attribute, { kind }]) => {
    const { form, of } = parseKind(kind);
    if (form !== 'ref' && form !== 'links') return [];
    if (!referencesIn(item[attribute]).some(isBare)) return [];
    const known = typeOptions[of]?.knownBy ?? ['name'];
    const member = nameMembers.find((name) => known.includes(name)) ?? 'name';
    return [columnOf(`${attribute}.${member}`)];
  });
  const [named = item] = await fillNames(client, type, [item], columns);
  return named;
}

/** Whether all that is told of an object is which one it is. */
function isBare(reference: ApiObject): boolean {
  return Object.keys(reference).every((name) => name === 'id' || name === 'href');
}

const attached = '/datacenters/{datacenter}/storagedomains';

export class AttachedStatus {
  readonly #client: Client;
  readonly #isShown: boolean;
  /** States by the id of the domain, by that of the data center. */
  readonly #known = new Map<string, Promise<ReadonlyMap<string, unknown>>>();

  constructor(client: Client, type: string, columns: readonly Column[]) {
    this.#client = client;
    this.#isShown =
      type === 'storage_domain' && columns.some(({ paths }) => paths.includes('status'));
  }

  /** The domains with their states; one request for each data center that they are attached to. */
  async fill(items: readonly ApiObject[]): Promise<readonly ApiObject[]> {
    if (!this.#isShown) return items;
    return await Promise.all(items.map((item) => this.#filled(item)));
  }

  async #filled(item: ApiObject): Promise<ApiObject> {
    const [dataCenter] = (item['data_centers'] ?? []) as readonly ApiObject[];
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
    const operation = operationNamed(attached, 'list');
    if (!operation) return states;
    try {
      for await (const items of this.#client.streamUndecoded({ operation, ids: { datacenter } })) {
        for (const item of items) states.set(String(item['id']), item['status']);
      }
    } catch {
      // Whoever may not see the data center does without.
    }
    return states;
  }
}
