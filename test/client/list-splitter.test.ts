/** Lists are cut between their objects, wherever the pieces end in which they arrive. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ListSplitter } from '../../src/client/list-splitter.ts';
import { runs } from '../support/mutants.ts';

/** What comes out of a text that arrives in pieces of these lengths. */
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

describe('a list that arrives in pieces', () => {
  it('comes out as it went in, whatever is beside it', () => {
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

  it('of one may lack the array', () => {
    expect(split('{"vm":{"id":"1","vm":{"id":"2"}}}', [3])).toEqual([{ id: '1', vm: { id: '2' } }]);
  });

  it('of none is empty, or missing', () => {
    expect(split('{"vm":[]}', [1])).toEqual([]);
    expect(split('{}', [1])).toEqual([]);
  });

  it('that breaks off is not complete', () => {
    const splitter = new ListSplitter('vm');
    expect(splitter.push(Buffer.from('{"vm":[{"id":"1"},{"id"'))).toBeDefined();
    expect(splitter.isComplete).toBe(false);
    expect(Buffer.from(splitter.left).toString()).toBe('{"vm":[{"id"');
  });
});
