/** Recorder for `--record`: appends each request with its response, without secrets, to a file. */

import * as fs from 'node:fs';
import type { CommandContext } from '../../cli/session/command-context.ts';
import { openAppending } from '../../cli/session/private-file.ts';
import { UsageError, VmctlError } from '../../client/errors.ts';
import type { HttpOptions, RequestObserver } from '../../client/http.ts';
import type { HttpResponse } from '../../client/http-message.ts';
import {
  type Exchange,
  headerLine,
  isHeader,
  type RecordedBody,
  recordingVersion,
} from '../../recording/exchange.ts';
import { maxRecordedBodyBytes, Redactor } from '../../recording/redactor.ts';
import { systemReason } from '../../system-errors.ts';
import { version } from '../../version.ts';

/** Requests to image daemons: their paths are secrets, and their bodies are disk contents. */
const imagePaths = /^\/(?:images|tickets)(?:\/|$)/;

/** Maximum length of the first line in bytes. */
const headLength = 4_096;

/**
 * Connection options with an observer that records requests, in addition to an existing observer.
 */
export function createRecordingOptions(
  cli: CommandContext,
  path: string,
  other: RequestObserver | undefined,
): Pick<HttpOptions, 'observer' | 'observedBody'> {
  const record = createRecorder(cli, path);
  const observer: RequestObserver = (...seen) => {
    other?.(...seen);
    record(...seen);
  };
  return { observer, observedBody: maxRecordedBodyBytes };
}

/**
 * Observer that appends each exchange to the file, in the order of completion. Throws `UsageError`
 * if the file is not a recording. A later write error ends the recording with a warning.
 */
function createRecorder(cli: CommandContext, path: string): RequestObserver {
  let file: number | undefined = openAppending('--record', path);
  try {
    writeStart(file, path);
  } catch (error) {
    fs.closeSync(file);
    throw error;
  }
  const redactor = new Redactor();
  return (request, outcome, milliseconds, streamed) => {
    if (file === undefined || imagePaths.test(request.path)) return;
    const { method, origin, path: target, headers = {}, body } = request;
    // The first pass collects secrets of the request, which the response may repeat; the second
    // masks secrets found in the response.
    redactor.requestHeaders(headers);
    redactor.body(target, headers, body);
    const answer = recordOutcome(redactor, target, outcome, streamed);
    const exchange: Exchange = {
      at: new Date().toISOString(),
      milliseconds: Math.round(milliseconds),
      request: {
        method,
        origin,
        path: redactor.target(target),
        headers: redactor.requestHeaders(headers),
        ...optionalBody(redactor.body(target, headers, body)),
      },
      ...answer,
    };
    try {
      fs.writeSync(file, `${JSON.stringify(exchange)}\n`);
    } catch (error) {
      cli.warn(`--record ${path} ends here: ${systemReason(error)}`);
      fs.closeSync(file);
      file = undefined;
    }
  };
}

function recordOutcome(
  redactor: Redactor,
  target: string,
  outcome: HttpResponse | Error,
  streamed = 0,
): Pick<Exchange, 'response' | 'failure'> {
  if (outcome instanceof Error) {
    const code = outcome instanceof VmctlError ? outcome.code : 'failed';
    return { failure: { code, message: redactor.text(outcome.message) } };
  }
  const { status, headers, body } = outcome;
  const recorded =
    streamed > body.length
      ? { omitted: 'the file is too large', bytes: streamed }
      : redactor.body(target, headers, body);
  return {
    response: { status, headers: redactor.responseHeaders(headers), ...optionalBody(recorded) },
  };
}

function optionalBody(body: RecordedBody | undefined): { readonly body?: RecordedBody } {
  return body === undefined ? {} : { body };
}

/** Writes the header of a new file, or completes a truncated last line. */
function writeStart(file: number, path: string): void {
  const stats = fs.fstatSync(file);
  if (!stats.isFile()) throw recordingError(path, 'not a regular file');
  const start = stats.size === 0 ? headerLine(version) : findSeparator(path, stats.size);
  try {
    if (start !== '') fs.writeSync(file, start);
  } catch (error) {
    throw recordingError(path, systemReason(error));
  }
}

/** Separator after the last line of a recording. Throws for any other file. */
function findSeparator(path: string, size: number): string {
  const reading = fs.openSync(path, 'r');
  try {
    const head = Buffer.alloc(headLength);
    const length = fs.readSync(reading, head, 0, head.length, 0);
    checkHeader(head.subarray(0, length).toString('utf8').split('\n', 1)[0] ?? '', path);
    const last = Buffer.alloc(1);
    fs.readSync(reading, last, 0, 1, size - 1);
    return last.toString() === '\n' ? '' : '\n';
  } finally {
    fs.closeSync(reading);
  }
}

function checkHeader(line: string, path: string): void {
  let header: unknown;
  try {
    header = JSON.parse(line);
  } catch {
    // Reported below.
  }
  if (isHeader(header) && header.version === recordingVersion) return;
  throw recordingError(
    path,
    isHeader(header) ? `recording of version ${header.version}` : 'the file is not a recording',
  );
}

function recordingError(path: string, why: string): UsageError {
  return new UsageError(`--record ${path}: ${why}`, {
    code: 'not_a_recording',
    hint: 'use a new file; existing files are not overwritten',
  });
}
