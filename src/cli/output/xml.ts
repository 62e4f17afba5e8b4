/**
 * XML output: the representation of the API, or elements by member names for objects without a
 * type.
 */

import { escapeControlChars } from '../../escape-control-chars.ts';
import { dialects } from '../../model/dialect.ts';
import { isType } from '../../model/index.ts';
import { encodeListChunks, encodeObject } from '../../wire/index.ts';
import type { Batches, Item, ViewMetadata } from './view.ts';

/** Renders one document for all objects. */
export async function* renderXml(frame: ViewMetadata, batches: Batches): AsyncGenerator<string> {
  const items: Item[] = [];
  for await (const batch of batches) for (const item of batch) items.push(item);
  const { type, single } = frame;
  if (type === undefined || !isType(type)) {
    yield escapeControlChars.xml(await renderPlainXml(frame, items));
    return;
  }
  // The dialects differ only in JSON.
  const dialect = dialects.standard;
  const [only] = items;
  if (single && only) {
    yield escapeControlChars.xml(encodeObject('application/xml', only, type, dialect));
    return;
  }
  for (const piece of encodeListChunks('application/xml', items, type, dialect)) {
    yield escapeControlChars.xml(piece);
  }
}

/** Renders objects outside the API with elements named like their members. */
async function renderPlainXml(
  { noun, single }: ViewMetadata,
  items: readonly Item[],
): Promise<string> {
  const { XMLBuilder } = await import('fast-xml-parser');
  const builder = new XMLBuilder({ format: true });
  const tag = noun.replace(/s$/, '');
  const root = single ? { [tag]: items[0] ?? {} } : { [noun]: { [tag]: items } };
  return `<?xml version="1.0" encoding="UTF-8"?>\n${builder.build(root)}`;
}
