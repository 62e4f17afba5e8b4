/** Bodies of requests: their announcement, `100 Continue`, failures, and unread remainders. */
import type { IncomingMessage, ServerResponse } from 'node:http';

/** Why a body cannot be read to its end: it is invalid HTTP, or the client has closed its side. */
export type BodyFailure = 'invalid' | 'ended';

const failures = new WeakMap<IncomingMessage, BodyFailure>();
/** Event of a request that reports a failure. */
const failed = 'vmctl:body-failure';

/** Reports the failure of a body to its reader. The response closes the connection. */
export function failBody(request: IncomingMessage, failure: BodyFailure): void {
  failures.set(request, failure);
  request.emit(failed, failure);
}

/** Calls `listener` if the body has failed or fails. The returned function removes it. */
export function onBodyFailure(
  request: IncomingMessage,
  listener: (failure: BodyFailure) => void,
): () => void {
  const failure = failures.get(request);
  if (failure) listener(failure);
  else request.once(failed, listener);
  return () => request.off(failed, listener);
}

/** Whether a request declares a body. */
export function announcesBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Requests with a sent 100 Continue. */
const continued = new WeakSet<IncomingMessage>();

/** Whether the client waits for `100 Continue` before it sends the body. */
export function awaitsContinue(request: IncomingMessage): boolean {
  const { headers, httpVersion } = request;
  if (headers.expect === undefined || httpVersion === '1.0') return false;
  return /\b100-continue\b/i.test(headers.expect) && !continued.has(request);
}

/** Sends `100 Continue` if the client waits for it. */
export function sendContinue(request: IncomingMessage, response: ServerResponse): void {
  if (!awaitsContinue(request)) return;
  response.writeContinue();
  continued.add(request);
}

/**
 * Milliseconds to read an unwanted body after the response. An earlier close would destroy the
 * response.
 */
export const lingerMs = 2_000;

/**
 * Reads and drops the remainder of a body, until it fails or the time ends. Returns whether the body
 * is complete.
 */
export function discardBody(request: IncomingMessage, milliseconds: number): Promise<boolean> {
  if (request.complete || request.destroyed) return Promise.resolve(request.complete);
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      resolve(request.complete);
    };
    const timer = setTimeout(end, milliseconds);
    request.once('end', end).once('close', end);
    request.on('error', () => {});
    onBodyFailure(request, end);
    request.resume();
  });
}
