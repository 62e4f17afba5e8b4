/** Text written in pieces is equal to text written in one call, and no piece is long. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { types } from '../../src/model/derive/types.ts';
import { dialects } from '../../src/model/dialect.ts';
import { listAttributes, parseKind } from '../../src/model/index.ts';
import { encodeRuns } from '../../src/wire/encode.ts';
import {
  encodeItem,
  encodeLargeObject,
  encodeObject,
  LinkList,
  type MediaType,
} from '../../src/wire/index.ts';
import { runs, triesMutants } from '../support/mutants.ts';
import { anyObject, fullObject } from './arbitraries.ts';

const media: readonly MediaType[] = ['application/xml', 'application/json'];
const ways = media.flatMap((medium) =>
  Object.values(dialects).map((dialect) => ({ medium, dialect })),
);

/** Lists of each type, with objects or plain values. */
const lists = Object.keys(types).flatMap((type) =>
  Object.entries(listAttributes(type))
    .filter(([, { kind }]) => parseKind(kind).list)
    .map(([name, { kind }]) => ({ type, name, ...parseKind(kind) })),
);

/** Tested lists: a few for each mutant, because each writes a long list. */
const tried = lists.filter((_, index) => !triesMutants || index % 20 === 0);

/** Expects that an object is large, alone and in a list, and that its pieces form its text. */
function expectSame(value: object, type: string, longest = Number.POSITIVE_INFINITY): void {
  for (const { medium, dialect } of ways) {
    const whole = [...(encodeLargeObject(medium, value, type, dialect) ?? [])];
    expect(whole.join('')).toBe(encodeObject(medium, value, type, dialect));
    const pieces = [...encodeItem(medium, value, type, dialect)];
    expect(pieces.join('')).toBe([...encodeRuns(medium, [value], type, dialect)].join(''));
    expect(pieces.length).toBeGreaterThan(1);
    for (const piece of pieces) expect(piece.length).toBeLessThan(longest);
  }
}

describe('pieces form the text', () => {
  test.each(tried)('of $type with many $name', ({ type, name, form, of }) => {
    const plain = form === 'scalar' || form === 'enum';
    const one = plain ? fullObject(type, 0)[name] : fullObject(of, 0);
    const example = plain ? (fullObject(type, 1)[name] as unknown[])[0] : one;
    const size = plain ? 1 : 1 + Object.keys(one as object).length / 2;
    // Include objects without members.
    const many = Array.from({ length: Math.ceil(600 / size) }, (_, index) =>
      plain ? example : index % 2 === 0 ? {} : one,
    );
    expectSame({ ...fullObject(type, 1), [name]: many }, type);
  });

  test.each(['vm', 'disk', 'storage_domain', 'host'])('of %s with any members', (type) => {
    const objects = fc.array(anyObject(type, 2), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(objects, anyObject('data_center', 1), (some, around) => {
        // Nest large objects to any depth, as `follow` does.
        const many = Array.from({ length: 520 }, (_, index) =>
          index < 8 ? some[index % some.length] : {},
        );
        const list = `${type}s`;
        const inner = {
          ...around,
          [list in listAttributes('data_center') ? list : 'clusters']: many,
        };
        expectSame({ name: 'outer', data_centers: [inner, around, inner] }, 'storage_domain');
      }),
      { numRuns: runs(10) },
    );
  });

  test('with an invalid or missing value', () => {
    const statistics = Array.from({ length: 600 }, (_, index) => ({
      name: index % 2 === 0 ? null : 'memory',
      values: index % 5 === 0 ? undefined : [{ datum: index % 3 === 0 ? Number.NaN : index }],
    }));
    expectSame({ id: 'a', comment: undefined, statistics }, 'vm');
    expectSame({ statistics: Array.from({ length: 600 }, () => ({ name: null })) }, 'vm');
    const invalid = Array.from({ length: 600 }, () => Number.NaN);
    expectSame({ id: 'a', numa_nodes: [{ cpu: { cores: [{ index: 1 }] } }], x: invalid }, 'vm');
  });

  test('with links of all forms', () => {
    const link = new LinkList('/api/vms/1', ['nics', 'statistics']);
    const nics = Array.from({ length: 300 }, () => ({ id: 'n', link, actions: { link } }));
    expectSame({ id: 'a', link, actions: { link }, nics }, 'vm');
    const links = Array.from({ length: 600 }, () => ({ href: '/a', rel: '"b"' }));
    expectSame({ id: 'a', link: links, actions: { link: links } }, 'vm');
  });
});

test('are short for objects of any size and depth', () => {
  const disk = { id: 'd', name: 'x'.repeat(100), comment: 'c' };
  const disks = Array.from({ length: 5_000 }, () => disk);
  expectSame({ id: 'a', disks }, 'storage_domain', 20_000);
  const domain = { id: 'b', disks };
  expectSame({ id: 'a', storage_domains: [domain, domain] }, 'data_center', 20_000);
});

test('writes a small object in one call: up to five hundred values', () => {
  const withValues = (count: number) => ({
    id: 'a',
    cpu: { cores: Array.from({ length: count - 4 }, () => 1) },
  });
  for (const medium of media) {
    expect(encodeLargeObject(medium, withValues(500), 'vm', dialects.standard)).toBeUndefined();
    expect(encodeLargeObject(medium, withValues(501), 'vm', dialects.standard)).toBeDefined();
  }
});
