/** Documents are refused in linear time. */
import { expect, test } from 'vitest';
import { decodeObject, WireError } from '../../src/wire/index.ts';

const manyAttributes = Array.from({ length: 1_000_000 }, (_, i) => `a${i}=""`).join(' ');

test.each([
  ['nesting', (n: number) => '<a>'.repeat(n)],
  ['attributes', (n: number) => `<vm ${manyAttributes.slice(0, 10 * n)}/>`],
  ['one attribute', (n: number) => `<vm id="${'x'.repeat(10 * n)}"/>`],
])('%s: the time of a refusal is linear', (_, of) => {
  const time = (length: number) => {
    const body = Buffer.from(of(length));
    const began = process.cpuUsage().user;
    expect(() => decodeObject('application/xml', body, 'vm')).toThrow(WireError);
    return process.cpuUsage().user - began;
  };
  const best = (length: number) => Math.min(...Array.from({ length: 5 }, () => time(length)));
  // Four times the document takes four times as long; quadratic time would be 16 times.
  const short = best(100_000);
  expect(best(400_000)).toBeLessThan(8 * short + 20_000);
});
