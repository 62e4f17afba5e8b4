/** Log of `--debug` and `--debug-file`: requests without secrets. */
import * as fs from 'node:fs';
import { UsageError } from '../../client/errors.ts';
import type { RequestObserver } from '../../client/http.ts';
import { escapeControlChars } from '../../escape-control-chars.ts';
import type { CommandContext } from './command-context.ts';
import { maskBody, maskHeaders } from './mask-secrets.ts';
import { openAppending } from './private-file.ts';

export interface DebugLog {
  readonly observer: RequestObserver;
  /** Whether the log includes bodies. */
  readonly bodies: boolean;
}

/** Creates the log of `--debug` and `--debug-file`; undefined if neither is given. */
export function createDebugLog(cli: CommandContext): DebugLog | undefined {
  const file = cli.setting('debugFile')?.value;
  const requested = cli.setting('debug')?.value ?? (file === undefined ? undefined : 'http');
  const parts = requested === undefined ? [] : parseParts(requested);
  if (parts.length === 0) return undefined;
  const bodies = parts.includes('body');
  const write = file === undefined ? (text: string) => cli.io.stderr.write(text) : appendTo(file);
  return { observer: createObserver(write, bodies), bodies };
}

function parseParts(text: string): readonly string[] {
  if (/^(1|true|yes|on)$/i.test(text)) return ['http'];
  if (/^(0|false|no|off)$/i.test(text)) return [];
  const parts = text.split(',').map((part) => part.trim());
  const unknownPart = parts.find((part) => part !== 'http' && part !== 'body');
  if (unknownPart === undefined) return parts;
  throw new UsageError(`--debug=${text}: unknown part "${unknownPart}"`, {
    hint: 'use --debug, --debug=http or --debug=http,body',
  });
}

/** Creates a writer that appends lines with a time to a private file. */
function appendTo(path: string): (text: string) => void {
  const file = openAppending('--debug-file', path);
  return (text) => {
    fs.writeSync(file, `${new Date().toISOString()} ${text}`);
  };
}

function createObserver(write: (text: string) => void, bodies: boolean): RequestObserver {
  return (request, outcome, milliseconds, streamed) => {
    const failed = outcome instanceof Error;
    const result = failed
      ? `failed: ${outcome.message}`
      : `${outcome.status}, ${streamed ?? outcome.body.length} bytes`;
    const lines = [
      `debug: ${request.method} ${request.origin}${request.path} -> ${result} (${Math.round(milliseconds)} ms)`,
      ...headerLines('>', request.headers ?? {}),
      ...(bodies && request.body !== undefined ? bodyLines('>', request.body) : []),
      ...(failed ? [] : headerLines('<', outcome.headers)),
      ...(bodies && !failed ? bodyLines('<', outcome.body) : []),
    ];
    write(`${lines.map((line) => escapeControlChars.line(line)).join('\n')}\n`);
  };
}

function headerLines(arrow: string, headers: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(maskHeaders(headers)).map(
    ([name, value]) => `  ${arrow} ${name}: ${value}`,
  );
}

function bodyLines(arrow: string, body: string | Uint8Array): readonly string[] {
  const text = maskBody(body, 2).trimEnd();
  return text === '' ? [] : [`  ${arrow}`, ...text.split('\n').map((line) => `  ${arrow} ${line}`)];
}
