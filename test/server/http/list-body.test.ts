/** Response bodies in pieces: content, and maximum time per piece. */
import { describe, expect, it } from 'vitest';
import { dialects } from '../../../src/model/dialect.ts';
import type { ListPart } from '../../../src/server/api/call.ts';
import { listBody, objectBody } from '../../../src/server/http/answer.ts';
import type { StoredObject } from '../../../src/server/store/kinds.ts';
import {
  encodeItem,
  encodeLargeObject,
  encodeList,
  encodeObject,
} from '../../../src/wire/index.ts';

const media = ['application/xml', 'application/json'] as const;
const dialect = dialects.standard;
const disk = { id: 'd', name: 'x'.repeat(100), description: 'ž' };
const large = { id: 'large', disks: Array.from({ length: 5_000 }, () => disk) };
const small = { id: 'small', name: 'ž' };
/** Size of a piece of 64 KiB plus the longest item that it may end with. */
const longest = 64 * 1024 + 40 * 1024;

function joinText(pieces: Iterable<Uint8Array>): string {
  const all = [...pieces];
  expect(all.length).toBeGreaterThan(5);
  for (const piece of all) expect(piece.length).toBeLessThan(longest);
  return Buffer.concat(all).toString('utf8');
}

type Medium = (typeof media)[number];

/** Objects of which the small ones are already encoded. */
function encoded(medium: Medium, objects: readonly StoredObject[]) {
  return objects.map((one) =>
    one === large ? one : [...encodeItem(medium, one, 'storage_domain', dialect)].join(''),
  );
}

describe.each(media)('%s', (medium) => {
  it('of a list with large items and encoded items', () => {
    const parts: readonly ListPart[] = [
      { objects: () => [small, undefined, large, large, undefined] },
      { objects: () => encoded(medium, [small, small]) },
      { objects: () => [] },
      { objects: () => encoded(medium, [small, large, small]) },
      { objects: () => [large, small] },
    ];
    const items = [small, large, large, small, small, small, large, small, large, small];
    const list = { type: 'storage_domain', parts, extras: {} };
    const expected = encodeList(medium, items, list.type, dialect);
    expect(joinText(listBody(medium, list, dialect))).toBe(expected);
  });

  it('of a list without items', () => {
    const list = { type: 'vm', parts: [{ objects: () => [undefined] }], extras: {} };
    const pieces = [...listBody(medium, list, dialect)];
    expect(Buffer.concat(pieces).toString()).toBe(encodeList(medium, [], 'vm', dialect));
  });

  it('of one large object', () => {
    const texts = encodeLargeObject(medium, large, 'storage_domain', dialect) ?? [];
    const whole = encodeObject(medium, large, 'storage_domain', dialect);
    expect(joinText(objectBody(texts))).toBe(whole);
  });
});
