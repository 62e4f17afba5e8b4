/** Decoder of bodies to objects in memory. */
import { getPluralTag, getTag } from '../model/index.ts';
import { bodyText, type DecodeOptions, type MediaType } from './body.ts';
import { readJson, readJsonList } from './json-reader.ts';
import { actionShape, getShape } from './shape.ts';
import { readXml, readXmlList } from './xml-reader.ts';

/**
 * Decodes one object of a type of the model. Throws a `WireError` for a malformed body, unknown
 * members and invalid values.
 */
export function decodeObject(
  media: MediaType,
  body: string | Uint8Array,
  type: string,
  options: DecodeOptions = {},
): Record<string, unknown> {
  const text = bodyText(body);
  const tolerant = options.unknown === 'skip';
  return media === 'application/json'
    ? readJson(text, getTag(type), getShape(type), tolerant, options.bareLists)
    : readXml(text, getTag(type), getShape(type), options.unknown);
}

/** Decodes a collection of objects of a type of the model. Throws like `decodeObject`. */
export function decodeList(
  media: MediaType,
  body: string | Uint8Array,
  type: string,
  options: DecodeOptions = {},
): Record<string, unknown>[] {
  const text = bodyText(body);
  const tolerant = options.unknown === 'skip';
  return media === 'application/json'
    ? readJsonList(text, getTag(type), getShape(type), tolerant)
    : readXmlList(text, getPluralTag(type), getTag(type), getShape(type), options.unknown);
}

/**
 * Decodes the request or response body of an action: the parameters in `names`, by default all, and
 * the common members (`async`, `status`, `fault`, `job`, ...). An empty body has no parameters.
 * Throws like `decodeObject`.
 */
export function decodeAction(
  media: MediaType,
  body: string | Uint8Array,
  names?: readonly string[],
  options: DecodeOptions = {},
): Record<string, unknown> {
  const text = bodyText(body);
  if (text.trim() === '') return {};
  const shape = actionShape(names);
  const tolerant = options.unknown === 'skip';
  return media === 'application/json'
    ? readJson(text, 'action', shape, tolerant, options.bareLists)
    : readXml(text, 'action', shape, options.unknown);
}
