/** Two isolated halves of a site, with their users and requests. */
import { expect } from 'vitest';
import { services } from '../../../src/model/derive/services.ts';
import {
  listAttributes,
  listSubCollections,
  type Operation,
  parseKind,
} from '../../../src/model/index.ts';
import type { RawApi } from '../../support/raw.ts';
import { findHalf, Marks, PathFiller, type Stored } from './atlas.ts';
import { isFullRun } from './catalogue.ts';
import { createHalves, type SiteHalves } from './worlds.ts';

export interface Side {
  readonly who: string;
  readonly api: RawApi;
  readonly own: PathFiller;
  readonly other: PathFiller;
  readonly othersIds: ReadonlySet<string>;
  /** Marks of the other half. */
  readonly marks: Marks;
}

export interface Halves {
  readonly worlds: SiteHalves;
  readonly state: Stored[];
  readonly sides: readonly [jane: Side, olaf: Side];
  /** Error log of the server. */
  readonly log: readonly string[];
}

/** Starts a server with two halves, and computes their objects. */
export async function makeHalves(): Promise<Halves> {
  const log: string[] = [];
  const worlds = await createHalves((line) => log.push(line));
  const state = await worlds.state();
  const west = findHalf(state, worlds.west);
  const east = findHalf(state, worlds.east);
  expect([...west].filter((id) => east.has(id))).toEqual([]);
  const side = (who: string, api: RawApi, own: Set<string>, other: Set<string>): Side => ({
    ...{ who, api, othersIds: other, marks: new Marks(state, other) },
    own: new PathFiller(state, own),
    other: new PathFiller(state, other),
  });
  const sides = [
    side('Jane', worlds.jane, west, east),
    side('Olaf', worlds.olaf, east, west),
  ] as const;
  return { worlds, state, sides, log };
}

/** The complete list in the full catalogue; otherwise every n-th item, and one of each kind. */
export function sampled<T>(list: readonly T[], each: number, getKind: (one: T) => string): T[] {
  if (isFullRun) return [...list];
  const kinds = new Set<string>();
  return list.filter((one, index) => {
    const kind = getKind(one);
    if (index % each !== 0 && kinds.has(kind)) return false;
    kinds.add(kind);
    return true;
  });
}

/** Links of a type for `follow`. */
export function listLinks(service: string): string[] {
  const { type } = services[service] ?? { type: '' };
  const references = Object.entries(listAttributes(type)).flatMap(([name, { kind }]) =>
    /^(?:ref|links)$/.test(parseKind(kind).form) ? [name.replaceAll('_', '')] : [],
  );
  const item = Object.keys(services).find(
    (path) =>
      path.startsWith(`${service}/{`) && path.split('/').length === service.split('/').length + 1,
  );
  return [...new Set([...references, ...listSubCollections(item ?? service)])];
}

/** Response to a request, with the sent ids and names replaced by a placeholder. */
export async function requestMasked(
  { log }: Pick<Halves, 'log'>,
  api: RawApi,
  { http, path: template }: Pick<Operation, 'http' | 'path'>,
  path: string,
  sent: readonly string[],
  body: unknown = http === 'POST' || http === 'PUT' ? {} : undefined,
): Promise<string> {
  const { status, text } = await api.json(http, path, body);
  expect(
    status,
    `${http} ${template} ${JSON.stringify(body)}: ${text} ${log.join('\n')}`,
  ).toBeLessThan(500);
  // Replaces whole words only: a name may be part of another.
  const same = sent.reduce((all, one) => all.replace(wordPattern(one), '{sent}'), text);
  return `${status} ${same.replace(/"correlation_id":"[^"]*"/g, '')}`;
}

function wordPattern(text: string): RegExp {
  return new RegExp(`(?<![\\w-])${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\w-])`, 'g');
}
