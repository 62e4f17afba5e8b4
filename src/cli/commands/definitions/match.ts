/** Which object of a service an entry of a definition means, and what differs between the two. */
import { AmbiguousError } from '../../../client/errors.ts';
import { type Item, isItem, objectServiceOf } from '../../../definitions/document.ts';
import { type Entry, placeOfMember } from '../../../definitions/entries.ts';
import { isNameless, isSame, wordOf } from '../../../definitions/identity.ts';
import {
  type Asking,
  covers,
  isBase,
  isNamed,
  type OnMissing,
  reference,
} from '../../../definitions/references.ts';
import { attributesOf, operationsOf } from '../../../model/index.ts';
import { scopeOf } from '../../../model/naming.ts';
import { type Difference, differences } from '../../verbs/differences.ts';
import type { Found, Ids } from '../../verbs/references.ts';
import { badDefinition } from './read.ts';

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
  if (isNameless(type)) return yield* reference(type, wanted, onMissing, 'name');
  const { name, ...more } = wanted;
  const named = { name, ...placeOfMember(entry) };
  return { ...(yield* reference(type, named, onMissing, 'name')), ...more };
}

/** Which of the objects of a collection an entry means. Throws where several are called so. */
export function foundIn(entry: Entry, own: Item, list: readonly Item[]): Found | undefined {
  const { type, wanted, isMember, where } = entry;
  const found = (item: Item | undefined) => item && { id: String(item['id']), label: '', item };
  if (isMember) return found(list.find(({ id }) => id !== undefined && id === own['id']));
  if (isNameless(type)) return found(list.find((one) => isSame(type, own, one)));
  const word = wordOf(type, wanted);
  if (word === undefined) throw badDefinition(`${where}: it has no name`);
  const scope = own[scopeOf(type) ?? ''];
  const matches = list.filter(
    (one) =>
      isNamed(type, one, word) &&
      (!isItem(scope) || covers(scope, one[scopeOf(type) ?? ''])) &&
      (type !== 'template' || isSameVersion(own, one)),
  );
  if (matches.length > 1) {
    throw new AmbiguousError(`${where}: ${matches.length} objects are called ${word}`, {
      hint: 'a definition tells objects apart by their names; give all but one another',
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
  const canUpdate = operationsOf(objectService).some(({ name }) => name === 'update');
  const attributes = attributesOf(type);
  const changed = new Map<string, readonly Difference[]>();
  const fixed: Difference[] = [];
  if (isMember && isNameless(type)) return { changed, fixed };
  const { id: _id, ...said } = own;
  for (const [name, list] of differences(type, isMember ? without(said, wanted) : own, present)) {
    if (canUpdate && attributes[name]?.mut.includes('U')) changed.set(name, list);
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
  const scope = own[scopeOf(type) ?? ''];
  return scope !== undefined && (!isItem(scope) || scope['id'] === undefined);
}
