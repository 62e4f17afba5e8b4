/** Log of errors: one line for errors from outside, a stack trace for internal errors. */
import { expect, it } from 'vitest';
import { FormatError } from '../../../src/formats/format-error.ts';
import { Qcow2Error } from '../../../src/formats/qcow2-header.ts';
import { reporter } from '../../../src/server/core/log.ts';
import { StoreError } from '../../../src/server/store/store.ts';

function logged(error: unknown): string[] {
  const lines: string[] = [];
  reporter((line) => lines.push(line))(error);
  return lines;
}

it.each([FormatError, Qcow2Error, StoreError])('writes the message of a %s alone', (type) => {
  expect(logged(new type('the header is truncated'))).toEqual(['the header is truncated']);
});

it.each([TypeError, Error])('writes the stack trace of a %s', (type) => {
  expect(logged(new type('x is undefined'))).toEqual([
    expect.stringMatching(/^\w*Error: x is undefined\n\s+at .+/),
  ]);
});
