/** Service that records requests and responses in a journal. */
import { adminPath } from '../admin/endpoints.ts';
import {
  capture,
  createCapturedBody,
  type JournalEntry,
  limitBody,
  type RequestJournal,
} from '../admin/request-journal.ts';
import { type ApiResponse, getRequestHeader } from '../api/request.ts';
import { Refusal } from '../core/fault.ts';
import type { HttpService, ServiceRequest } from './service.ts';

/** Header of requests of the web page of the server (`features/inspector`). */
export const inspectorHeader = 'vmctl-inspector';

/**
 * Wraps a service with a journal. Requests to the endpoints of the server itself are not recorded.
 */
export function journaled(
  service: HttpService,
  journal: RequestJournal,
  now: () => number,
): HttpService {
  return {
    ...service,
    answer: async (request) => {
      const { message, target, readBody } = request;
      if (target.startsWith(`${adminPath}/`) || isOfInspector(request)) {
        return service.answer(request);
      }
      const entry = journal.begin(now(), message.method ?? 'GET', target, message.headers);
      const began = performance.now();
      const answered = () => {
        entry.milliseconds = Math.round(performance.now() - began);
      };
      try {
        const response = await service.answer({
          ...request,
          readBody: async (maximum) => {
            const bytes = await readBody(maximum);
            entry.requestBody = limitBody(bytes);
            return bytes;
          },
        });
        answered();
        entry.status = response.status;
        entry.responseHeaders = response.headers;
        return observed(response, entry, journal);
      } catch (error) {
        answered();
        if (error instanceof Refusal) {
          const { status, reason, detail } = error;
          entry.status = status;
          entry.responseHeaders = { 'content-type': 'application/json' };
          entry.responseBody = JSON.stringify({ fault: { reason, detail } });
        }
        journal.complete(entry);
        throw error;
      }
    },
  };
}

/** Whether the web page of the server sent a request. Changes of the API are always recorded. */
function isOfInspector({ message, api }: ServiceRequest): boolean {
  if (getRequestHeader(message, inspectorHeader) === undefined) return false;
  return message.method === 'GET' || api === undefined;
}

/** The response. Its entry in the journal is complete after its last chunk. */
function observed(
  response: ApiResponse,
  entry: JournalEntry,
  journal: RequestJournal,
): ApiResponse {
  const { body } = response;
  // The body of a response to HEAD is never read.
  if (body !== undefined && typeof body !== 'string' && entry.method !== 'HEAD') {
    return { ...response, body: seen(body, entry, journal) };
  }
  if (typeof body === 'string') entry.responseBody = limitBody(body);
  journal.complete(entry);
  return response;
}

function* seen(
  pieces: Iterable<string | Uint8Array>,
  entry: JournalEntry,
  journal: RequestJournal,
): Generator<string | Uint8Array> {
  const captured = createCapturedBody();
  entry.responseBody = captured;
  try {
    for (const piece of pieces) {
      capture(captured, piece);
      yield piece;
    }
  } finally {
    journal.complete(entry);
  }
}
