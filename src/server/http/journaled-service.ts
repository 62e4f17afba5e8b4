/** A service whose requests are kept in a journal, with their answers. */
import { adminPath } from '../admin/endpoints.ts';
import {
  type CapturedBody,
  capture,
  type JournalEntry,
  keptBytes,
  type RequestJournal,
} from '../admin/request-journal.ts';
import type { ApiResponse } from '../api/request.ts';
import { Refusal } from '../core/fault.ts';
import type { HttpService } from './service.ts';

/** The service, seen by a journal. What is asked about the server itself is not kept. */
export function journaled(
  service: HttpService,
  journal: RequestJournal,
  now: () => number,
): HttpService {
  return {
    ...service,
    answer: async (request) => {
      const { message, target, readBody } = request;
      if (target.startsWith(`${adminPath}/`)) return service.answer(request);
      const entry = journal.begin(now(), message.method ?? 'GET', target, plain(message.headers));
      const began = performance.now();
      const complete = () => {
        entry.milliseconds = Math.round(performance.now() - began);
        journal.complete(entry);
      };
      try {
        const response = await service.answer({
          ...request,
          readBody: async (maximum) => {
            const bytes = await readBody(maximum);
            capture(entry.requestBody, bytes);
            return bytes;
          },
        });
        entry.status = response.status;
        entry.responseHeaders = response.headers;
        const seen = observed(response, entry, journal);
        complete();
        return seen;
      } catch (error) {
        if (error instanceof Refusal) {
          const { status, reason, detail } = error;
          entry.status = status;
          entry.responseHeaders = { 'content-type': 'application/json' };
          capture(entry.responseBody, JSON.stringify({ fault: { reason, detail } }));
        }
        complete();
        throw error;
      }
    },
  };
}

function plain(headers: NodeJS.Dict<string | string[]>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]),
  );
}

/** The answer, whose pieces are seen while they are sent. */
function observed(
  response: ApiResponse,
  { responseBody }: JournalEntry,
  journal: RequestJournal,
): ApiResponse {
  const { body } = response;
  if (body === undefined) return response;
  if (typeof body === 'string') {
    capture(responseBody, body);
    return response;
  }
  return { ...response, body: seen(body, responseBody, journal) };
}

function* seen(
  pieces: Iterable<string | Uint8Array>,
  body: CapturedBody,
  journal: RequestJournal,
): Generator<string | Uint8Array> {
  for (const piece of pieces) {
    const before = keptBytes(body);
    capture(body, piece);
    journal.changed(keptBytes(body) - before);
    yield piece;
  }
}
