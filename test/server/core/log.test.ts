/** Error log: one line for external errors, a stack trace for internal errors. */
import { expect, it } from 'vitest';
import { FormatError } from '../../../src/formats/format-error.ts';
import { Qcow2Error } from '../../../src/formats/qcow2-header.ts';
import { createErrorReporter } from '../../../src/server/core/log.ts';
import { StoreError } from '../../../src/server/store/store.ts';

function logged(error: unknown): string[] {
  const lines: string[] = [];
  createErrorReporter((line) => lines.push(line))(error);
  return lines;
}

it.each([FormatError, Qcow2Error, StoreError])('writes only the message of a %s', (type) => {
  expect(logged(new type('the header is truncated'))).toEqual(['the header is truncated']);
});

it.each([TypeError, Error])('writes the stack trace of a %s', (type) => {
  expect(logged(new type('x is undefined'))).toEqual([
    expect.stringMatching(/^\w*Error: x is undefined\n\s+at .+/),
  ]);
});
