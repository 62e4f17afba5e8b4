/**
 * Read-only conformance checks: decode collections and objects in XML and JSON against the types of
 * the model. An operation without an existing object is not tried.
 */

import { isIdentified, listOperations, type Operation } from '../../../model/index.ts';
import { listLimit } from '../../../model/list-limits.ts';
import type { SpecifiedOperation } from '../../../specification/operations.ts';
import { decodeList, decodeObject, WireError } from '../../../wire/index.ts';
import { Difference, type Finding, NotTried, runCheck } from './finding.ts';
import type { Answer, Media, Service } from './service.ts';

type Item = Readonly<Record<string, unknown>>;

/** Maximum number of objects of a collection that a search for a suitable parent tries. */
const maxTried = 3;

const mediaTypes: readonly Media[] = ['application/json', 'application/xml'];

/** Ids that no object has: a UUID, and a number for types with numeric ids. */
const unknownId = '00000000-0000-0000-0000-00000000dead';
const unknownNumber = String(2n ** 62n);

/** Collections that only parents of a certain type have. */
const owners: Readonly<Record<string, (owner: Item) => boolean>> = {
  '/storagedomains/{storagedomain}/files': ({ type }) => type === 'iso',
  '/storagedomains/{storagedomain}/images': ({ type }) => type === 'image',
};

export class ReadChecks {
  readonly #service: Service;
  readonly #lists = new Map<string, Promise<readonly Item[]>>();

  constructor(service: Service) {
    this.#service = service;
  }

  /** Checks an operation with method GET or HEAD. */
  async check(specified: SpecifiedOperation): Promise<Finding> {
    return await runCheck(specified, async () => {
      if (specified.http === 'HEAD') return await this.#head(specified);
      const operation = listOperations(specified.path).find(({ http }) => http === 'GET');
      if (!operation) throw new NotTried('not an operation of the API');
      if (operation.name === 'list') return await this.#list(specified, operation);
      return await this.#get(specified, operation);
    });
  }

