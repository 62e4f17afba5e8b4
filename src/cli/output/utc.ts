/** `--utc`: every time in UTC and in full, whatever offset the service writes. */
import { isType, listAttributes, parseKind } from '../../model/index.ts';
import type { Item } from './view.ts';

/** The object with its times in UTC; the type says which of its members are times. */
export function inUtc(item: Item, type: string): Item {
  if (!isType(type)) return item;
  const attributes = listAttributes(type);
  return Object.fromEntries(
    Object.entries(item).map(([name, value]) => {
      const kind = attributes[name]?.kind;
      return [name, kind === undefined ? value : converted(value, kind)];
    }),
  );
}

function converted(value: unknown, kind: Parameters<typeof parseKind>[0]): unknown {
  const { form, of } = parseKind(kind);
  if (Array.isArray(value)) return value.map((one: unknown) => single(one, form, of));
  return single(value, form, of);
}

function single(value: unknown, form: string, of: string): unknown {
  if (typeof value === 'string') return form === 'scalar' && of === 'date' ? utc(value) : value;
  return typeof value === 'object' && value !== null ? inUtc(value as Item, of) : value;
}

/** A time in UTC with the fraction that it had; what is no time stays as it is. */
function utc(text: string): string {
  const time = Date.parse(text);
  if (Number.isNaN(time)) return text;
  const iso = new Date(time).toISOString();
  return /\.\d/.test(text) ? iso : iso.replace(/\.\d+Z$/, 'Z');
}
