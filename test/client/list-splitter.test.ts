/** Lists are split between objects, for any chunk boundaries. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ListSplitter } from '../../src/client/list-splitter.ts';
import { runs } from '../support/mutants.ts';

/** Splitter output for a text in chunks of these lengths. */
function split(text: string, lengths: readonly number[], tag = 'vm'): unknown[] {
  const splitter = new ListSplitter(tag);
  const bytes = Buffer.from(text);
  const items: unknown[] = [];
  let from = 0;
  for (let index = 0; from < bytes.length; index += 1) {
    const length = lengths[index % lengths.length] ?? 1;
    const piece = splitter.push(bytes.subarray(from, from + length));
    if (piece) items.push(...JSON.parse(Buffer.from(piece).toString())[tag]);
    from += length;
  }
  expect(splitter.isComplete).toBe(true);
  return items;
}

describe('a list in chunks', () => {
  it('is unchanged after splitting, with any other members', () => {
    const items = fc.array(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()));
    const lengths = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 });
    const spaces = fc.constantFrom(undefined, 2);
    fc.assert(
      fc.property(items, fc.jsonValue(), lengths, spaces, (vm, link, sizes, space) => {
        const text = JSON.stringify(
          { link: [{ vm: link }], vm, actions: { vm: [link] } },
          null,
          space,
        );
        expect(split(text, sizes)).toEqual(JSON.parse(JSON.stringify(vm)));
      }),
      { numRuns: runs(100) },
    );
  });

  it('with one item may lack the array', () => {
    expect(split('{"vm":{"id":"1","vm":{"id":"2"}}}', [3])).toEqual([{ id: '1', vm: { id: '2' } }]);
  });

  it('without items is empty or missing', () => {
    expect(split('{"vm":[]}', [1])).toEqual([]);
    expect(split('{}', [1])).toEqual([]);
  });

  it('that is truncated is not complete', () => {
    const splitter = new ListSplitter('vm');
    expect(splitter.push(Buffer.from('{"vm":[{"id":"1"},{"id"'))).toBeDefined();
    expect(splitter.isComplete).toBe(false);
    expect(Buffer.from(splitter.remainder).toString()).toBe('{"vm":[{"id"');
  });
});
