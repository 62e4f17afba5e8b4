/** Decoding of bodies into objects in memory. */
import { pluralOf, tagOf } from '../model/index.ts';
import { bodyText, type DecodeOptions, type MediaType } from './body.ts';
import { readJson, readJsonList } from './json-reader.ts';
import { actionShape, shapeOf } from './shape.ts';
import { readXml, readXmlList } from './xml-reader.ts';

/**
 * Reads one object of a type of the model. Throws a `WireError` for a body that is malformed, has
 * members the type does not have, or values that their kinds do not allow.
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
    ? readJson(text, tagOf(type), shapeOf(type), tolerant, options.bareLists)
    : readXml(text, tagOf(type), shapeOf(type), options.unknown);
}

/** Reads a collection of objects of a type of the model. Throws as `decodeObject` does. */
export function decodeList(
  media: MediaType,
  body: string | Uint8Array,
  type: string,
  options: DecodeOptions = {},
): Record<string, unknown>[] {
  const text = bodyText(body);
  const tolerant = options.unknown === 'skip';
  return media === 'application/json'
    ? readJsonList(text, tagOf(type), shapeOf(type), tolerant)
    : readXmlList(text, pluralOf(type), tagOf(type), shapeOf(type), options.unknown);
}

/**
 * Reads the body or the answer of an action: its named parameters, or without names all that there
 * are, and what every action has (`async`, `status`, `fault`, `job`, ...). No body at all means no
 * parameters. Throws as `decodeObject` does.
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
