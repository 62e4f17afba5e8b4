/** Times of `--utc`: UTC in full length, whatever offset the service uses. */

import { isType, listAttributes, parseKind } from '../../model/index.ts';
import { isRecord } from '../../records.ts';
import type { Item } from './view.ts';

/** Converts the times of an object to UTC. The type determines the time attributes. */
export function convertToUtc(item: Item, type: string): Item {
  if (!isType(type)) return item;
  const attributes = listAttributes(type);
  return Object.fromEntries(
    Object.entries(item).map(([name, value]) => {
      const kind = attributes[name]?.kind;
      return [name, kind === undefined ? value : convertValue(value, kind)];
    }),
  );
}

function convertValue(value: unknown, kind: Parameters<typeof parseKind>[0]): unknown {
  const { form, of } = parseKind(kind);
  if (Array.isArray(value)) return value.map((one: unknown) => convertSingle(one, form, of));
  return convertSingle(value, form, of);
}

function convertSingle(value: unknown, form: string, of: string): unknown {
  if (typeof value === 'string')
    return form === 'scalar' && of === 'date' ? formatUtc(value) : value;
  return isRecord(value) ? convertToUtc(value, of) : value;
}

/** Converts a time to UTC and keeps its fraction. Text that is no time is unchanged. */
export function formatUtc(text: string): string {
  const time = Date.parse(text);
  if (Number.isNaN(time)) return text;
  const iso = new Date(time).toISOString();
  return /\.\d/.test(text) ? iso : iso.replace(/\.\d+Z$/, 'Z');
}
