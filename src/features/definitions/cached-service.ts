/** Cached view of a service for `export` and `apply`: lists with their subcollections. */

import { findRootCollection } from '../../cli/verbs/collections.ts';
import type { OperationRunner } from '../../cli/verbs/operation-runner.ts';
import type { Ids } from '../../cli/verbs/references.ts';
import type { ApiObject } from '../../client/client.ts';
import { AmbiguousError, FaultError, ServerError } from '../../client/errors.ts';
import { findObjectService } from '../../definitions/document.ts';
import {
  AmbiguousReference,
  type CandidateRequest,
  type Resolution,
} from '../../definitions/references.ts';
import { writtenCollections } from '../../model/derive/definitions.ts';
import { services } from '../../model/derive/services.ts';
import { isType, listAttributes, listOperations, parseKind } from '../../model/index.ts';
import type { ObjectAt } from '../../model/paths.ts';
import { isRecord } from '../../records.ts';
import type { SourcePlace } from '../../source-place.ts';

type Objects = readonly ApiObject[];

export class CachedService {
  readonly #runner: OperationRunner;
  /** Lists by path with ids. */
  readonly #lists = new Map<string, Promise<ApiObject[]>>();

  #attached: ReadonlySet<string> | undefined;

  constructor(runner: OperationRunner) {
    this.#runner = runner;
  }

  /** Objects of a collection, as of the first read. */
  async list<P extends string>(service: P, ids?: Ids): Promise<readonly ObjectAt<P>[]>;
  async list(service: string, ids: Ids = {}): Promise<Objects> {
    const key = fillPath(service, ids);
    let list = this.#lists.get(key);
    if (!list) {
      list = this.#read(service, ids);
      this.#lists.set(key, list);
    }
    return await list;
  }

  /** Reads a collection again. */
  async reload(service: string, ids: Ids = {}): Promise<Objects> {
    this.#lists.delete(fillPath(service, ids));
    return await this.list(service, ids);
  }

  /** Ids of the disks that are attached to VMs and templates. */
  async attachedDisks(): Promise<ReadonlySet<string>> {
    if (!this.#attached) {
      const found = new Set<string>();
      for (const [owners, path, name] of [
        ['/vms', '/vms/{vm}/diskattachments', 'vm'],
        ['/templates', '/templates/{template}/diskattachments', 'template'],
      ] as const) {
        for (const { id } of await this.list(owners)) {
          for (const one of await this.list(path, { [name]: String(id) })) {
            found.add(String((isRecord(one['disk']) ? one['disk']['id'] : undefined) ?? one['id']));
          }
        }
      }
      this.#attached = found;
    }
    return this.#attached;
  }

  /** Adds a created object to the cached list. */
  async add(service: string, ids: Ids, item: ApiObject): Promise<void> {
    const list = await this.#lists.get(fillPath(service, ids));
    const isListed = list?.some(({ id }) => id === item['id']);
    if (list && !isListed && item['id'] !== undefined) list.push(item);
  }

  /**
   * Resolves references. `around` are the ids of the parents; `anew` reads a list again if it lacks
   * a referenced name; `place` is the source position for errors.
   */
  async resolve<T>(
    asking: Resolution<T>,
    around: Ids,
    anew = false,
    place?: SourcePlace,
  ): Promise<T> {
    try {
      let step = asking.next();
      while (!step.done) step = asking.next(await this.#listCandidates(step.value, around, anew));
      return step.value;
    } catch (error) {
      if (!(error instanceof AmbiguousReference)) throw error;
      const { message } = error;
      throw new AmbiguousError(place ? `${place.at(...error.steps)}: ${error.problem}` : message, {
        hint: 'add the parent: { name: ..., data_center: ... }, or use { id: ... }',
      });
    }
  }

  async #listCandidates(
    { type, name }: CandidateRequest,
    around: Ids,
    anew: boolean,
  ): Promise<Objects | undefined> {
    const places = await this.#listCollections(type, around);
    if (!places) return undefined;
    const found: ApiObject[] = [];
    for (const { service, ids, of } of places) {
      let list = await this.list(service, ids);
      const isThere = (one: ApiObject) => name === undefined || listNames(one).includes(name);
      if (anew && !list.some(isThere)) list = await this.reload(service, ids);
      found.push(...list.map((item) => ({ ...of, ...item })));
    }
    return found;
  }

