/**
 * Plan of the changes that make a service as a definition says: computed by reading only, run later.
 */
import { NotFoundError } from '../../../client/errors.ts';
import {
  type Definition,
  divided,
  type Item,
  itemDefaults,
  laterChildren,
  objectServiceOf,
  phasesOf,
} from '../../../definitions/document.ts';
import { settled, userOf } from '../../../definitions/values.ts';
import { services } from '../../../model/derive/services.ts';
import { attributesOf, operationsOf } from '../../../model/index.ts';
import { scopeOf } from '../../../model/naming.ts';
import { collectionAt, homeOf, nounOfCollection } from '../../verbs/collections.ts';
import type { OperationRunner } from '../../verbs/operation-runner.ts';
import type { Found } from '../../verbs/references.ts';
import { type Difference, differences, isNameless, isSame, wordOf } from './compare.ts';
import { badDefinition } from './read.ts';
import { insist, referenceWithin, resolved, scopeIn } from './resolve.ts';

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
  /** What the definition says of the object above. */
  readonly above?: Item;
}

/** An object as the definition has it, in its place. */
interface Wish {
  readonly place: Place;
  readonly type: string;
  readonly label: string;
  /** Its attributes, the references as they are written. */
  readonly wanted: Item;
  /** Where it stands in the definition: `vms[0].nics[1]`. */
  readonly where: string;
}

/** Reads what there is and compares. Throws where the definition contradicts itself or the API. */
export async function planOf(runner: OperationRunner, definition: Definition): Promise<Plan> {
  return await new Planner(runner).plan(definition);
}

class Planner {
  readonly #performer: OperationRunner;
  readonly #changes: Change[] = [];
  readonly #fixed: Fixed[] = [];
  readonly #postponed: (() => Promise<void>)[] = [];

  constructor(runner: OperationRunner) {
    this.#performer = runner;
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
    const { own: written, below } = divided(objectService, item);
    // A state is reached, not set; the password of a user is no attribute.
    const { status, password, ...rest } = written;
    const isUser = type === 'user';
    const attributes = isUser
      ? userOf(rest)
      : password === undefined
        ? rest
        : { ...rest, password };
    const wanted = this.#settled(type, attributes, where);
    const own = await this.#resolved(type, wanted, where);
    const word = wordOf(type, wanted) ?? String(where.match(/\d+/g)?.at(-1));
    const label = `${place.prefix}${nounOfCollection(service)}/${word}`;
    const wish: Wish = { place, type, label, wanted, where };
    const found = place.isNew ? undefined : await this.#find(wish, own);
    const ids = { ...place.ids };
    const placeholder = objectService?.slice(objectService.lastIndexOf('{') + 1, -1);
    const made = (id: string) => {
      if (placeholder) ids[placeholder] = id;
    };
    if (found) {
      made(found.id);
      this.#update(wish, own, found);
    } else {
      this.#create(wish, own, made);
    }
    for (const [name, items] of below) {
      const child = {
        service: `${objectService}/${name}`,
        ids,
        prefix: `${label}/`,
        isNew: found === undefined,
        above: { ...found?.item, ...wanted },
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

  /** What is there of an object; `own` are its attributes with their references looked up. */
  async #find({ place, type, wanted, where }: Wish, own: Item): Promise<Found | undefined> {
    const { service, ids } = place;
    if (isNameless(type)) {
      const present = await this.#performer.list({ path: service, ids });
      const item = present.find((one) => isSame(type, own, one));
      return item && { id: String(item['id']), label: '', item };
    }
    const word = wordOf(type, wanted);
    if (word === undefined) throw badDefinition(`${where}: it has no name`);
    const scope = scopeIn(type, own);
    if (isNewScope(type, own)) return undefined;
    return await this.#performer.finder.look(word, collectionAt(service), ids, scope);
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

  #create(wish: Wish, own: Item, made: (id: string) => void): void {
    const { place, type, label, wanted, where } = wish;
    if (!operationsOf(place.service).some(({ name }) => name === 'add')) {
      const noun = nounOfCollection(place.service);
      throw badDefinition(
        `${where}: ${label} is not there, and no request adds ${noun}; only vmctl serve --inventory does`,
      );
    }
    const defaults = settled(type, itemDefaults[type] ?? {}, where);
    const home = homeOf(type);
    const isReference =
      home !== undefined && home.path !== place.service && Object.keys(wanted).join() === 'name';
    const isKnown = isNameless(type) || wordOf(type, wanted) !== undefined;
    // Some things come with what they are in: the management network of a data center.
    const mayCome = place.isNew ? isKnown : isNewScope(type, own);
    const { finder } = this.#performer;
    this.#changes.push({
      action: isReference ? 'attach' : 'create',
      label,
      differences: [],
      run: async () => {
        const now = await resolved(finder, type, wanted, insist);
        const present = mayCome ? await this.#find(wish, now) : undefined;
        if (present) {
          made(present.id);
          await this.#correct(wish, differencesOf(wish, now, present).changed, present);
          return;
        }
        const body = isReference
          ? await referenceWithin(finder, type, wanted, place.above)
          : { ...(await resolved(finder, type, defaults, insist)), ...now };
        const item = await this.#performer.add({
          path: place.service,
          name: 'add',
          ids: place.ids,
          body,
          ...(isReference ? { verb: 'attach' } : {}),
        });
        if (item['id'] !== undefined) made(String(item['id']));
      },
    });
  }

  #update(wish: Wish, own: Item, found: Found): void {
    const { label } = wish;
    const { changed, fixed } = differencesOf(wish, own, found);
    this.#fixed.push(...fixed.map((one) => ({ label, ...one })));
    if (changed.size === 0) return;
    this.#changes.push({
      action: 'update',
      label,
      differences: [...changed.values()].flat(),
      run: async () => await this.#correct(wish, changed, found),
    });
  }

  /** Sends the attributes that differ. */
  async #correct(
    { place, type, label, wanted }: Wish,
    changed: ReadonlyMap<string, unknown>,
    found: Found,
  ): Promise<void> {
    if (changed.size === 0) return;
    const parts = Object.fromEntries([...changed.keys()].map((name) => [name, wanted[name]]));
    const body = await resolved(this.#performer.finder, type, parts, insist);
    const path = objectServiceOf(place.service) ?? '';
    const step = { path, name: 'update', ids: place.ids, body };
    await this.#performer.change(step, { ...found, label });
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

/** What differs, by attribute: what an update can change, and what it cannot. */
function differencesOf({ place, type }: Wish, own: Item, found: Found) {
  const objectService = objectServiceOf(place.service) ?? '';
  const canUpdate = operationsOf(objectService).some(({ name }) => name === 'update');
  const attributes = attributesOf(type);
  const changed = new Map<string, readonly Difference[]>();
  const fixed: Difference[] = [];
  for (const [name, list] of differences(type, own, found.item ?? {})) {
    if (canUpdate && attributes[name]?.mut.includes('U')) changed.set(name, list);
    else fixed.push(...list);
  }
  return { changed, fixed };
}

/** What is in a new object: the network of a data center that is made first. */
function isNewScope(type: string, own: Item): boolean {
  return own[scopeOf(type) ?? ''] !== undefined && scopeIn(type, own) === undefined;
}
