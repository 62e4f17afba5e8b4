/** Integers of 64 bits: responses have all digits of the request, and a number that is too large gets 400. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  getTag,
  isType,
  listAllOperations,
  listAttributes,
  parseKind,
} from '../../src/model/index.ts';
import type { Kind } from '../../src/model/notation/attributes.ts';
import { actionParameters } from '../../src/model/notation/parameters.ts';
import { RawApi } from '../support/raw.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { selectSlowCases } from '../support/slow-tests.ts';
import { Objects, updates } from './support/objects.ts';
import { enrich } from './support/rich-site.ts';

const thisFile = 'test/write-back/integers.test.ts';

/** Values next to the limits of a JavaScript number, an int and a long. */
const values = [
  ...[2n ** 31n - 1n, 2n ** 31n, 2n ** 51n + 1n, 2n ** 53n + 1n],
  ...[2n ** 63n - 1n, 2n ** 63n, 2n ** 64n, -(2n ** 53n) - 1n, -(2n ** 63n) - 1n],
];

/** Paths of the integers of a type and of its structures: `cpu.topology.cores`. */
function listIntegers(type: string, above: readonly string[] = []): string[][] {
  if (above.length > 4) return [];
  return Object.entries(listAttributes(type)).flatMap(([name, { kind }]) => {
    const { form, of, list } = parseKind(kind);
    const path = [...above, name];
    if (form === 'struct' && !list) return listIntegers(of, path);
    return !list && form === 'scalar' && (of === 'int' || of === 'long') ? [path] : [];
  });
}

type Format = 'xml' | 'json';

/** A document of a type with one member; numbers keep every digit. */
function createDocument(
  format: Format,
  type: string,
  path: readonly string[],
  value: bigint,
): string {
  if (format === 'json')
    return path.reduceRight((inner, name) => `{"${name}":${inner}}`, `${value}`);
  const inner = path.reduceRight((text, name) => `<${name}>${text}</${name}>`, `${value}`);
  return `<${getTag(type)}>${inner}</${getTag(type)}>`;
}

/** The digits of a member in a response; undefined without the member. */
function digitsIn(format: Format, text: string, path: readonly string[]): string | undefined {
  if (format === 'xml') return digitsInXml(text, path);
  const marked = JSON.parse(
    text.replace(/([:[,]\s*)(-?\d{10,})(?=\s*[,}\]])/g, '$1"$2"'),
  ) as unknown;
  const found = path.reduce<unknown>((at, name) => Object(at)[name], marked);
  return found === undefined ? undefined : String(found);
}

function digitsInXml(text: string, path: readonly string[]): string | undefined {
  let rest = text;
  for (const name of path) {
    const found = new RegExp(`<${name}(?: [^>]*)?>([\\s\\S]*?)</${name}>`).exec(rest);
    if (!found) return undefined;
    rest = found[1] ?? '';
  }
  return rest;
}

/** The values that a response can have: memory is stored in whole MiB. */
function kept(value: bigint): ReadonlySet<string | undefined> {
  return new Set([String(value), String(value - (value % 2n ** 20n))]);
}

let server: TestServer;
let api: RawApi;
let objects: Objects;

beforeAll(async () => {
  server = await startTestServer(['--speed', '0', '--inventory', 'small']);
  api = await RawApi.signIn(server);
  await enrich(api, 'JSON');
  objects = new Objects(api);
});
afterAll(() => server.stop());

async function put(format: Format, path: string, body: string) {
  const media = `application/${format}`;
  return api.call('PUT', path, { headers: { Accept: media, 'Content-Type': media }, body });
}

const changeable = updates.filter(({ type }) => listIntegers(type ?? '').length > 0);

