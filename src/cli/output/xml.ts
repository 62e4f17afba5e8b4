/**
 * XML of objects in memory: as the API writes them, or by their names where it has no type for them.
 */

import { escapeControlChars } from '../../escape-control-chars.ts';
import { dialects } from '../../model/dialect.ts';
import { isType } from '../../model/index.ts';
import { encodeListChunks, encodeObject } from '../../wire/index.ts';
import type { Batches, Frame, Item } from './view.ts';

/** One document for all objects. */
export async function* xmlText(frame: Frame, batches: Batches): AsyncGenerator<string> {
  const items: Item[] = [];
  for await (const batch of batches) for (const item of batch) items.push(item);
  const { type, single } = frame;
  if (type === undefined || !isType(type)) {
    yield escapeControlChars.xml(await plainXml(frame, items));
    return;
  }
  // The dialects differ in JSON, not in XML.
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

/** What is not of the API has elements named like its members. */
async function plainXml({ noun, single }: Frame, items: readonly Item[]): Promise<string> {
  const { XMLBuilder } = await import('fast-xml-parser');
  const builder = new XMLBuilder({ format: true });
  const tag = noun.replace(/s$/, '');
  const root = single ? { [tag]: items[0] ?? {} } : { [noun]: { [tag]: items } };
  return `<?xml version="1.0" encoding="UTF-8"?>\n${builder.build(root)}`;
}