  /**
   * Collections with objects of a type: the top-level collection, or those of each parent.
   * Undefined if the type cannot be listed.
   */
  async #listCollections(type: string, around: Ids) {
    const home = findRootCollection(type);
    if (home) return [{ service: home.path, ids: {}, of: {} }];
    const path = listPaths(type).find((one) => listPlaceholders(one).every((name) => around[name]));
    if (path !== undefined) return [{ service: path, ids: around, of: {} }];
    const below = listPaths(type).find((one) => one.startsWith('/datacenters/{datacenter}/'));
    if (below?.split('/').length !== 4) return undefined;
    return (await this.list('/datacenters')).map(({ id }) => ({
      service: below,
      ids: { datacenter: String(id) },
      of: { data_center: { id } },
    }));
  }

  async #read(service: string, ids: Ids): Promise<ApiObject[]> {
    const follow = listFollowedLinks(service);
    const list = listOperations(service).find(({ name }) => name === 'list');
    if (!list) return [];
    const canFollow = follow.length > 0 && list.query.includes('follow');
    if (!canFollow) return [...(await this.#runner.list({ path: service, ids }))];
    let found: Objects;
    try {
      found = await this.#runner.list({ path: service, ids, follow: follow.join() });
    } catch (error) {
      // The response is too large, or the service cannot follow these links; engines return 500.
      const isOfEngine = error instanceof ServerError && error.status === 500;
      if (!(error instanceof FaultError) && !isOfEngine) throw error;
      return [...(await this.#runner.list({ path: service, ids, follow: getOwnLink(service) }))];
    }
    for (const item of found) this.#cacheSubcollections(service, ids, item);
    return [...found];
  }

  /** Caches the subcollections that an object contains. */
  #cacheSubcollections(service: string, ids: Ids, item: ApiObject): void {
    const objectService = findObjectService(service);
    if (objectService === undefined || item['id'] === undefined) return;
    const own = { ...ids, [listPlaceholders(objectService).at(-1) ?? '']: String(item['id']) };
    for (const { path, attribute } of listChildren(service)) {
      const below = attribute === undefined ? undefined : item[attribute];
      if (!Array.isArray(below)) continue;
      const objects = below.filter(isRecord).map((one) => ({ ...one }));
      this.#lists.set(fillPath(path, own), Promise.resolve(objects));
      for (const one of objects) this.#cacheSubcollections(path, own, one);
    }
  }
}

/** Exported subcollections of a collection. */
export function listChildren(
  service: string,
): readonly { readonly path: string; readonly attribute: string | undefined }[] {
  const objectService = findObjectService(service);
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

/** Links that belong to the object itself and must be followed. */
const ownParts: Readonly<Record<string, string>> = {
  '/roles': 'permits',
  '/clusters/{cluster}/glustervolumes': 'bricks',
  '/vms/{vm}/diskattachments': 'disk',
  '/templates/{template}/diskattachments': 'disk',
};

function getOwnLink(service: string): string | undefined {
  return ownParts[service];
}

/** Links for `follow` that include all exported subcollections, in dotted form. */
function listFollowedLinks(service: string): readonly string[] {
  const parts = getOwnLink(service);
  const below = listChildren(service).flatMap(({ path, attribute }) => {
    if (attribute === undefined) return [];
    return [attribute, ...listFollowedLinks(path).map((one) => `${attribute}.${one}`)];
  });
  return parts === undefined ? below : [parts, ...below];
}

const pathsByType = new Map<string, readonly string[]>();

function listPaths(type: string): readonly string[] {
  let paths = pathsByType.get(type);
  if (!paths) {
    paths = Object.keys(services).filter(
      (path) => services[path]?.type === type && services[path]?.operations['list'] !== undefined,
    );
    pathsByType.set(type, paths);
  }
  return paths;
}

function listPlaceholders(path: string): readonly string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
}

function fillPath(service: string, ids: Ids): string {
  return service.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? '');
}

function listNames(item: ApiObject): readonly unknown[] {
  return [
    item['name'],
    item['alias'],
    item['user_name'],
    String(item['user_name']).replace(/-authz$/, ''),
  ];
}
