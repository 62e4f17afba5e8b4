/** Shapes: the lookup of a member by name returns the member of the list. */
import { expect, it } from 'vitest';
import { types } from '../../src/model/derive/types.ts';
import { getShape, type Member } from '../../src/wire/shape.ts';

/** Shape without lazy functions, which differ between calls. */
function plain(member: Member | undefined): unknown {
  return JSON.parse(
    JSON.stringify(member ?? null, (_, value) => (value instanceof Set ? [...value] : value)),
  );
}

it.each(Object.keys(types))('of %s', (type) => {
  const { members } = getShape(type);
  for (const key of new Set(members.flatMap(({ name, wire }) => [name, wire]))) {
    const listed = members.find(({ name, wire }) => name === key || wire === key);
    expect(plain(getShape(type).memberFor?.(key))).toEqual(plain(listed));
  }
  for (const key of ['constructor', 'nonsense', '']) {
    expect(getShape(type).memberFor?.(key)).toBeUndefined();
  }
});
