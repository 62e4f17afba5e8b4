/** Limits on the size of a body: services refuse it, clients accept it. */
import { describe, expect, test } from 'vitest';
import { decodeList, decodeObject, type MediaType } from '../../src/wire/index.ts';

const xml = 'application/xml';
const json = 'application/json';

const attributes = (count: number) =>
  Array.from({ length: count }, (_, index) => `a${index}=""`).join(' ');

/** List with this count of values or elements, including the list itself. */
function createList(media: MediaType, values: number): string {
  if (media === xml) return `<vms>${'<vm/>'.repeat(values - 1)}</vms>`;
  return `{"vm":[${Array.from({ length: values - 2 }, () => '{}').join()}]}`;
}

describe.each([
  [xml, 50_000, '1:250001: more than 50000 elements in the document'],
  [json, 50_000, '1:150002: more than 50000 values in the text'],
] as const)('%s', (media, most, message) => {
  test(`is limited to ${most} values`, () => {
    const count = decodeList(media, createList(media, most), 'vm').length;
    expect(count).toBe(media === xml ? most - 1 : most - 2);
    expect(() => decodeList(media, createList(media, most + 1), 'vm')).toThrow(
      expect.objectContaining({ kind: 'limit', message }),
    );
  });

  test('accepts more values in a response', () => {
    const some = decodeList(media, createList(media, most + 1), 'vm', { unknown: 'skip' });
    expect(some.length).toBeGreaterThan(most - 3);
  });
});

test.each([
  [
    'attributes',
    `<vm ${attributes(64)}/>`,
    `<vm ${attributes(65)}/>`,
    '1:443: an element has more than 64 attributes',
  ],
  [
    'characters in an attribute',
    `<vm\nx="${'x'.repeat(65_536)}"/>`,
    `<vm\nx="${'x'.repeat(65_537)}"/>`,
    '2:1: the attribute x is longer than 65536 characters',
  ],
  [
    'nested elements',
    `<vm>${'<x>'.repeat(63)}${'</x>'.repeat(63)}</vm>`,
    `<vm>\n${'<x>'.repeat(64)}${'</x>'.repeat(64)}</vm>`,
    '2:190: elements are nested more than 64 deep',
  ],
])('accepts the maximum of %s, and refuses one more', (_, most, more, message) => {
  expect(decodeObject(xml, most, 'vm', { unknown: 'skip' })).toEqual({});
  expect(() => decodeObject(xml, more, 'vm', { unknown: 'skip' })).toThrow(
    expect.objectContaining({ kind: 'limit', message }),
  );
});
