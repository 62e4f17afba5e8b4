/** Objects of a site that can be changed, and the requests that read them. */
import {
  addressesObject,
  listAllOperations,
  listAttributes,
  type Operation,
  parseKind,
} from '../../../src/model/index.ts';
import type { RawApi } from '../../support/raw.ts';

export type Thing = Record<string, unknown>;

export interface Changeable {
  readonly operation: Operation;
  readonly path: string;
}

/** Operations that change an object. */
export const updates: readonly Operation[] = listAllOperations().filter(
  ({ name, path }) => name === 'update' && addressesObject(path),
);

/** Finds the objects at the paths of the model by listing their collections. */
export class Objects {
  readonly #api: RawApi;
  readonly #lists = new Map<string, Promise<string[]>>();

  readonly #absent: boolean;

  /**
   * With `absent`, collections that an object lacks (404, 405) are empty. Otherwise they are
   * errors.
   */
  constructor(api: RawApi, { absent = false } = {}) {
    this.#api = api;
    this.#absent = absent;
  }

  /** Paths of the objects of a path template. */
  async of(template: string): Promise<string[]> {
    let paths = [''];
    for (const word of template.split('/').slice(1)) {
      if (!word.startsWith('{')) {
        paths = paths.map((path) => `${path}/${word}`);
        continue;
      }
      const found: string[] = [];
      for (const path of paths) found.push(...(await this.#listed(path)));
      paths = found;
    }
    return paths;
  }

  #listed(collection: string): Promise<string[]> {
    let list = this.#lists.get(collection);
    if (!list) {
      list = this.#read(collection);
      this.#lists.set(collection, list);
    }
    return list;
  }

  async #read(collection: string): Promise<string[]> {
    const answer = await this.#api.json('GET', collection);
    if (this.#absent && (answer.status === 404 || answer.status === 405)) return [];
    if (answer.status !== 200) throw new Error(`${collection}: ${answer.text}`);
    return listItems(answer.json()).map(({ id }) => `${collection}/${id}`);
  }
}

/** Objects in the response of a list. */
export function listItems(list: Thing): Thing[] {
  return (Object.values(list).find(Array.isArray) ?? []) as Thing[];
}

/** Values of `follow` for an object: its links, and its references to other objects. */
export function followable(type: string, object: Thing): string[] {
  const links = ((object['link'] ?? []) as { rel: string }[]).map(({ rel }) => rel);
  const references = Object.entries(listAttributes(type))
    .filter(([name, { kind }]) => parseKind(kind).form === 'ref' && hasHref(object[name]))
    .map(([name]) => name);
  return [...links, ...references];
}

function hasHref(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'href' in value;
}
