/** Step 3 of a request: from its body to an object. */
import type { Operation } from '../../model/index.ts';
import { decodeAction, decodeList, decodeObject, type MediaType } from '../../wire/index.ts';
import { type ApiRequest, contentMedia } from '../api/request.ts';
import { Refusal } from '../core/fault.ts';
import type { StoredObject } from '../store/document.ts';

const mebibyte = 2 ** 20;
/** Most documents are a few KiB. */
const usualLimit = mebibyte;
/** Scripts, icons and OVF configurations are within these, and within the bodies of actions. */
const largeLimit = 4 * mebibyte;
const large: ReadonlySet<string> = new Set([
  'vm',
  'template',
  'instance_type',
  'vm_pool',
  'snapshot',
  'icon',
]);

/** Bytes that the body of an operation may have. */
export function largestBody({ isAction, type }: Operation): number {
  return isAction || large.has(type) ? largeLimit : usualLimit;
}

/** Whether an operation has a use for a body. */
export function takesBody({ http, body }: Operation): boolean {
  return http === 'POST' || http === 'PUT' || body.length > 0;
}

/**
 * Reads and decodes the body of a request. Refuses with 400, 413 or 415; an action without
 * parameters needs no body, and no content type.
 */
export async function readDocument(
  request: ApiRequest,
  operation: Operation,
): Promise<StoredObject | StoredObject[]> {
  const contentType = request.header('content-type');
  const media = contentMedia(contentType);
  const mayBeEmpty = operation.isAction || operation.http === 'DELETE';
  // A type that is not known is refused also where nothing follows: pages of other sites can send
  // such requests without asking first.
  if (!media && (!mayBeEmpty || contentType !== undefined)) throw unknownType();
  const body = await request.readBody(largestBody(operation));
  if (body.length === 0 && mayBeEmpty) return {};
  if (!media) throw unknownType();
  return decode(media, body, operation);
}

function decode(
  media: MediaType,
  body: Uint8Array,
  { http, isAction, listBody, type, body: members }: Operation,
): StoredObject | StoredObject[] {
  if (http === 'DELETE' && isList(media, body, type)) {
    // What is removed may also be sent by itself, without an action around it.
    const [member = ''] = members;
    return { [member]: decodeList(media, body, type) };
  }
  if (isAction || http === 'DELETE') return decodeAction(media, body);
  if (listBody && isList(media, body, type)) return decodeList(media, body, type);
  return decodeObject(media, body, type);
}

/** Bricks may be sent as a list or one alone. */
function isList(media: MediaType, body: Uint8Array, type: string): boolean {
  try {
    decodeList(media, body, type);
    return true;
  } catch {
    return false;
  }
}

function unknownType(): Refusal {
  return new Refusal(
    415,
    'Unsupported Media Type',
    'The Content-Type must be application/xml or application/json.',
  );
}
