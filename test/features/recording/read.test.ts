/** Invalid recordings: refused with the line and the reason. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { RecordingError, readRecording } from '../../../src/features/recording/replay/read.ts';
import { headerLine } from '../../../src/recording/exchange.ts';

const folder = mkdtempSync(join(tmpdir(), 'vmctl-recording-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, 'session.ndjson');

const request = { method: 'GET', origin: 'https://x', path: '/virt-app/api', headers: {} };
const response = { status: 200, headers: { 'content-type': 'application/json' } };
const good = { at: '2030-01-31T12:00:00Z', milliseconds: 3, request, response };

function read(...exchanges: readonly unknown[]) {
  const lines = exchanges.map((one) => (typeof one === 'string' ? one : JSON.stringify(one)));
  writeFileSync(file, headerLine('test') + lines.join('\n'));
  return readRecording(file);
}

it('accepts an exchange with a response, one with a failure, and one with each kind of body', () => {
  const bodies = [{ text: 'x' }, { base64: 'eA==' }, { omitted: 'too large', bytes: 5 }];
  const { response: _, ...unanswered } = good;
  const failed = { ...unanswered, failure: { code: 'timeout', message: 'late' } };
  const all = [
    good,
    failed,
    ...bodies.map((body) => ({ ...good, response: { ...response, body } })),
  ];
  expect(read(...all)).toEqual({ exchanges: all, warnings: [] });
});

it.each<[string, unknown]>([
  ['a number', 5],
  ['no request', { ...good, request: undefined }],
  ['no time', { ...good, at: 'soon' }],
  ['a negative duration', { ...good, milliseconds: -1 }],
  ['a duration that is no number', { ...good, milliseconds: 'x' }],
  ['a method with a line end', { ...good, request: { ...request, method: 'GET\n' } }],
  ['a path with a space', { ...good, request: { ...request, path: '/a b' } }],
  ['a path without a slash', { ...good, request: { ...request, path: 'a' } }],
  ['headers that are a list', { ...good, request: { ...request, headers: [] } }],
  ...[0, 99, 101, 600, 200.5, -200, '200', null].map((status): [string, unknown] => [
    `the status ${JSON.stringify(status)}`,
    { ...good, response: { ...response, status } },
  ]),
  ['a header with a line end', { ...good, response: { ...response, headers: { a: 'x\r\nb: y' } } }],
  ['a header with U+0000', { ...good, response: { ...response, headers: { a: '\0' } } }],
  ['a header beyond Latin-1', { ...good, response: { ...response, headers: { a: '\u2028' } } }],
  ['a header name with a colon', { ...good, response: { ...response, headers: { 'a:': 'x' } } }],
  ['a header that is a number', { ...good, response: { ...response, headers: { a: 1 } } }],
  ['a body that is a text', { ...good, response: { ...response, body: 'x' } }],
  ['a body that is no base64', { ...good, response: { ...response, body: { base64: '%' } } }],
  ['a failure without a code', { ...good, response: undefined, failure: {} }],
])('refuses %s, with its position', (_what, exchange) => {
  expect(() => read(good, exchange)).toThrow(RecordingError);
  expect(() => read(good, exchange)).toThrow(new RegExp(`^${file}:3:[1-9]\\d*: \\S`));
});

it('skips a truncated last line with a warning', () => {
  expect(read(good, '{"at": "20').warnings).toEqual([`${file}:3:11: truncated line; skipped`]);
});
