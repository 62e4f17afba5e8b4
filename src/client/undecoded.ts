/** JSON responses with the members as the server sends them, without decoding. */
import { isRecord, toRecord } from '../records.ts';
import { parseJson } from '../wire/index.ts';
import type { ApiObject } from './call.ts';

/** Decodes a body as UTF-8. */
export function decodeText(body: Uint8Array): string {
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
}

/** Parses a JSON object. Throws `WireError`. */
export function parseUndecoded(body: Uint8Array): ApiObject {
  const text = decodeText(body);
  try {
    return toRecord(JSON.parse(text));
  } catch {
    // The strict parser reports the position.
    return toRecord(parseJson(text));
  }
}

/** Objects of the list in a JSON document, under any key. Throws `WireError`. */
export function listItems(body: Uint8Array): readonly ApiObject[] {
  return (Object.values(parseUndecoded(body)).find(Array.isArray) ?? []).filter(isRecord);
}
