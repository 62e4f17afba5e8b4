/** The two halves of a site as the one and the other sees them, and requests about them. */
import { expect } from 'vitest';
import { services } from '../../../src/model/derive/services.ts';
import {
  listAttributes,
  listSubCollections,
  type Operation,
  parseKind,
} from '../../../src/model/index.ts';
import type { RawApi } from '../../support/raw.ts';
import { Atlas, Marks, type Stored, worldOf } from './atlas.ts';
import { whole } from './catalogue.ts';
import { makeWorlds, type Worlds } from './worlds.ts';

export interface Side {
  readonly who: string;
  readonly api: RawApi;
  readonly own: Atlas;
  readonly other: Atlas;
  readonly othersIds: ReadonlySet<string>;
  /** What is of the other half. */
  readonly marks: Marks;
}

export interface Halves {
  readonly worlds: Worlds;
  readonly state: Stored[];
  readonly sides: readonly [jane: Side, olaf: Side];
  /** What went wrong in the server. */
  readonly log: readonly string[];
}

/** Starts a server with two worlds, and tells what is whose. */
export async function makeHalves(): Promise<Halves> {
  const log: string[] = [];
  const worlds = await makeWorlds((line) => log.push(line));
  const state = await worlds.state();
  const west = worldOf(state, worlds.west);
  const east = worldOf(state, worlds.east);
  expect([...west].filter((id) => east.has(id))).toEqual([]);
  const side = (who: string, api: RawApi, own: Set<string>, other: Set<string>): Side => ({
    ...{ who, api, othersIds: other, marks: new Marks(state, other) },
    own: new Atlas(state, own),
    other: new Atlas(state, other),
  });
  const sides = [
    side('Jane', worlds.jane, west, east),
    side('Olaf', worlds.olaf, east, west),
  ] as const;
  return { worlds, state, sides, log };
}

/** All of a list where the whole catalogue runs; otherwise every n-th, and one of each kind. */
export function sampled<T>(list: readonly T[], each: number, kindOf: (one: T) => string): T[] {
  if (whole) return [...list];
  const kinds = new Set<string>();
  return list.filter((one, index) => {
    const kind = kindOf(one);
    if (index % each !== 0 && kinds.has(kind)) return false;
    kinds.add(kind);
    return true;
  });
}

/** Words that can be followed from objects of a type. */
export function linksOf(service: string): string[] {
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

/** The answer to a request, with the ids and names that were sent made the same. */
export async function answerTo(
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
  // Only whole words: a name may be a part of others.
  const same = sent.reduce((all, one) => all.replace(wordOf(one), '{sent}'), text);
  return `${status} ${same.replace(/"correlation_id":"[^"]*"/g, '')}`;
}

function wordOf(text: string): RegExp {
  return new RegExp(`(?<![\\w-])${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\w-])`, 'g');
}
