/** What has to be done so that a service is as a definition says: found by reading, done later. */
import { NotFoundError } from '../../client/errors.ts';
import {
  type Definition,
  divided,
  type Item,
  itemDefaults,
  laterChildren,
  objectServiceOf,
  phasesOf,
} from '../../definitions/document.ts';
import { settled, userOf } from '../../definitions/values.ts';
import { attributesOf, operationsOf } from '../../model/index.ts';
import { services } from '../../model/services/index.ts';
import { collectionAt, homeOf, nounOfCollection } from '../resources/collections.ts';
import type { Performer } from '../resources/perform.ts';
import type { Found } from '../resources/references.ts';
import { type Difference, differences } from './compare.ts';
import { isSamePermission, wordOf } from './identity.ts';
import { badDefinition } from './read.ts';
import { resolved } from './resolve.ts';

export interface Change {
  readonly action: 'create' | 'attach' | 'update' | 'start';
  /** `vms/web01`, or `vms/web01/nics/nic1`. */
  readonly label: string;
  readonly differences: readonly Difference[];
  readonly run: () => Promise<void>;
}

/** A difference that no change of the object takes away. */
export interface Fixed extends Difference {
  readonly label: string;
}

export interface Plan {
  readonly changes: readonly Change[];
  readonly fixed: readonly Fixed[];
}

/** Where an object is: the ids of those above it are known once these exist. */
interface Place {
  readonly service: string;
  readonly ids: Record<string, string>;
  readonly prefix: string;
  /** It is below something that is made first. */
  readonly isNew: boolean;
}

/** Reads what there is and compares. Throws where the definition contradicts itself or the API. */
export async function planOf(performer: Performer, definition: Definition): Promise<Plan> {
  return await new Planner(performer).plan(definition);
}

class Planner {
  readonly #performer: Performer;
  readonly #changes: Change[] = [];
  readonly #fixed: Fixed[] = [];
  readonly #postponed: (() => Promise<void>)[] = [];

  constructor(performer: Performer) {
    this.#performer = performer;
  }

