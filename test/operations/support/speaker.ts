/**
 * Client of the service in XML or JSON, written from the specification.
 * Documents look the same in both: a body is `{ vm: { name: 'a', cluster: { id } } }`, a response
 * has the members of its document as texts. Each test therefore covers both formats.
 */
import { XMLParser } from 'fast-xml-parser';
import { expect } from 'vitest';
import type { RawAnswer, RawApi } from '../../support/raw.ts';
import type { Traces } from './traces.ts';

export type Format = 'XML' | 'JSON';

export interface Thing {
  readonly [name: string]: unknown;
}

export interface Answer {
  readonly status: number;
  readonly headers: RawAnswer['headers'];
  readonly text: string;
  /** The document, numbers and booleans as texts. */
  readonly object: Thing;
  /** The objects of a collection. */
  readonly list: readonly Thing[];
  /** The fault, also that of an action. */
  readonly fault: { readonly reason: string; readonly detail: string } | undefined;
}

/** Members that XML has as attributes. */
const attributes = new Set(['id', 'href', 'rel']);

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '',
  parseTagValue: false,
  parseAttributeValue: false,
});

export class Speaker {
  readonly #api: RawApi;
  readonly #traces: Traces | undefined;
  readonly format: Format;

  constructor(api: RawApi, format: Format, traces?: Traces) {
    this.#api = api;
    this.#traces = traces;
    this.format = format;
  }

  get(path: string): Promise<Answer> {
    return this.send('GET', path);
  }

  post(path: string, body: Thing = { action: {} }): Promise<Answer> {
    return this.send('POST', path, body);
  }

  put(path: string, body: Thing): Promise<Answer> {
    return this.send('PUT', path, body);
  }

  delete(path: string, body?: Thing): Promise<Answer> {
    return this.send('DELETE', path, body);
  }

  async send(
    method: string,
    path: string,
    body?: Thing,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    const type = this.format === 'XML' ? 'application/xml' : 'application/json';
    const answer = await this.#api.call(method, path, {
      headers: { Accept: type, 'Content-Type': type, ...headers },
      ...(body === undefined ? {} : { body: this.#write(body) }),
    });
    this.#traces?.note(method, path, answer);
    return this.#read(answer);
  }

  /** Adds an object and returns it; fails the test unless it is created. */
  async add(path: string, body: Thing): Promise<Thing & { readonly id: string }> {
    const { status, object, text } = await this.post(path, body);
    expect([200, 201, 202], text).toContain(status);
    return { ...object, id: String(object['id']) };
  }

  /** Runs an action; fails the test unless it is accepted. */
  async must(path: string, action: Thing = {}): Promise<Answer> {
    const answer = await this.post(path, { action });
    expect([200, 202], answer.text).toContain(answer.status);
    return answer;
  }

  /** An object of a collection, by name. */
  async find(path: string, name: string): Promise<Thing & { readonly id: string }> {
    const { list } = await this.get(path);
    const found = list.find((one) => one['name'] === name);
    if (!found) throw new Error(`${path} has no ${name}`);
    return { ...found, id: String(found['id']) };
  }

  #write(body: Thing): string {
    const [entry] = Object.entries(body);
    if (!entry) throw new Error('A body has one member: its document.');
    if (this.format === 'XML') return writeElement(...entry);
    return JSON.stringify(entry[1], (_, value: unknown) =>
      typeof value === 'bigint' ? value.toString() : value,
    );
  }

  #read({ status, headers, text }: RawAnswer): Answer {
    const type = this.format === 'XML' ? 'application/xml' : 'application/json';
    if (text !== '') expect(headers['content-type'], text).toContain(type);
    const object = text === '' ? {} : this.format === 'XML' ? readXml(text) : readJson(text);
    const inner = object['fault'] as Thing | undefined;
    const fault = (inner ?? (status >= 400 ? object : undefined)) as Answer['fault'];
    return { status, headers, text, object, list: firstList(object), fault };
  }
}

/** Elements of a list inside a document: `itemsOf(vm, 'nics', 'nic')`. */
export function listItems(object: Thing, list: string, item: string): readonly Thing[] {
  const found = (object[list] as Thing | undefined)?.[item];
  if (found === undefined || found === '') return [];
  return Array.isArray(found) ? found : [found as Thing];
}

/** Text at the end of a way: `at(vm, 'cpu.topology.cores')`. */
export function at(object: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((found, name) => (found as Thing | undefined)?.[name], object);
}

function writeElement(name: string, value: unknown): string {
  if (Array.isArray(value)) return value.map((one) => writeElement(name, one)).join('');
  if (typeof value !== 'object' || value === null) {
    return `<${name}>${escaped(String(value))}</${name}>`;
  }
  let start = name;
  let inside = '';
  for (const [member, content] of Object.entries(value)) {
    if (attributes.has(member)) start += ` ${member}="${escaped(String(content))}"`;
    else inside += writeElement(member, content);
  }
  return `<${start}>${inside}</${name}>`;
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

function readXml(text: string): Thing {
  const document = parser.parse(text) as Thing;
  const [root] = Object.entries(document).filter(([name]) => name !== '?xml');
  const object = root?.[1];
  return typeof object === 'object' && object !== null ? (object as Thing) : {};
}

function readJson(text: string): Thing {
  return asTexts(JSON.parse(text)) as Thing;
}

function asTexts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asTexts);
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, asTexts(one)]));
}

/** A collection has one member that counts: its objects, under the name of their type. */
function firstList(object: Thing): readonly Thing[] {
  const values = Object.entries(object).filter(([name]) => name !== 'link' && name !== 'actions');
  const [found] = values.map(([, value]) => value).filter((value) => typeof value === 'object');
  if (found === undefined || found === null) return [];
  return Array.isArray(found) ? found : [found as Thing];
}
