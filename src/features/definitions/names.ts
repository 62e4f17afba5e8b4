/** What an export calls objects: their names, and where they are if others are called the same. */

import type { Ids } from '../../cli/verbs/references.ts';
import type { ApiObject } from '../../client/client.ts';
import { type Item, isItem } from '../../definitions/document.ts';
import { isNameless, partsOf, wordOf } from '../../definitions/identity.ts';
import { type Asking, isBase, ownerOf } from '../../definitions/references.ts';
import { getObjectType, isType, listAttributes } from '../../model/index.ts';
import { getNameScope } from '../../model/naming.ts';
import type { Site } from './site.ts';

interface Index {
  readonly byId: ReadonlyMap<string, ApiObject>;
  /** Objects by their word. */
  readonly byWord: ReadonlyMap<string, readonly ApiObject[]>;
}

export class Names {
  readonly #site: Site;
  readonly #indexes = new Map<string, Promise<Index | undefined>>();
  /** Objects that only their ids tell apart. */
  readonly ambiguous = new Set<string>();

  constructor(site: Site) {
    this.#site = site;
  }

  /** A reference as a definition has it. `around` are the ids of what it is in. */
  async of(type: string, value: Item, around: Ids): Promise<unknown> {
    const id = String(value['id']);
    const index = await this.#index(type, around);
    const known = index?.byId.get(id);
    if (!index || !known) return wordOf(type, value) ?? { id };
    if (isNameless(type)) {
      const parts = partsOf(type).flatMap((name) =>
        known[name] === undefined ? [] : [[name, known[name]] as const],
      );
      return Object.fromEntries(parts);
    }
    const word = wordOf(type, known);
    if (word === undefined) return { id };
    const alike = index.byWord.get(word) ?? [];
    if (alike.length < 2) return word;
    const versioned = type === 'template' ? version(word, known, alike) : undefined;
    if (versioned !== undefined) return versioned;
    const scope = getNameScope(type) ?? ownerOf(type);
    const place = scope === undefined ? undefined : known[scope];
    const isAlone =
      isItem(place) && alike.filter((one) => idIn(one, scope) === place['id']).length === 1;
    const attribute = isType(type) ? listAttributes(type)[scope ?? ''] : undefined;
    const of = ownerOf(type) ?? (attribute && getObjectType(attribute.kind));
    if (scope !== undefined && isAlone && of !== undefined) {
      return { name: word, [scope]: await this.of(of, place, around) };
    }
    this.ambiguous.add(`${type.replaceAll('_', ' ')} ${word}`);
    return { id };
  }

  /** The objects of a type by id, where they can be listed. */
  async byId(type: string, around: Ids = {}): Promise<ReadonlyMap<string, ApiObject>> {
    return (await this.#index(type, around))?.byId ?? new Map<string, ApiObject>();
  }

  async #index(type: string, around: Ids): Promise<Index | undefined> {
    const key = type === 'host_nic' ? `${type} ${around['host']}` : type;
    let index = this.#indexes.get(key);
    if (!index) {
      index = this.#site
        .answered(all(type), around)
        .then((objects) => objects && indexed(type, objects));
      this.#indexes.set(key, index);
    }
    return await index;
  }
}

function* all(type: string): Asking<readonly Item[] | undefined> {
  return yield { type };
}

function indexed(type: string, objects: readonly Item[]): Index {
  const byWord = new Map<string, Item[]>();
  for (const one of objects) {
    const word = wordOf(type, one);
    if (word === undefined) continue;
    const list = byWord.get(word);
    if (list) list.push(one);
    else byWord.set(word, [one]);
  }
  return { byId: new Map(objects.map((one) => [String(one['id']), one])), byWord };
}

/** The first version of a template has its name, others the name of the version too. */
function version(name: string, template: Item, alike: readonly Item[]): unknown {
  if (isBase(template)) return alike.filter(isBase).length === 1 ? name : undefined;
  const own = versionName(template);
  const isAlone = alike.filter((one) => versionName(one) === own).length === 1;
  return own !== undefined && own !== '' && isAlone
    ? { name, version: { version_name: own } }
    : undefined;
}

function versionName({ version: of }: Item): unknown {
  return isItem(of) ? of['version_name'] : undefined;
}

function idIn(item: Item, attribute: string | undefined): unknown {
  const value = item[attribute ?? ''];
  return isItem(value) ? value['id'] : undefined;
}
