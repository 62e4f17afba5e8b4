/**
 * Objects of one of two isolated halves of a site, computed from the saved state by following
 * references; marks that identify them in responses, and paths that lead to them.
 */
import { services } from '../../../src/model/derive/services.ts';
import { derivedKinds } from '../../../src/model/notation/kinds.ts';

export interface Stored {
  readonly kind: string;
  readonly collection: string;
  readonly object: Readonly<Record<string, unknown>> & { readonly id: string };
}

/** Kinds outside of both halves: shared objects and their parts. */
const sharedKinds = new Set([
  ...['cluster_level', 'domain', 'icon', 'mac_pool', 'network_filter', 'operating_system_info'],
  ...['permit', 'role', 'tag', 'bookmark', 'user', 'group', 'directory_user', 'directory_group'],
  ...['scheduling_policy', 'scheduling_policy_unit', 'filter', 'weight', 'balance'],
  ...['instance_type', 'cluster_feature', 'event_subscription'],
]);

/** Ids of all objects of a data center, found by following references. */
export function findHalf(state: readonly Stored[], start: string): Set<string> {
  const world = new Set([start]);
  const others = new Set(
    state.filter(({ kind }) => sharedKinds.has(kind)).map(({ object }) => object.id),
  );
  for (let before = 0; before < world.size; ) {
    before = world.size;
    for (const { kind, collection, object } of state) {
      const { id } = object;
      if (sharedKinds.has(kind) || others.has(id) || !isUnique(id) || world.has(id)) continue;
      const named = idsIn([collection.split('/'), object]).some(
        (id) => world.has(id) && id !== object.id && !others.has(id),
      );
      if (named) world.add(object.id);
    }
  }
  return world;
}

/** Whether an id is unique: some are numbers, or constant for built-in objects. */
function isUnique(id: string): boolean {
  return /^[0-9a-f]{8}-/.test(id) && !id.startsWith('00000000');
}

/** All texts in a value that may be ids. */
function idsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(idsIn);
}

/** Marks of a half: ids and names that only its objects have. */
export class Marks {
  readonly #ids: ReadonlySet<string>;
  readonly #names: RegExp;

  constructor(state: readonly Stored[], world: ReadonlySet<string>) {
    const others = new Set<unknown>();
    const names = new Set<string>();
    for (const { object } of state) if (!world.has(object.id)) others.add(object['name']);
    for (const { kind, object } of state) {
      const { id, name } = object;
      // Plain words also occur in sentences.
      const plain = typeof name !== 'string' || /^[A-Za-z]{1,6}$/.test(name);
      if (world.has(id) && kind !== 'permission' && !plain && !others.has(name)) names.add(name);
    }
    this.#ids = world;
    const all = [...names].map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    this.#names = new RegExp(`(?<![\\w-])(?:${all.join('|')})(?![\\w-]|\\.\\w)`);
  }

  /** The first mark in a text. */
  in(text: string): string | undefined {
    for (const [id] of text.matchAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g)) {
      if (this.#ids.has(id)) return id;
    }
    return this.#names.exec(text)?.[0];
  }
}

const pairKinds: Readonly<Record<string, string>> = derivedKinds;

/** Fills path templates with ids of a half, segment by segment. */
export class PathFiller {
  readonly #state: readonly Stored[];
  readonly #world: ReadonlySet<string>;

  constructor(state: readonly Stored[], world: ReadonlySet<string>) {
    this.#state = state;
    this.#world = world;
  }

  /** Path for a template; undefined if the half has no object of that kind. */
  path(template: string): string | undefined {
    let path = '';
    let service = '';
    for (const word of template.split('/').slice(1)) {
      const id = word.startsWith('{') ? this.#idIn(service, path) : word;
      if (id === undefined) return undefined;
      service += `/${word}`;
      path += `/${id}`;
    }
    return path;
  }

  #idIn(service: string, path: string): string | undefined {
    const type = services[service]?.type;
    const ofType = this.#state.filter(({ kind }) => (pairKinds[kind] ?? kind) === type);
    const here = ofType.find(({ collection }) => collection === path);
    if (here) return this.#isOutside(here) ? this.#firstIn(ofType, path) : here.object.id;
    return this.#firstIn(ofType, undefined);
  }

  #firstIn(objects: readonly Stored[], path: string | undefined): string | undefined {
    const found = objects.find(
      ({ object, collection }) =>
        this.#world.has(object.id) && (path === undefined || collection === path),
    );
    return (found ?? objects.find(({ kind }) => sharedKinds.has(kind)))?.object.id;
  }

  #isOutside({ kind, object }: Stored): boolean {
    return !sharedKinds.has(kind) && isUnique(object.id) && !this.#world.has(object.id);
  }
}
