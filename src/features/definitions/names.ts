/** References of an export: object names, qualified by parent or version if they are ambiguous. */

import { getReferenceId } from '../../cli/text/objects.ts';
import type { Ids } from '../../cli/verbs/references.ts';
import type { ApiObject, ObjectOf } from '../../client/client.ts';
import type { Item } from '../../definitions/document.ts';
import {
  getIdentityName,
  isNameless,
  listIdentifyingAttributes,
} from '../../definitions/identity.ts';
import { getParentAttribute, isBase, type Resolution } from '../../definitions/references.ts';
import { getObjectType, isType, listAttributes } from '../../model/index.ts';
import { getNameScope } from '../../model/naming.ts';
import type { TypeName } from '../../model/resources/index.ts';
import { isRecord } from '../../records.ts';
import type { CachedService } from './cached-service.ts';

interface Index {
  readonly byId: ReadonlyMap<string, ApiObject>;
  /** Objects by name. */
  readonly byWord: ReadonlyMap<string, readonly ApiObject[]>;
}

export class ReferenceNames {
  readonly #site: CachedService;
  readonly #indexes = new Map<string, Promise<Index | undefined>>();
  /** Objects that only their ids distinguish. */
  readonly ambiguous = new Set<string>();

  constructor(site: CachedService) {
    this.#site = site;
  }

  /** Reference to an object as a definition contains it. `around` are the ids of the parents. */
  async createReference(type: string, value: Item, around: Ids): Promise<unknown> {
    const id = String(value['id']);
    const index = await this.#index(type, around);
    const known = index?.byId.get(id);
    if (!index || !known) return getIdentityName(type, value) ?? { id };
    if (isNameless(type)) {
      const parts = listIdentifyingAttributes(type).flatMap((name) =>
        known[name] === undefined ? [] : [[name, known[name]] as const],
      );
      return Object.fromEntries(parts);
    }
    const word = getIdentityName(type, known);
    if (word === undefined) return { id };
    const alike = index.byWord.get(word) ?? [];
    if (alike.length < 2) return word;
    const versioned = type === 'template' ? createVersionReference(word, known, alike) : undefined;
    if (versioned !== undefined) return versioned;
    const scope = getNameScope(type) ?? getParentAttribute(type);
    const place = scope === undefined ? undefined : known[scope];
    const isAlone =
      isRecord(place) &&
      alike.filter((one) => getReferenceId(one, scope ?? '') === place['id']).length === 1;
    const attribute = isType(type) ? listAttributes(type)[scope ?? ''] : undefined;
    const of = getParentAttribute(type) ?? (attribute && getObjectType(attribute.kind));
    if (scope !== undefined && isAlone && of !== undefined) {
      return { name: word, [scope]: await this.createReference(of, place, around) };
    }
    this.ambiguous.add(`${type.replaceAll('_', ' ')} ${word}`);
    return { id };
  }

  /** Objects of a type by id; empty if the type cannot be listed. */
  async byId<T extends TypeName>(type: T, around?: Ids): Promise<ReadonlyMap<string, ObjectOf<T>>>;
  async byId(type: string, around?: Ids): Promise<ReadonlyMap<string, ApiObject>>;
  async byId(type: string, around: Ids = {}): Promise<ReadonlyMap<string, ApiObject>> {
    return (await this.#index(type, around))?.byId ?? new Map<string, ApiObject>();
  }

  async #index(type: string, around: Ids): Promise<Index | undefined> {
    const key = type === 'host_nic' ? `${type} ${around['host']}` : type;
    let index = this.#indexes.get(key);
    if (!index) {
      index = this.#site
        .resolve(requestAll(type), around)
        .then((objects) => objects && createIndex(type, objects));
      this.#indexes.set(key, index);
    }
    return await index;
  }
}

function* requestAll(type: string): Resolution<readonly Item[] | undefined> {
  return yield { type };
}

function createIndex(type: string, objects: readonly Item[]): Index {
  const byWord = new Map<string, Item[]>();
  for (const one of objects) {
    const word = getIdentityName(type, one);
    if (word === undefined) continue;
    const list = byWord.get(word);
    if (list) list.push(one);
    else byWord.set(word, [one]);
  }
  return { byId: new Map(objects.map((one) => [String(one['id']), one])), byWord };
}

/**
 * Reference to a template: the plain name for the first version, otherwise with the version name.
 * Undefined if neither is unique.
 */
function createVersionReference(name: string, template: Item, alike: readonly Item[]): unknown {
  if (isBase(template)) return alike.filter(isBase).length === 1 ? name : undefined;
  const own = getVersionName(template);
  const isAlone = alike.filter((one) => getVersionName(one) === own).length === 1;
  return own !== undefined && own !== '' && isAlone
    ? { name, version: { version_name: own } }
    : undefined;
}

function getVersionName({ version: of }: Item): unknown {
  return isRecord(of) ? of['version_name'] : undefined;
}
