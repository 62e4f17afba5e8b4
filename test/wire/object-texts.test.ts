/** Text assembled from members is equal to text written in one call, alone and in a list. */
import { describe, expect, it } from 'vitest';
import { types } from '../../src/model/derive/types.ts';
import { dialects } from '../../src/model/dialect.ts';
import { encodeRuns } from '../../src/wire/encode.ts';
import { encodeObject, type MediaType, objectTexts } from '../../src/wire/index.ts';
import { fullObject } from './arbitraries.ts';

const media: readonly MediaType[] = ['application/xml', 'application/json'];
const layouts = media.flatMap((medium) =>
  Object.values(dialects).flatMap((dialect) =>
    [false, true].map((isItem) => ({ medium, dialect, isItem })),
  ),
);

/** Text of an object, assembled from texts of its members in their order. */
function together(value: object, type: string, layout: (typeof layouts)[number]): string {
  const { size, place, write, whole } = objectTexts(
    layout.medium,
    type,
    layout.dialect,
    layout.isItem,
  );
  const texts = new Array<string | undefined>(size);
  for (const [name, member] of Object.entries(value).reverse()) {
    const at = place(name);
    if (at !== undefined) texts[at] = write(at, member);
  }
  return whole(texts);
}

function written(
  value: object,
  type: string,
  { medium, dialect, isItem }: (typeof layouts)[number],
) {
  return isItem
    ? [...encodeRuns(medium, [value], type, dialect)].join('')
    : encodeObject(medium, value, type, dialect);
}

describe.each(layouts)('$medium, $dialect.name, in a list: $isItem', (layout) => {
  it('of every type with all members', () => {
    for (const type of Object.keys(types)) {
      const value = fullObject(type, 1);
      expect(together(value, type, layout)).toBe(written(value, type, layout));
    }
  });

  it.each<[string, object]>([
    ['no members', {}],
    ['only an attribute', { id: 'a "b"' }],
    ['only an element', { name: '<n>' }],
    ['an invalid value', { id: 'a', memory: Number.NaN, name: 'n' }],
    ['an unknown member', { name: 'n', nonsense: 1 }],
  ])('with %s', (_, value) => {
    expect(together(value, 'vm', layout)).toBe(written(value, 'vm', layout));
  });

  it('have an index for each member, and no text for an invalid index', () => {
    const { size, place, write } = objectTexts(layout.medium, 'vm', layout.dialect, layout.isItem);
    const places = Object.keys(fullObject('vm', 1)).map(place);
    expect(new Set(places).size).toBe(places.length);
    expect(places.every((at) => at !== undefined && at >= 0 && at < size)).toBe(true);
    expect(place('nonsense')).toBeUndefined();
    expect(write(size, 'a')).toBe('');
  });
});
