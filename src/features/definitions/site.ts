/** What a service has, read once: lists with all that is below their objects, for `export` and `apply`. */

import { homeOf } from '../../cli/verbs/collections.ts';
import type { OperationRunner } from '../../cli/verbs/operation-runner.ts';
import type { Ids } from '../../cli/verbs/references.ts';
import type { ApiObject } from '../../client/client.ts';
import { AmbiguousError, FaultError, ServerError } from '../../client/errors.ts';
import { isItem, objectServiceOf } from '../../definitions/document.ts';
import { AmbiguousReference, type Asking, type Question } from '../../definitions/references.ts';
import { writtenCollections } from '../../model/derive/definitions.ts';
import { services } from '../../model/derive/services.ts';
import { isType, listAttributes, listOperations, parseKind } from '../../model/index.ts';
import type { SourcePlace } from '../../source-place.ts';

type Objects = readonly ApiObject[];

export class Site {
  readonly #runner: OperationRunner;
  /** By the path with its ids. */
  readonly #lists = new Map<string, Promise<ApiObject[]>>();

  #attached: ReadonlySet<string> | undefined;

  constructor(runner: OperationRunner) {
    this.#runner = runner;
  }

  /** The objects of a collection, as they were when somebody first asked. */
  async list(service: string, ids: Ids = {}): Promise<Objects> {
    const key = filled(service, ids);
    let list = this.#lists.get(key);
    if (!list) {
      list = this.#read(service, ids);
      this.#lists.set(key, list);
    }
    return await list;
  }

  /** The same, asked anew. */
  async fresh(service: string, ids: Ids = {}): Promise<Objects> {
    this.#lists.delete(filled(service, ids));
    return await this.list(service, ids);
  }

  /** Ids of the disks that VMs and templates have. */
  async attachedDisks(): Promise<ReadonlySet<string>> {
    if (!this.#attached) {
      const found = new Set<string>();
      for (const [owners, path, name] of [
        ['/vms', '/vms/{vm}/diskattachments', 'vm'],
        ['/templates', '/templates/{template}/diskattachments', 'template'],
      ] as const) {
        for (const { id } of await this.list(owners)) {
          for (const one of await this.list(path, { [name]: String(id) })) {
            found.add(String((isItem(one['disk']) ? one['disk']['id'] : undefined) ?? one['id']));
          }
        }
      }
      this.#attached = found;
    }
    return this.#attached;
  }

  /** Notes an object that was made. */
  async note(service: string, ids: Ids, item: ApiObject): Promise<void> {
    const list = await this.#lists.get(filled(service, ids));
    const isListed = list?.some(({ id }) => id === item['id']);
    if (list && !isListed && item['id'] !== undefined) list.push(item);
  }

  /**
   * Follows references to their ends. `around` are the ids of what the references are in; `anew`
   * asks again for what is not found at first; `place` is where the definition has them.
   */
  async answered<T>(asking: Asking<T>, around: Ids, anew = false, place?: SourcePlace): Promise<T> {
    try {
      let step = asking.next();
      while (!step.done) step = asking.next(await this.#candidates(step.value, around, anew));
      return step.value;
    } catch (error) {
      if (!(error instanceof AmbiguousReference)) throw error;
      const { message } = error;
      throw new AmbiguousError(place ? `${place.at(...error.steps)}: ${error.problem}` : message, {
        hint: 'add the parent: { name: ..., data_center: ... }, or use { id: ... }',
      });
    }
  }

  async #candidates(
    { type, name }: Question,
    around: Ids,
    anew: boolean,
  ): Promise<Objects | undefined> {
    const places = await this.#placesOf(type, around);
    if (!places) return undefined;
    const found: ApiObject[] = [];
    for (const { service, ids, of } of places) {
      let list = await this.list(service, ids);
      const isThere = (one: ApiObject) => name === undefined || namesOf(one).includes(name);
      if (anew && !list.some(isThere)) list = await this.fresh(service, ids);
      found.push(...list.map((item) => ({ ...of, ...item })));
    }
    return found;
  }

