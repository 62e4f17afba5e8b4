/** Fault documents: reasons of failed requests (specification 7). */
import type { Dialect } from '../model/dialect.ts';
import { isRecord } from '../records.ts';
import { bodyText, type MediaType } from './body.ts';
import { encodeObject } from './encode.ts';
import { readJson } from './json-reader.ts';
import { actionShape, getShape, type Shape } from './shape.ts';
import { readRootName, readXml } from './xml-reader.ts';

export interface Fault {
  readonly reason?: string;
  readonly detail?: string;
}

/**
 * Encodes a fault. JSON contains the fault twice, bare and under `fault`, because clients exist for
 * either form.
 */
export function encodeFault(media: MediaType, fault: Fault, dialect: Dialect): string {
  const { reason, detail } = fault;
  if (media === 'application/xml') return encodeObject(media, { reason, detail }, 'fault', dialect);
  return JSON.stringify({ detail, reason, fault: { detail, reason } });
}

/** Fault in another object: a failed action, or a JSON fault in both forms. */
const wrapperShape: Shape = {
  display: 'Fault',
  members: actionShape([]).members.filter(({ name }) => name === 'fault'),
};

/**
 * Decodes the fault in a response body: a fault document or a failed action. `undefined` if the
 * body contains no fault, as an HTML page of a proxy does. The text determines the format; the
 * media type is used only if the text is ambiguous. Never throws.
 */
export function decodeFault(media: MediaType, body: string | Uint8Array): Fault | undefined {
  try {
    const text = bodyText(body);
    const start = text.trimStart().charAt(0);
    const json = start === '{' || (start !== '<' && media === 'application/json');
    return json ? jsonFault(text) : xmlFault(text);
  } catch {
    return undefined;
  }
}

function jsonFault(text: string): Fault | undefined {
  const nested = readJson(text, 'fault', wrapperShape, true)['fault'];
  const bare = readJson(text, 'fault', getShape('fault'), true);
  return readFault(nested) ?? readFault(bare) ?? (nested === undefined ? undefined : {});
}

function xmlFault(text: string): Fault | undefined {
  const root = readRootName(text);
  const shape = root === 'fault' ? getShape(root) : wrapperShape;
  if (root !== 'fault' && root !== 'action') return undefined;
  const fields = readXml(text, root, shape, 'skip');
  const fault = root === 'fault' ? fields : fields['fault'];
  return fault === undefined ? undefined : (readFault(fault) ?? {});
}

/** Fault in a decoded value. `undefined` if it has neither a reason nor details. */
export function readFault(value: unknown): Fault | undefined {
  if (!isRecord(value)) return undefined;
  const { reason, detail } = value;
  if (reason === undefined && detail === undefined) return undefined;
  return {
    ...(reason === undefined ? {} : { reason: String(reason) }),
    ...(detail === undefined ? {} : { detail: String(detail) }),
  };
}