describe('an update', () => {
  it.each(
    selectSlowCases(
      changeable.map(({ path }) => path),
      thisFile,
    ),
  )('%s', async (template) => {
    const type = changeable.find(({ path }) => path === template)?.type ?? '';
    const [path] = await objects.of(template);
    if (path === undefined) throw new Error(`There is nothing at ${template}.`);
    const problems: string[] = [];
    for (const format of ['json', 'xml'] as const) {
      for (const member of listIntegers(type)) {
        const before = digitsIn(format, (await api[format]('GET', path)).text, member);
        for (const value of values) {
          const sent = `${format} ${path} ${member.join('.')}=${value}`;
          const answer = await put(format, path, createDocument(format, type, member, value));
          if (answer.status >= 500) problems.push(`${sent}: ${answer.status} ${answer.text}`);
          if (answer.status >= 300) continue;
          const after = digitsIn(format, (await api[format]('GET', path)).text, member);
          // The server ignores read-only members.
          if (!kept(value).has(after) && after !== before) problems.push(`${sent}: ${after}`);
          if (after !== before && before !== undefined) {
            await put(format, path, createDocument(format, type, member, BigInt(before)));
          }
        }
      }
    }
    expect(problems).toEqual([]);
  });
});

const additions = listAllOperations().filter(
  ({ name, type }) => name === 'add' && listIntegers(type ?? '').length > 0,
);

describe('a new object', () => {
  it.each(
    selectSlowCases(
      additions.map(({ path }) => path),
      thisFile,
    ),
  )('%s', async (template) => {
    const type = additions.find(({ path }) => path === template)?.type ?? '';
    const problems: string[] = [];
    for (const collection of (await objects.of(template)).slice(0, 1)) {
      const list = (await api.json('GET', collection)).json();
      const [found] = (Object.values(list).find(Array.isArray) ?? []) as Record<string, unknown>[];
      const { id: _id, href: _href, link: _link, actions: _actions, ...like } = found ?? {};
      for (const member of listIntegers(type)) {
        for (const value of values) {
          const name = `n${Math.random().toString(36).slice(2, 12)}`;
          const body = { ...like, name, ...nested(member, '@@') };
          const text = JSON.stringify(body).replace('"@@"', String(value));
          const answer = await api.call('POST', collection, {
            headers: { Accept: 'application/json', 'Content-Type': 'application/json' },
            body: text,
          });
          const sent = `${collection} ${member.join('.')}=${value}`;
          if (answer.status >= 500) problems.push(`${sent}: ${answer.status} ${answer.text}`);
          if (answer.status >= 300) continue;
          const after = digitsIn('json', answer.text, member);
          // The server may choose another value, but not a rounded one.
          if (!kept(value).has(after) && after === String(Number(value)))
            problems.push(`${sent}: ${after}`);
          await api.call('DELETE', `${collection}/${String(answer.json()['id'])}`);
        }
      }
    }
    expect(problems).toEqual([]);
  });
});

/** Collections that not every owner has: a list is refused for the others. */
const partial = '/storagedomains/{storagedomain}/images';

const actions = listAllOperations().flatMap((operation) => {
  if (!operation.isAction || operation.path.startsWith(partial)) return [];
  const members = operation.body.flatMap((name) => {
    const parameter: { readonly kind: Kind } | undefined =
      actionParameters[name as keyof typeof actionParameters];
    if (!parameter) return [];
    const { form, of, list } = parseKind(parameter.kind);
    if (!list && form === 'scalar' && (of === 'int' || of === 'long')) return [[name]];
    return !list && (form === 'struct' || form === 'ref') && isType(of)
      ? listIntegers(of, [name])
      : [];
  });
  return members.length > 0 ? [{ operation, members }] : [];
});

describe('an action', () => {
  it.each(
    selectSlowCases(
      actions.map(({ operation }) => operation.path),
      thisFile,
    ),
  )('%s', async (template) => {
    const { operation, members = [] } =
      actions.find((one) => one.operation.path === template) ?? {};
    const [object] = await objects.of(operation?.service ?? '');
    const problems: string[] = [];
    for (const member of object === undefined ? [] : members) {
      for (const value of values) {
        const path = `${object}/${template.split('/').at(-1)}`;
        const body = JSON.stringify(nested(member, '@@')).replace('"@@"', String(value));
        const answer = await api.call('POST', path, {
          headers: { Accept: 'application/json', 'Content-Type': 'application/json' },
          body,
        });
        if (answer.status >= 500) problems.push(`${path} ${body}: ${answer.status} ${answer.text}`);
      }
    }
    expect(problems).toEqual([]);
  });
});

function nested(path: readonly string[], value: unknown): Record<string, unknown> {
  const [name = '', ...rest] = path;
  return { [name]: rest.length === 0 ? value : nested(rest, value) };
}
