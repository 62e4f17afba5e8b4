/** `--record`: each request with its answer, added to a file that anybody may be given. */

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
import { maxRecordedBody, Redactor } from '../../recording/redactor.ts';
import { systemReason } from '../../system-errors.ts';
import { version } from '../../version.ts';

/** What image daemons are asked for: their paths are secrets, their bytes are those of disks. */
const ofImages = /^\/(?:images|tickets)(?:\/|$)/;

/** Longest first line of a file that is looked at. */
const headLength = 4_096;

/** The options of connections whose requests are recorded, beside what observes them already. */
export function recordingOf(
  cli: CommandContext,
  path: string,
  other: RequestObserver | undefined,
): Pick<HttpOptions, 'observer' | 'observedBody'> {
  const record = recorder(cli, path);
  const observer: RequestObserver = (...seen) => {
    other?.(...seen);
    record(...seen);
  };
  return { observer, observedBody: maxRecordedBody };
}

/**
 * An observer that adds each exchange to the file, in the order of their ends. Throws a usage error
 * where the file is something else; what cannot be written later ends the recording with a warning.
 */
function recorder(cli: CommandContext, path: string): RequestObserver {
  let file: number | undefined = openAppending('--record', path);
  try {
    begin(file, path);
  } catch (error) {
    fs.closeSync(file);
    throw error;
  }
  const redactor = new Redactor();
  return (request, outcome, milliseconds, streamed) => {
    if (file === undefined || ofImages.test(request.path)) return;
    const { method, origin, path: target, headers = {}, body } = request;
    // Once to find its secrets, which the answer may repeat; and again, as the answer may have more.
    redactor.requestHeaders(headers);
    redactor.body(target, headers, body);
    const answer = answerOf(redactor, target, outcome, streamed);
    const exchange: Exchange = {
      at: new Date().toISOString(),
      milliseconds: Math.round(milliseconds),
      request: {
        method,
        origin,
        path: redactor.target(target),
        headers: redactor.requestHeaders(headers),
        ...bodyOf(redactor.body(target, headers, body)),
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

function answerOf(
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
    response: { status, headers: redactor.responseHeaders(headers), ...bodyOf(recorded) },
  };
}

function bodyOf(body: RecordedBody | undefined): { readonly body?: RecordedBody } {
  return body === undefined ? {} : { body };
}

/** Writes what goes first: a header into an empty file, the end of a line that was cut. */
function begin(file: number, path: string): void {
  const stats = fs.fstatSync(file);
  if (!stats.isFile()) throw unusable(path, 'not a regular file');
  const start = stats.size === 0 ? headerLine(version) : continuation(path, stats.size);
  try {
    if (start !== '') fs.writeSync(file, start);
  } catch (error) {
    throw unusable(path, systemReason(error));
  }
}

/** What goes between the last line of a recording and the next one. Throws for any other file. */
function continuation(path: string, size: number): string {
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
    // Said below.
  }
  if (isHeader(header) && header.version === recordingVersion) return;
  throw unusable(
    path,
    isHeader(header) ? `recording of version ${header.version}` : 'the file is not a recording',
  );
}

function unusable(path: string, why: string): UsageError {
  return new UsageError(`--record ${path}: ${why}`, {
    code: 'not_a_recording',
    hint: 'use a new file; existing files are not overwritten',
  });
}
