// PATCH: zeroing, flushing, and validation of the document.
import { stat } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { sparseCalls } from '../../../src/images/system/sparse-calls.ts';
import { countingBackend } from '../support/backends.ts';
import { keepAliveAgent, pattern } from '../support/harness.ts';
import { onEachBackend } from '../support/on-backends.ts';

const SIZE = 64 * 1024;
const calls = await sparseCalls();

onEachBackend((startHarness) => {
  describe('zero', () => {
    it.each([
      [{ size: 100 }, 0, 100],
      [{ offset: 0, size: SIZE }, 0, SIZE],
      [{ offset: 4096, size: 4096, flush: true }, 4096, 8192],
      [{ offset: 33, size: 5000, unknown: 1 }, 33, 5033],
      [{ offset: SIZE, size: 0 }, SIZE, SIZE],
      [{ offset: 5, size: 0 }, 5, 5],
    ])('with %j zeroes only this range', async (fields, start, end) => {
      const { ask, daemon, image } = await startHarness();
      const file = await image({ content: pattern(SIZE) });
      const body = JSON.stringify({ op: 'zero', ...fields });
      const answer = await ask('PATCH', '/images/image', { body });
      expect([answer.status, answer.headers['content-length']]).toEqual([200, '0']);
      expect((await file()).equals(pattern(SIZE).fill(0, start, end))).toBe(true);
      expect((await daemon.state('image'))?.transferred).toBe(end - start);
    });

    it.each([
      ['{"op":"zero","size":65537}'],
      ['{"op":"zero","size":1,"offset":65536}'],
      ['{"op":"zero","size":1,"offset":1180591620717411303424}'],
      ['{"op":"zero","size":9007199254740993}'],
    ])('%s past the end is 416 with the size', async (body) => {
      const { ask, image } = await startHarness();
      const file = await image({ content: pattern(SIZE) });
      const answer = await ask('PATCH', '/images/image', { body, agent: keepAliveAgent() });
      expect([answer.status, answer.headers['content-range']]).toEqual([416, `bytes */${SIZE}`]);
      expect(answer.headers.connection).toBe('keep-alive');
      expect((await file()).equals(pattern(SIZE))).toBe(true);
    });

    it.each([
      ['{"op":"zero","size":10}', ['zero 0+10']],
      ['{"op":"zero","size":10,"flush":false}', ['zero 0+10']],
      ['{"op":"zero","size":10,"flush":true}', ['zero 0+10', 'flush']],
    ])('%s flushes only on request', async (body, expected) => {
      const { backend, log } = countingBackend();
      const { ask, image } = await startHarness({}, { openBackend: async () => backend });
      await image({ content: pattern(SIZE) });
      expect((await ask('PATCH', '/images/image', { body })).status).toBe(200);
      expect(log).toEqual(expected);
    });

    it('of a large range runs in steps, so that it can be stopped', async () => {
      const { backend, log } = countingBackend();
      const { ask, image } = await startHarness({}, { openBackend: async () => backend });
      await image({ content: Buffer.alloc(0), size: 2 ** 30 + 5 });
      const body = JSON.stringify({ op: 'zero', size: 2 ** 30 + 5 });
      expect((await ask('PATCH', '/images/image', { body })).status).toBe(200);
      expect(log).toEqual([
        'zero 0+268435456',
        'zero 268435456+268435456',
        'zero 536870912+268435456',
        'zero 805306368+268435456',
        'zero 1073741824+5',
      ]);
    });

    it.runIf(calls)('deallocates only for sparse tickets', async () => {
      const { ask, directory, image } = await startHarness();
      await image({ content: pattern(SIZE), id: 'sparse', sparse: true });
      await image({ content: pattern(SIZE), id: 'full', sparse: false });
      const body = JSON.stringify({ op: 'zero', size: SIZE });
      for (const id of ['sparse', 'full']) await ask('PATCH', `/images/${id}`, { body });
      expect((await stat(`${directory}/sparse`)).blocks).toBe(0);
      expect((await stat(`${directory}/full`)).blocks).toBeGreaterThanOrEqual(SIZE / 512);
    });
  });

  describe('flush', () => {
    it.each(['{"op":"flush"}', '{"op":"flush","offset":-1,"size":"x"}'])(
      '%s flushes, with any other members',
      async (body) => {
        const { backend, log } = countingBackend();
        const { ask, image } = await startHarness({}, { openBackend: async () => backend });
        await image({ content: pattern(SIZE) });
        expect((await ask('PATCH', '/images/image', { body })).status).toBe(200);
        expect(log).toEqual(['flush']);
      },
    );

    it('waits for the disk', async () => {
      const { backend } = countingBackend();
      let finish: () => void = () => {};
      const flushed = new Promise<void>((resolve) => {
        finish = resolve;
      });
      backend.flush = () => flushed;
      const { ask, daemon, image } = await startHarness({}, { openBackend: async () => backend });
      await image({ content: pattern(SIZE) });
      let answered = false;
      const answer = ask('PATCH', '/images/image', { body: '{"op":"flush"}' }).finally(() => {
        answered = true;
      });
      while (!(await daemon.state('image'))?.active) await new Promise(setImmediate);
      await ask('OPTIONS', '/images/image');
      expect(answered).toBe(false);
      finish();
      expect((await answer).status).toBe(200);
    });
  });

  describe('an invalid document', () => {
    it.each([
      '',
      '{',
      'null',
      '[]',
      '"flush"',
      '[{"op":"flush"}]',
      '[1.5]',
      '{"op":"flush","op":"flush"}',
      '{"op":"zero","size":1,"s\\u0069ze":2}',
      '{"op":"flush","note":"\\u0000"}',
      '{"op":"flush"}{"op":"flush"}',
      '{"op":"flush",}',
      '{}',
      '{"op":"trim"}',
      '{"op":"FLUSH"}',
      '{"op":1}',
      '{"op":["zero"],"size":1}',
      '{"op":"zero"}',
      '{"op":"zero","size":-1}',
      '{"op":"zero","size":"1"}',
      '{"op":"zero","size":1.5}',
      '{"op":"zero","size":8.0}',
      '{"op":"zero","size":1e1}',
      '{"op":"zero","size":10.000000000000000001}',
      '{"op":"zero","size":true}',
      '{"op":"zero","size":null}',
      '{"op":"zero","size":1e400}',
      '{"op":"zero","size":1,"offset":-1}',
      '{"op":"zero","size":1,"offset":null}',
      '{"op":"zero","size":1,"offset":"0"}',
      '{"op":"zero","size":1,"flush":1}',
      '{"op":"zero","size":1,"flush":"true"}',
      '{"op":"zero","size":1,"flush":null}',
      '{"__proto__":{"op":"flush"}}',
    ])('%s is 400, and the connection remains open', async (body) => {
      const { ask, image } = await startHarness();
      const file = await image({ content: pattern(SIZE) });
      const agent = keepAliveAgent();
      const answer = await ask('PATCH', '/images/image', { body, agent });
      expect([answer.status, answer.headers.connection]).toEqual([400, 'keep-alive']);
      expect(answer.text).toMatch(/^[A-Z][^\n]*\.\n$/);
      expect((await file()).equals(pattern(SIZE))).toBe(true);
    });

    it('with a size beyond 2^53 is 416', async () => {
      const { ask, image } = await startHarness();
      await image({ content: pattern(SIZE) });
      const body = '{"op":"zero","size":1152921504606846976}';
      expect((await ask('PATCH', '/images/image', { body })).status).toBe(416);
    });

    it('lists the valid operations', async () => {
      const { ask, image } = await startHarness();
      await image({ content: pattern(SIZE) });
      const answer = await ask('PATCH', '/images/image', { body: '{"op":"trim"}' });
      expect(answer.text).toMatch(/zero.*flush/);
    });

    it.each([
      ['with its length', {}],
      ['in chunks', { 'Transfer-Encoding': 'chunked' }],
    ])('of more than 64 KiB is 413 %s', async (_name, headers) => {
      const { ask, image } = await startHarness();
      await image({ content: pattern(SIZE) });
      const body = `{"op":"flush"}${' '.repeat(64 * 1024)}`;
      const answer = await ask('PATCH', '/images/image', {
        body,
        headers,
        agent: keepAliveAgent(),
      });
      expect([answer.status, answer.headers.connection]).toEqual([413, 'close']);
    });

    it.each([undefined, 'text/plain', 'application/x-www-form-urlencoded'])(
      'has the same effect with another content type: %s',
      async (type) => {
        const { ask, image } = await startHarness();
        await image({ content: pattern(SIZE) });
        const headers = type ? { 'Content-Type': type } : {};
        const answer = await ask('PATCH', '/images/image', { headers, body: '{"op":"flush"}' });
        expect(answer.status).toBe(200);
      },
    );
  });
});
