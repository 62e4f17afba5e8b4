/**
 * Names with any permitted character: found by commands, by searches, and in each part of a URL.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { namePatterns } from '../../src/model/notation/naming.ts';
import { type Home, makeHome } from '../support/command.ts';
import { RawApi } from '../support/raw.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let home: Home;
let api: RawApi;

beforeAll(async () => {
  server = await startTestServer(['--speed', '0', '--inventory', 'small']);
  home = makeHome(server);
  api = await RawApi.signIn(server);
});

afterAll(async () => {
  home.remove();
  await server.stop();
});

/** All characters of the first Unicode blocks, and some of other scripts, planes and directions. */
const characters = [
  ...Array.from({ length: 0x180 }, (_, code) => String.fromCodePoint(code)),
  ...'ΩßİıжאمΞ日の한٣𝔘𠮷😀％\u2028\u3000',
];
const permitted = (pattern: keyof typeof namePatterns) =>
  characters.filter((character) => namePatterns[pattern].test.test(character));

/** Names that start or end with a character other than a letter or digit. */
const atEnds = characters
  .filter((character) => /^[\x20-\x7e\xa0\u3000]$/.test(character) && !/\w/.test(character))
  .flatMap((character) => [`${character}z`, `z${character}`]);

/** Words of the search language, and values that it parses differently without quotes. */
const keywords = [
  'and',
  'or',
  'page',
  'sortby',
  'asc',
  'desc',
  'null',
  'true',
  '1',
  '*',
  '<',
  '!=x',
];

interface Kind {
  readonly noun: string;
  readonly path: string;
  readonly field: 'name' | 'alias';
  readonly pattern: keyof typeof namePatterns;
  readonly body: (name: string) => object;
}

const kinds: readonly Kind[] = [
  {
    ...{ noun: 'vms', path: '/vms', field: 'name', pattern: 'letters' },
    body: (name) => ({ name, cluster: { name: 'Default' }, template: { name: 'Blank' } }),
  },
  {
    ...{ noun: 'disks', path: '/disks', field: 'alias', pattern: 'any' },
    body: (alias) => ({
      ...{ alias, format: 'cow', provisioned_size: 4096 },
      storage_domains: { storage_domain: [{ name: 'data1' }] },
    }),
  },
  {
    ...{ noun: 'networks', path: '/networks', field: 'name', pattern: 'any' },
    body: (name) => ({ name, data_center: { name: 'Default' } }),
  },
];

describe.each(kinds)('names of $noun', ({ noun, path, field, pattern, body }) => {
  const ids = new Map<string, string>();

  beforeAll(async () => {
    const { test } = namePatterns[pattern];
    const names = [...permitted(pattern).map((one) => `x${one}y`), ...atEnds, ...keywords];
    for (const name of new Set(names.filter((one) => test.test(one)))) {
      const answer = await api.json('POST', path, body(name));
      expect([name, answer.status, answer.text]).toEqual([name, 201, expect.anything()]);
      ids.set(name, answer.json<{ id: string }>().id);
    }
  });

  it('are found by searches in the query and in matrix parameters', async () => {
    const wrong: unknown[] = [];
    for (const [name, id] of ids) {
      // The search language cannot express these.
      if (/["*';]/.test(name) || name.endsWith('\\')) continue;
      const search = encodeURIComponent(`${field}="${name}"`);
      for (const target of [
        `${path}?search=${search}&case_sensitive=true`,
        `${path}?case_sensitive=true&search=${search.replaceAll('%20', '+')}`,
        `${path};case_sensitive=true;search=${search.replaceAll('%2B', '+')}`,
      ]) {
        const answer = await api.json('GET', target);
        const found = Object.values(answer.json<Record<string, { id: string }[]>>()).flat();
        if (answer.status !== 200 || found.map((one) => one.id).join() !== id) {
          wrong.push([name, target, answer.status, answer.text.slice(0, 200)]);
        }
      }
    }
    expect(wrong).toEqual([]);
  });

  it('are found by commands', async () => {
    const wrong: unknown[] = [];
    for (const [name, id] of ids) {
      // Letters and digits behave equally: two of them, and one of each other script, suffice.
      if (/^x[\w\u0080-\u017f]y$/u.test(name) && !/^x[a0ä]y$/u.test(name)) continue;
      const { code, stdout, stderr } = await home.runHere([noun, 'get', '-o', 'json', '--', name]);
      if (code !== 0 || (JSON.parse(stdout) as { id: string }).id !== id) {
        wrong.push([name, code, stderr]);
      }
    }
    expect(wrong).toEqual([]);
  });
});
