/** Bodies and queries made of `--field`, and lists read page by page, for `vmctl api`. */
import { UsageError } from '../../../client/errors.ts';
import type { HttpResponse } from '../../../client/http-message.ts';
import { errorFromResponse } from '../../../client/response-errors.ts';
import { parseJson } from '../../../wire/json-parser.ts';

export interface Fields {
  readonly field?: readonly string[];
  readonly rawField?: readonly string[];
}

/** The fields of a GET are its query. */
export function withFields(method: string, path: string, options: Fields): string {
  const fields = method === 'GET' ? fieldsOf(options) : undefined;
  if (!fields) return path;
  const pairs = Object.entries(fields).map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`,
  );
  return `${path}${path.includes('?') ? '&' : '?'}${pairs.join('&')}`;
}

/** The fields as an object; dots lead into objects within it. */
export function fieldsOf({
  field = [],
  rawField = [],
}: Fields): Record<string, unknown> | undefined {
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
      if (typeof next !== 'object' || next === null) {
        throw new UsageError(`${flag} ${text}: ${word} already has a value`);
      }
      inner[word] = next;
      inner = next as Record<string, unknown>;
    }
    inner[last] = read(text.slice(at + 1));
  };
  for (const text of field) put('--field', text, typed);
  for (const text of rawField) put('--raw-field', text, (value) => value);
  return body;
}

function typed(value: string): unknown {
  if (value === 'true' || value === 'false') return value === 'true';
  if (value === 'null') return null;
  return /^-?\d+(\.\d+)?$/.test(value) && Number.isSafeInteger(Math.trunc(Number(value)))
    ? Number(value)
    : value;
}

const usualPage = 100;

/** Reads a list page by page: `search=... page N` (specification 4.3), as one document. */
export async function readPages(
  path: string,
  get: (path: string) => Promise<HttpResponse>,
): Promise<Record<string, unknown[]>> {
  const [base = '', query = ''] = path.split('?');
  const parameters = new URLSearchParams(query);
  const search = parameters.get('search') ?? '';
  const size = Number(parameters.get('max') ?? usualPage);
  parameters.set('max', String(size));
  let merged: Record<string, unknown[]> | undefined;
  for (let page = 1; ; page += 1) {
    parameters.set('search', `${search} page ${page}`.trim());
    // A query part of a form has + for blanks, which is no blank elsewhere.
    const address = `${base}?${parameters.toString().replaceAll('+', '%20')}`;
    const answer = await get(address);
    if (answer.status !== 200) {
      throw errorFromResponse(answer, { request: { method: 'GET', origin: '', path: address } });
    }
    const [name, items] = listIn(answer, base);
    merged ??= { [name]: [] };
    const all = Object.values(merged)[0] ?? [];
    all.push(...items);
    if (items.length < size) return merged;
  }
}

function listIn({ body }: HttpResponse, path: string): [string, readonly unknown[]] {
  // Integers of 64 bits stay exact.
  const document = parseJson(Buffer.from(body).toString('utf8')) as Record<string, unknown>;
  const found = Object.entries(document).find(([, value]) => Array.isArray(value));
  if (found) return [found[0], found[1] as unknown[]];
  if (Object.keys(document).length === 0) return ['items', []];
  throw new UsageError(`${path} is not a list`, { hint: 'remove --paginate' });
}
