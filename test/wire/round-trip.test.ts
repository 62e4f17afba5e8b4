/** Round trips of every type of the model. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { types } from '../../src/model/derive/types.ts';
import { dialects } from '../../src/model/dialect.ts';
import { actionParameters } from '../../src/model/notation/parameters.ts';
import {
  decodeAction,
  decodeList,
  decodeObject,
  encodeAction,
  encodeList,
  encodeListChunks,
  encodeObject,
  type MediaType,
} from '../../src/wire/index.ts';
import { runs } from '../support/mutants.ts';
import { anyObject, fullObject } from './arbitraries.ts';

const media: readonly MediaType[] = ['application/xml', 'application/json'];
const typeNames = Object.keys(types);
const ways = media.flatMap((medium) =>
  Object.values(dialects).map((dialect) => ({ medium, dialect })),
);

describe('objects', () => {
  test.each(typeNames)('%s with every member', (type) => {
    const value = fullObject(type, 1);
    for (const { medium, dialect } of ways) {
      const body = encodeObject(medium, value, type, dialect);
      expect(decodeObject(medium, body, type)).toEqual(value);
      expect(decodeObject(medium, Buffer.from(body), type, { unknown: 'skip' })).toEqual(value);
    }
  });

  test.each(typeNames)('%s with any members', (type) => {
    fc.assert(
      fc.property(anyObject(type, 2), (value) => {
        for (const { medium, dialect } of ways) {
          const body = encodeObject(medium, value, type, dialect);
          expect(decodeObject(medium, body, type)).toEqual(value);
          expect(decodeObject(medium, body, type, { unknown: 'skip' })).toEqual(value);
        }
      }),
      { numRuns: runs(10) },
    );
  });

  test('JSON also contains characters that XML forbids', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (name) => {
        const body = encodeObject('application/json', { name }, 'vm', dialects.standard);
        expect(decodeObject('application/json', body, 'vm')).toEqual({ name });
      }),
      { numRuns: runs(100) },
    );
  });
});

describe('lists', () => {
  test.each(ways)('$medium, $dialect.name', ({ medium, dialect }) => {
    fc.assert(
      fc.property(fc.array(anyObject('disk', 1), { maxLength: 5 }), (value) => {
        const body = encodeList(medium, value, 'disk', dialect);
        expect(decodeList(medium, body, 'disk')).toEqual(value);
        expect(decodeList(medium, body, 'disk', { unknown: 'skip' })).toEqual(value);
      }),
      { numRuns: runs(100) },
    );
  });

  test.each(media)('%s in chunks of limited size', (medium) => {
    function* endless(): Generator<object> {
      for (let number = 0; ; number++) yield { id: String(number), name: 'x'.repeat(100) };
    }
    const chunks = encodeListChunks(medium, endless(), 'vm', dialects.standard);
    for (let i = 0; i < 20; i++) {
      const chunk = String(chunks.next().value);
      expect(chunk.length).toBeGreaterThanOrEqual(64 * 1024);
      expect(chunk.length).toBeLessThan(66 * 1024);
    }
  });
});

describe('actions', () => {
  test.each(ways)('with every parameter, $medium, $dialect.name', ({ medium, dialect }) => {
    const value: Record<string, unknown> = { async: true, reason: 'a <reason>' };
    for (const [name, { kind }] of Object.entries(actionParameters)) {
      const [first = '', second = ''] = kind.split(' ').filter((word) => word !== 'list');
      const one: unknown =
        first === 'struct'
          ? fullObject(second, 1)
          : { bool: true, int: 7, string: ' text ', enum: 'start' }[first];
      value[name] = kind.startsWith('list') ? [one] : one;
    }
    const body = encodeAction(medium, value, dialect);
    expect(decodeAction(medium, body, Object.keys(actionParameters))).toEqual(value);
    expect(decodeAction(medium, body)).toEqual(value);
  });
});