  async plan(definition: Definition): Promise<Plan> {
    for (const names of phasesOf(definition)) {
      for (const name of names) {
        const place = { service: `/${name}`, ids: {}, prefix: '', isNew: false };
        for (const [index, item] of (definition[name] ?? []).entries()) {
          await this.#object(place, item, `${name}[${index}]`);
        }
      }
      await this.#catchUp();
    }
    return { changes: this.#changes, fixed: this.#fixed };
  }

  async #catchUp(): Promise<void> {
    // What was put off may put something off itself: the networks of an iSCSI bond.
    for (let one = this.#postponed.shift(); one; one = this.#postponed.shift()) await one();
  }

  async #object(place: Place, item: Item, where: string): Promise<void> {
    const { service } = place;
    const objectService = objectServiceOf(service);
    const type = services[service]?.type ?? '';
    const { own, below } = divided(objectService, item);
    // A state is reached, not set; the password of a user is no attribute.
    const { status, password, ...rest } = own;
    const isUser = type === 'user';
    const told = isUser ? userOf(rest) : password === undefined ? rest : { ...rest, password };
    const wanted = this.#settled(type, told, where);
    const found = place.isNew ? undefined : await this.#find(place, type, wanted, where);
    const word = wordOf(type, wanted) ?? String(where.match(/\d+/g)?.at(-1));
    const label = `${place.prefix}${nounOfCollection(service)}/${word}`;
    const ids = { ...place.ids };
    const placeholder = objectService?.slice(objectService.lastIndexOf('{') + 1, -1);
    if (found) {
      if (placeholder) ids[placeholder] = found.id;
      await this.#update(place, type, label, wanted, found, where);
    } else {
      await this.#create(place, type, label, wanted, where, (id) => {
        if (placeholder) ids[placeholder] = id;
      });
    }
    for (const [name, items] of below) {
      const child = {
        service: `${objectService}/${name}`,
        ids,
        prefix: `${label}/`,
        isNew: found === undefined,
      };
      const add = async () => {
        for (const [index, one] of items.entries()) {
          await this.#object(child, one, `${where}.${name}[${index}]`);
        }
      };
      if (laterChildren.has(name)) this.#postponed.push(add);
      else await add();
    }
    if (type === 'vm' && status === 'up' && found?.item?.['status'] !== 'up') {
      this.#postponed.push(async () => this.#start(label, ids));
    }
  }

  #settled(type: string, item: Item, where: string): Record<string, unknown> {
    try {
      return settled(type, item, where);
    } catch (error) {
      throw badDefinition((error as Error).message, error);
    }
  }

  async #find(
    { service, ids }: Place,
    type: string,
    wanted: Item,
    where: string,
  ): Promise<Found | undefined> {
    if (type === 'permission') {
      const own = await this.#resolved(type, wanted, where);
      const present = await this.#performer.list({ path: service, ids });
      const item = present.find((one) => isSamePermission(own, one));
      return item && { id: String(item['id']), label: '', item };
    }
    const word = wordOf(type, wanted);
    if (word === undefined) throw badDefinition(`${where}: it has no name`);
    return await this.#performer.finder.look(word, collectionAt(service), ids);
  }

  /** A name that nothing has may be that of something which is made before. */
  async #resolved(type: string, wanted: Item, where: string): Promise<Record<string, unknown>> {
    return await resolved(this.#performer.finder, type, wanted, (path, error) => {
      if (this.#changes.length > 0) return;
      throw new NotFoundError(`${where}.${path}: ${error.message}`, {
        ...(error.hint ? { hint: error.hint } : {}),
      });
    });
  }

  async #create(
    place: Place,
    type: string,
    label: string,
    wanted: Item,
    where: string,
    made: (id: string) => void,
  ): Promise<void> {
    if (!operationsOf(place.service).some(({ name }) => name === 'add')) {
      const noun = nounOfCollection(place.service);
      throw badDefinition(
        `${where}: ${label} is not there, and no request adds ${noun}; only vmctl serve --inventory does`,
      );
    }
    await this.#resolved(type, wanted, where);
    const usual = settled(type, itemDefaults[type] ?? {}, where);
    const home = homeOf(type);
    const isReference =
      home !== undefined && home.path !== place.service && Object.keys(wanted).join() === 'name';
    this.#changes.push({
      action: isReference ? 'attach' : 'create',
      label,
      differences: [],
      run: async () => {
        const { finder } = this.#performer;
        const body = isReference
          ? await finder.reference(String(wanted['name']), type)
          : await resolved(finder, type, { ...usual, ...wanted }, rethrow);
        const item = await this.#performer.add({
          path: place.service,
          name: 'add',
          ids: place.ids,
          body: { ...body },
          ...(isReference ? { verb: 'attach' } : {}),
        });
        if (item['id'] !== undefined) made(String(item['id']));
      },
    });
  }

  async #update(
    { service, ids }: Place,
    type: string,
    label: string,
    wanted: Item,
    found: Found,
    where: string,
  ): Promise<void> {
    const own = await this.#resolved(type, wanted, where);
    const objectService = objectServiceOf(service) ?? '';
    const canUpdate = operationsOf(objectService).some(({ name }) => name === 'update');
    const attributes = attributesOf(type);
    const names: string[] = [];
    const changed: Difference[] = [];
    for (const [name, list] of differences(type, own, found.item ?? {})) {
      if (canUpdate && attributes[name]?.mut.includes('U')) {
        names.push(name);
        changed.push(...list);
      } else {
        this.#fixed.push(...list.map((one) => ({ label, ...one })));
      }
    }
    if (names.length === 0) return;
    this.#changes.push({
      action: 'update',
      label,
      differences: changed,
      run: async () => {
        const parts = Object.fromEntries(names.map((name) => [name, wanted[name]]));
        const body = await resolved(this.#performer.finder, type, parts, rethrow);
        const step = { path: objectService, name: 'update', ids, body };
        await this.#performer.change(step, { ...found, label });
      },
    });
  }

  #start(label: string, ids: Record<string, string>): void {
    this.#changes.push({
      action: 'start',
      label,
      differences: [],
      run: async () => {
        const step = { path: '/vms/{vm}', name: 'start' };
        await this.#performer.change(step, { id: ids['vm'] ?? '', label });
      },
    });
  }
}

function rethrow(_path: string, error: NotFoundError): never {
  throw error;
}
