// Any sequence of requests has the same result as for a plain buffer.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { PieceMemory } from '../../src/images/system/piece-memory.ts';
import { type Answer, type Ask, keepAliveAgent, pattern } from './support/harness.ts';
import { onEachBackend } from './support/on-backends.ts';

const SIZE = 200_000;

interface Step {
  kind: 'put' | 'chunked' | 'zero' | 'get';
  start: number;
  length: number;
  seed: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('put', 'chunked', 'zero', 'get'),
  start: fc.oneof(fc.nat(SIZE), fc.constantFrom(0, 4095, 4096, SIZE - 1, SIZE)),
  length: fc.oneof(fc.nat(5000), fc.nat(150_000), fc.constantFrom(0, 1, 65_536)),
  seed: fc.nat(50),
});

type Send = (method: string, ask: Ask) => Promise<Answer>;

/** Sends one request and applies it to the model. Returns the actual and the expected status. */
async function run(send: Send, model: Buffer, { kind, start, length, seed }: Step) {
  const end = start + length;
  const fits = end <= SIZE;
  if (kind === 'get') {
    const headers = { Range: `bytes=${start}-${Math.max(start, end - 1)}` };
    const answer = await send('GET', { headers });
    const expected = start < SIZE && Math.max(start + 1, end) <= SIZE ? 206 : 416;
    if (expected === 206) {
      const part = model.subarray(start, Math.max(start + 1, end));
      expect(answer.body.equals(part)).toBe(true);
    }
    return [answer.status, expected];
  }
  if (kind === 'zero') {
    const body = JSON.stringify({ op: 'zero', offset: start, size: length });
    const answer = await send('PATCH', { body });
    if (fits) model.fill(0, start, end);
    return [answer.status, fits ? 200 : 416];
  }
  const bytes = pattern(length, seed);
  const headers = {
    'Content-Range': `bytes ${start}-*/*`,
    // The content after a chunked body that is too long is unspecified.
    ...(kind === 'chunked' && fits
      ? { 'Transfer-Encoding': 'chunked' }
      : { 'Content-Length': length }),
  };
  const answer = await send('PUT', { headers, body: bytes });
  if (fits) bytes.copy(model, start);
  return [answer.status, fits ? 200 : 416];
}

onEachBackend((startHarness) => {
  it('agrees with a buffer', async () => {
    const harness = await startHarness({}, { memory: new PieceMemory(1, 4) });
    const agent = keepAliveAgent();
    let images = 0;
    await fc.assert(
      fc.asyncProperty(fc.boolean(), fc.array(step, { maxLength: 6 }), async (sparse, steps) => {
        const id = `image-${images++}`;
        const model = Buffer.alloc(SIZE);
        const half = pattern(SIZE / 2, 99);
        half.copy(model);
        const file = await harness.image({ id, content: half, size: SIZE, sparse });
        const send: Send = (method, ask) => harness.ask(method, `/images/${id}`, { ...ask, agent });
        for (const one of steps) {
          const [status, expected] = await run(send, model, one);
          expect(status).toBe(expected);
        }
        const answer = await harness.ask('GET', `/images/${id}`);
        const length = Math.min(SIZE, (await file()).length);
        expect((await file()).equals(model.subarray(0, length))).toBe(true);
        expect(answer.body.equals(model)).toBe(true);
      }),
      { numRuns: 40 },
    );
  });
});
