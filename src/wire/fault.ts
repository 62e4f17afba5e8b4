/** Fault documents: why a service did not do what it was asked (specification 7). */
import type { Dialect } from '../model/dialect.ts';
import { bodyText, type MediaType } from './body.ts';
import { encodeObject } from './encode.ts';
import { readJson } from './json-reader.ts';
import { actionShape, type Shape, shapeOf } from './shape.ts';
import { readXml, rootOf } from './xml-reader.ts';

export interface Fault {
  readonly reason?: string;
  readonly detail?: string;
}

/**
 * The body of a fault. In JSON it is written twice, bare and under `fault`, because readers exist
 * for either form.
 */
export function encodeFault(media: MediaType, fault: Fault, dialect: Dialect): string {
  const { reason, detail } = fault;
  if (media === 'application/xml') return encodeObject(media, { reason, detail }, 'fault', dialect);
  return JSON.stringify({ detail, reason, fault: { detail, reason } });
}

/** A fault inside another object: a failed action, or a JSON fault written twice. */
const wrapperShape: Shape = {
  display: 'Fault',
  members: actionShape([]).members.filter(({ name }) => name === 'fault'),
};

/**
 * The fault in the body of an answer: a fault document, or an action that failed. `undefined` when
 * the body holds none, such as an HTML page of a proxy. The text decides what it is; the media
 * type is only asked when the text does not tell. Never throws.
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
  const bare = readJson(text, 'fault', shapeOf('fault'), true);
  return faultOf(nested) ?? faultOf(bare) ?? (nested === undefined ? undefined : {});
}

function xmlFault(text: string): Fault | undefined {
  const root = rootOf(text);
  const shape = root === 'fault' ? shapeOf(root) : wrapperShape;
  if (root !== 'fault' && root !== 'action') return undefined;
  const fields = readXml(text, root, shape, 'skip');
  const fault = root === 'fault' ? fields : fields['fault'];
  return fault === undefined ? undefined : (faultOf(fault) ?? {});
}

function faultOf(value: unknown): Fault | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { reason, detail } = value as { reason?: unknown; detail?: unknown };
  if (reason === undefined && detail === undefined) return undefined;
  return {
    ...(reason === undefined ? {} : { reason: String(reason) }),
    ...(detail === undefined ? {} : { detail: String(detail) }),
  };
}