  /** Where objects of a type are: in a collection of their own, or in those of each owner. */
  async #placesOf(type: string, around: Ids) {
    const home = homeOf(type);
    if (home) return [{ service: home.path, ids: {}, of: {} }];
    const path = pathsOf(type).find((one) => placeholders(one).every((name) => around[name]));
    if (path !== undefined) return [{ service: path, ids: around, of: {} }];
    const below = pathsOf(type).find((one) => one.startsWith('/datacenters/{datacenter}/'));
    if (below?.split('/').length !== 4) return undefined;
    return (await this.list('/datacenters')).map(({ id }) => ({
      service: below,
      ids: { datacenter: String(id) },
      of: { data_center: { id } },
    }));
  }

  async #read(service: string, ids: Ids): Promise<ApiObject[]> {
    const follow = followOf(service);
    const list = listOperations(service).find(({ name }) => name === 'list');
    if (!list) return [];
    const canFollow = follow.length > 0 && list.query.includes('follow');
    if (!canFollow) return [...(await this.#runner.list({ path: service, ids }))];
    let found: Objects;
    try {
      found = await this.#runner.list({ path: service, ids, follow: follow.join() });
    } catch (error) {
      // Too much for one answer, or more than this service can follow: engines answer that with 500.
      const isOfEngine = error instanceof ServerError && error.status === 500;
      if (!(error instanceof FaultError) && !isOfEngine) throw error;
      return [...(await this.#runner.list({ path: service, ids, follow: partsOf(service) }))];
    }
    for (const item of found) this.#spread(service, ids, item);
    return [...found];
  }

  /** Keeps what came along below an object as the lists that they are. */
  #spread(service: string, ids: Ids, item: ApiObject): void {
    const objectService = objectServiceOf(service);
    if (objectService === undefined || item['id'] === undefined) return;
    const own = { ...ids, [placeholders(objectService).at(-1) ?? '']: String(item['id']) };
    for (const { path, attribute } of childrenOf(service)) {
      const below = attribute === undefined ? undefined : item[attribute];
      if (!Array.isArray(below)) continue;
      const objects = below.filter(isItem).map((one) => ({ ...one }));
      this.#lists.set(filled(path, own), Promise.resolve(objects));
      for (const one of objects) this.#spread(path, own, one);
    }
  }
}

/** Collections below the objects of another that are written down. */
export function childrenOf(
  service: string,
): readonly { readonly path: string; readonly attribute: string | undefined }[] {
  const objectService = objectServiceOf(service);
  const type = services[service]?.type ?? '';
  if (objectService === undefined || !isType(type)) return [];
  const attributes = Object.entries(listAttributes(type)).filter(
    ([, { kind }]) => parseKind(kind).form === 'links',
  );
  return Object.keys(writtenCollections)
    .filter((path) => path.slice(0, path.lastIndexOf('/')) === objectService)
    .map((path) => {
      const word = path.slice(path.lastIndexOf('/') + 1);
      const found = attributes.find(([name]) => name.replaceAll('_', '') === word);
      return { path, attribute: found?.[0] };
    });
}

/** What belongs to the objects themselves, though it is found below them. */
const ownParts: Readonly<Record<string, string>> = {
  '/roles': 'permits',
  '/clusters/{cluster}/glustervolumes': 'bricks',
  '/vms/{vm}/diskattachments': 'disk',
  '/templates/{template}/diskattachments': 'disk',
};

function partsOf(service: string): string | undefined {
  return ownParts[service];
}

/** The links that bring along all that is below, one below the other. */
function followOf(service: string): readonly string[] {
  const parts = partsOf(service);
  const below = childrenOf(service).flatMap(({ path, attribute }) => {
    if (attribute === undefined) return [];
    return [attribute, ...followOf(path).map((one) => `${attribute}.${one}`)];
  });
  return parts === undefined ? below : [parts, ...below];
}

const pathsByType = new Map<string, readonly string[]>();

function pathsOf(type: string): readonly string[] {
  let paths = pathsByType.get(type);
  if (!paths) {
    paths = Object.keys(services).filter(
      (path) => services[path]?.type === type && services[path]?.operations['list'] !== undefined,
    );
    pathsByType.set(type, paths);
  }
  return paths;
}

function placeholders(path: string): readonly string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
}

function filled(service: string, ids: Ids): string {
  return service.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? '');
}

function namesOf(item: ApiObject): readonly unknown[] {
  return [
    item['name'],
    item['alias'],
    item['user_name'],
    String(item['user_name']).replace(/-authz$/, ''),
  ];
}
