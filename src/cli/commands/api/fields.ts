/** `--field` and `--raw-field` of `vmctl api`: a body or a query without a file. */
import { UsageError } from '../../../client/errors.ts';

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
    if (at < 1) throw new UsageError(`${flag} ${text}: no value`, { hint: 'write name=value' });
    const words = text.slice(0, at).split('.');
    const last = words.pop() ?? '';
    let inner = body;
    for (const word of words) {
      const next = inner[word] ?? {};
      if (typeof next !== 'object' || next === null) {
        throw new UsageError(`${flag} ${text}: ${word} is a value already`);
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