  async #head({ path, success }: SpecifiedOperation): Promise<string> {
    const { status, text } = await this.#service.expect(success, 'HEAD', path, 'application/json');
    if (text !== '') throw new Difference('HEAD has a body');
    return `${status}, no body`;
  }

  async #list({ path, success }: SpecifiedOperation, operation: Operation): Promise<string> {
    const place = await this.#findFilledCollection(path);
    const [json = [], xml = []] = await Promise.all(
      mediaTypes.map(async (media) => {
        const answer = await this.#service.expect(success, 'GET', place, media);
        return decodeAnswer(answer, media, () =>
          decodeList(media, answer.text, operation.type, skip),
        );
      }),
    );
    requireSameIds(json, xml);
    for (const item of json) requireIdentity(item, operation.type);
    if (operation.query.includes('max') && json.length > 1) {
      const answer = await this.#service.expect(
        success,
        'GET',
        `${place}?max=1`,
        mediaTypes[0] ?? 'application/json',
      );
      const few = decodeAnswer(answer, 'application/json', () =>
        decodeList('application/json', answer.text, operation.type, skip),
      );
      const { engineAnswers } = await this.#service.dialect();
      const limit = engineAnswers ? listLimit(path, 1) : 1;
      if (few.length > limit) throw new Difference(`?max=1 returns ${few.length} objects`);
    }
    return `200, ${json.length} ${operation.type}${describeMissingHref(json, operation.type)}`;
  }

  async #get({ path, success }: SpecifiedOperation, operation: Operation): Promise<string> {
    const [place] = await this.#objectPaths(path);
    if (place === undefined) throw new NotTried('the service has no such object');
    const [json, xml] = await Promise.all(
      mediaTypes.map(async (media) => {
        const answer = await this.#service.expect(success, 'GET', place, media);
        return decodeAnswer(answer, media, () => [
          decodeObject(media, answer.text, operation.type, skip),
        ]);
      }),
    );
    requireSameIds(json ?? [], xml ?? []);
    for (const item of json ?? []) requireIdentity(item, operation.type);
    if (path.endsWith('}') && isIdentified(operation.type)) {
      const none = place.replace(/[^/]+$/, (id) => (/^\d+$/.test(id) ? unknownNumber : unknownId));
      const { status } = await this.#service.send('GET', none, 'application/json');
      const expected = await this.#service.unknownIdStatus(operation);
      if (status !== expected) {
        throw new Difference(`an unknown id returns ${status}, not ${expected}`);
      }
    }
    return `200, ${operation.type}${describeMissingHref(json ?? [], operation.type)}`;
  }

  /** Path of a collection with objects, otherwise of an empty one. */
  async #findFilledCollection(template: string): Promise<string> {
    const places = await this.#collectionPaths(template);
    for (const place of places)
      if ((await this.#listItems(template, place)).length > 0) return place;
    const [first] = places;
    if (first === undefined) throw new NotTried('the service has no suitable object');
    return first;
  }

  /** Paths of a collection template, one for each of a few suitable parents. */
  async #collectionPaths(template: string): Promise<readonly string[]> {
    const at = template.lastIndexOf('}');
    if (at < 0) return [template];
    const fits = owners[template];
    const places = await this.#objectPaths(template.slice(0, at + 1), fits);
    return places.map((owner) => owner + template.slice(at + 1));
  }

  /** Paths of a few existing objects that match a template and `fits`. */
  async #objectPaths(
    template: string,
    fits: (item: Item) => boolean = () => true,
  ): Promise<readonly string[]> {
    if (!template.endsWith('}')) return template === '/' ? ['/'] : this.#collectionPaths(template);
    const collection = template.slice(0, template.lastIndexOf('/'));
    const found: string[] = [];
    for (const place of await this.#collectionPaths(collection)) {
      const items = await this.#listItems(collection, place);
      found.push(
        ...items.filter(fits).map(({ id }) => `${place}/${encodeURIComponent(String(id))}`),
      );
      if (found.length >= maxTried) break;
    }
    return found.slice(0, maxTried);
  }

  /** Objects with an id in a collection; an empty list if the collection cannot be listed. */
  async #listItems(template: string, place: string): Promise<readonly Item[]> {
    const known = this.#lists.get(place);
    if (known) return await known;
    const operation = listOperations(template).find(({ name }) => name === 'list');
    const items = operation ? this.#readItems(place, operation.type) : Promise.resolve([]);
    this.#lists.set(place, items);
    return await items;
  }

  async #readItems(place: string, type: string): Promise<readonly Item[]> {
    const answer = await this.#service.send('GET', place, 'application/json');
    if (answer.status !== 200) return [];
    try {
      const items = decodeList('application/json', answer.text, type, skip);
      return items.filter(({ id }) => id !== undefined);
    } catch (error) {
      if (error instanceof WireError) return [];
      throw error;
    }
  }
}

const skip = { unknown: 'skip' } as const;

/** Decodes a response. Throws `Difference` if the content type or the content is wrong. */
function decodeAnswer(
  answer: Answer,
  media: Media,
  decode: () => readonly Item[],
): readonly Item[] {
  if (answer.type !== media) {
    throw new Difference(`requested ${media}, received ${answer.type || 'no content type'}`);
  }
  try {
    return decode();
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    throw new Difference(`in ${media}: ${error.message}`);
  }
}

function requireSameIds(json: readonly Item[], xml: readonly Item[]): void {
  const ids = (items: readonly Item[]) =>
    items
      .map(({ id }) => String(id))
      .toSorted()
      .join(' ');
  if (ids(json) !== ids(xml)) throw new Difference('JSON and XML have different objects');
}

/** Requires an id, and an href that ends with the id, for types with an identity. */
function requireIdentity(item: Item, type: string): void {
  if (!isIdentified(type)) return;
  const { id, href } = item;
  if (id === undefined) throw new Difference(`a ${type} without id`);
  if (href !== undefined && !String(href).endsWith(`/${String(id)}`)) {
    throw new Difference(
      `the href ${String(href)} of a ${type} does not end with its id ${String(id)}`,
    );
  }
}

function describeMissingHref(items: readonly Item[], type: string): string {
  const bare =
    isIdentified(type) && items.length > 0 && items.every(({ href }) => href === undefined);
  return bare ? ', without href' : '';
}
