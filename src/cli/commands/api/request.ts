/** Bodies and queries from `--field`, and paged lists, for `vmctl api`. */

import { UsageError } from '../../../client/errors.ts';
import type { HttpResponse } from '../../../client/http-message.ts';
import { errorFromResponse } from '../../../client/response-errors.ts';
import { isRecord } from '../../../records.ts';
import { parseJson } from '../../../wire/json-parser.ts';

export interface FieldFlags {
  readonly field?: readonly string[];
  readonly rawField?: readonly string[];
}

/** Adds the fields to the query of a GET. */
export function addQueryFields(method: string, path: string, options: FieldFlags): string {
  const fields = method === 'GET' ? parseFields(options) : undefined;
  if (!fields) return path;
  const pairs = Object.entries(fields).map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`,
  );
  return `${path}${path.includes('?') ? '&' : '?'}${pairs.join('&')}`;
}

/** Converts the fields to an object; dots separate nested members. */
export function parseFields({
  field = [],
  rawField = [],
}: FieldFlags): Record<string, unknown> | undefined {
  if (field.length + rawField.length === 0) return undefined;
  const body: Record<string, unknown> = {};
  const put = (flag: string, text: string, read: (value: string) => unknown) => {
    const at = text.indexOf('=');
    if (at < 1) throw new UsageError(`${flag} ${text}: value missing`, { hint: 'use name=value' });
    const words = text.slice(0, at).split('.');
    if (words.includes('__proto__')) {
      throw new UsageError(`${flag} ${text}: __proto__ is not allowed as a name`);
    }
    const last = words.pop() ?? '';
    let inner = body;
    for (const word of words) {
      const next = (Object.hasOwn(inner, word) ? inner[word] : undefined) ?? {};
      if (!isRecord(next)) {
        throw new UsageError(`${flag} ${text}: ${word} already has a value`);
      }
      inner[word] = next;
      inner = next;
    }
    inner[last] = read(text.slice(at + 1));
  };
  for (const text of field) put('--field', text, parseTyped);
  for (const text of rawField) put('--raw-field', text, (value) => value);
  return body;
}

function parseTyped(value: string): unknown {
  if (value === 'true' || value === 'false') return value === 'true';
  if (value === 'null') return null;
  return /^-?\d+(\.\d+)?$/.test(value) && Number.isSafeInteger(Math.trunc(Number(value)))
    ? Number(value)
    : value;
}

const defaultPageSize = 100;

/**
 * Reads a list in pages (`search=... page N`, specification 4.3) and merges them into one document.
 */
export async function readPages(
  path: string,
  get: (path: string) => Promise<HttpResponse>,
): Promise<Record<string, unknown[]>> {
  const [base = '', query = ''] = path.split('?');
  const parameters = new URLSearchParams(query);
  const search = parameters.get('search') ?? '';
  const size = Number(parameters.get('max') ?? defaultPageSize);
  parameters.set('max', String(size));
  let merged: Record<string, unknown[]> | undefined;
  for (let page = 1; ; page += 1) {
    parameters.set('search', `${search} page ${page}`.trim());
    // Forms encode spaces as +, which other parsers do not decode.
    const address = `${base}?${parameters.toString().replaceAll('+', '%20')}`;
    const answer = await get(address);
    if (answer.status !== 200) {
      throw errorFromResponse(answer, { request: { method: 'GET', origin: '', path: address } });
    }
    const [name, items] = findList(answer, base);
    merged ??= { [name]: [] };
    const all = Object.values(merged)[0] ?? [];
    all.push(...items);
    if (items.length < size) return merged;
  }
}

function findList({ body }: HttpResponse, path: string): [string, readonly unknown[]] {
  // This parser keeps 64-bit integers exact.
  const document = parseJson(Buffer.from(body).toString('utf8'));
  const members = isRecord(document) ? Object.entries(document) : [];
  for (const [name, value] of members) if (Array.isArray(value)) return [name, value];
  if (isRecord(document) && members.length === 0) return ['items', []];
  throw new UsageError(`${path} is not a list`, { hint: 'remove --paginate' });
}
