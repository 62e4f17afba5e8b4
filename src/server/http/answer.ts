/** Step 6 of a request: from what the rules answered to status, headers and body. */
import type { Dialect } from '../../model/dialect.ts';
import {
  encodeAction,
  encodeFault,
  encodeLargeObject,
  encodeObject,
  type MediaType,
} from '../../wire/index.ts';
import type { Answer } from '../api/call.ts';
import type { ListCache } from '../api/list-cache.ts';
import type { ApiResponse } from '../api/request.ts';
import type { Refusal } from '../core/fault.ts';
import { listBody, objectBody } from './list-body.ts';

/** Encodes an answer; without its body for HEAD. */
export function encodeAnswer(
  dialect: Dialect,
  media: MediaType,
  answer: Answer,
  head: boolean,
  cache: ListCache,
): ApiResponse {
  const headers: Record<string, string> = { ...answer.headers };
  if (answer.form === 'empty') return { status: answer.status, headers };
  if (answer.form === 'file') {
    const { content } = answer;
    const body = typeof content === 'string' ? content : [content];
    return { status: answer.status, headers: { ...headers, 'Content-Type': answer.media }, body };
  }
  headers['Content-Type'] = contentType(media);
  if (head) return { status: answer.status, headers };
  return { status: answer.status, headers, body: bodyOf(dialect, media, answer, cache) };
}

function bodyOf(
  dialect: Dialect,
  media: MediaType,
  answer: Exclude<Answer, { form: 'empty' | 'file' }>,
  cache: ListCache,
): string | Iterable<Uint8Array> {
  switch (answer.form) {
    case 'object': {
      const { object, type } = answer;
      const texts = encodeLargeObject(media, object, type, dialect);
      return texts ? objectBody(texts) : encodeObject(media, object, type, dialect);
    }
    case 'list':
      return listBody(media, answer, dialect, cache);
    case 'action':
    case 'creation':
      return encodeAction(media, answer.action, dialect, answer.form);
  }
}

/** A refusal as a fault document in the asked representation. */
export function faultResponse(
  dialect: Dialect,
  media: MediaType,
  refusal: Refusal,
  headers: Readonly<Record<string, string>> = {},
): ApiResponse {
  const fault = {
    reason: refusal.reason,
    ...(refusal.detail === undefined ? {} : { detail: refusal.detail }),
  };
  return {
    status: refusal.status,
    headers: { 'Content-Type': contentType(media), ...refusal.headers, ...headers },
    body: encodeFault(media, fault, dialect),
  };
}

function contentType(media: MediaType): string {
  return media === 'application/xml' ? 'application/xml;charset=UTF-8' : media;
}
