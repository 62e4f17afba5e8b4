/** Decoding any bytes gives an object or a WireError, and no other error. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dialects } from '../../src/model/dialect.ts';
import {
  decodeAction,
  decodeFault,
  decodeList,
  decodeObject,
  encodeList,
  encodeObject,
  type MediaType,
  WireError,
} from '../../src/wire/index.ts';
import { runs } from '../support/mutants.ts';
import { fullObject } from './arbitraries.ts';

const media: readonly MediaType[] = ['application/xml', 'application/json'];

function attempt(read: () => unknown): void {
  try {
    expect(read()).toBeTypeOf('object');
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    expect(error.message.startsWith(`${error.where}: `)).toBe(true);
    expect(error.message.length).toBeLessThan(8300);
  }
}

function attemptAll(medium: MediaType, body: Uint8Array): void {
  for (const unknown of ['refuse', 'skip'] as const) {
    attempt(() => decodeObject(medium, body, 'vm', { unknown }));
    attempt(() => decodeList(medium, body, 'vm', { unknown }));
    attempt(() => decodeAction(medium, body, ['vm', 'force'], { unknown }));
  }
  decodeFault(medium, body);
}

test.each([
  ['application/xml', `<vm><${'x'.repeat(1e6)}/></vm>`],
  ['application/xml', `<vm ${'x'.repeat(1e6)}=""/>`],
  ['application/xml', `<vm></${'x'.repeat(1e6)}>`],
  ['application/json', `{"${'x'.repeat(1e6)}":1}`],
  ['application/json', `{"x":1,"${'x'.repeat(1e6)}":1,"${'x'.repeat(1e6)}":1}`],
] as const)('limits the message about a long name: %s %.12s', (medium, body) => {
  attemptAll(medium, Buffer.from(body));
});

test('decodes or refuses random bytes', () => {
  fc.assert(fc.property(fc.constantFrom(...media), fc.uint8Array({ maxLength: 200 }), attemptAll), {
    numRuns: runs(500),
  });
});

test.each(media)('decodes or refuses a damaged body, %s', (medium) => {
  const vm = fullObject('vm', 1);
  const { ovirt } = dialects;
  const bodies = [
    encodeObject(medium, vm, 'vm', ovirt),
    encodeList(medium, [vm, {}, vm], 'vm', ovirt),
  ].map((body) => Buffer.from(body));
  const damage = fc.record({ at: fc.nat(), drop: fc.nat(8), put: fc.uint8Array({ maxLength: 4 }) });
  fc.assert(
    fc.property(fc.constantFrom(...bodies), fc.array(damage, { maxLength: 3 }), (body, all) => {
      let bytes: Uint8Array = body;
      for (const { at, drop, put } of all) {
        const offset = at % bytes.length;
        bytes = Buffer.concat([bytes.subarray(0, offset), put, bytes.subarray(offset + drop)]);
      }
      attemptAll(medium, bytes);
    }),
    { numRuns: runs(300) },
  );
});
