/** `--debug`: each request on stderr, with nothing in it that could sign somebody in. */
import type { Observer } from '../../client/http.ts';
import type { Io } from '../io.ts';
import { harmless } from '../output/harmless.ts';

const secretHeaders = /^(authorization|cookie|set-cookie|jsessionid)$/i;

/** Writes one line when a request is over, and its headers. Bodies stay out. */
export function debugObserver(io: Io): Observer {
  return (request, outcome, milliseconds, streamed) => {
    const result =
      outcome instanceof Error
        ? `failed: ${outcome.message}`
        : `${outcome.status}, ${streamed ?? outcome.body.length} bytes`;
    const lines = [
      `debug: ${request.method} ${request.origin}${request.path} -> ${result} (${Math.round(milliseconds)} ms)`,
      ...headerLines('>', request.headers ?? {}),
      ...(outcome instanceof Error ? [] : headerLines('<', outcome.headers)),
    ];
    io.stderr.write(`${lines.map((line) => harmless.line(line)).join('\n')}\n`);
  };
}

function headerLines(arrow: string, headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers).map(
    ([name, value]) => `  ${arrow} ${name}: ${secretHeaders.test(name) ? '(hidden)' : value}`,
  );
}
