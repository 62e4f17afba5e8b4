// Limits that protect clients from each other: memory, measured in a separate process.
import { describe, expect, it } from 'vitest';
import { LARGE_PIECE, PieceMemory, SMALL_PIECE } from '../../src/images/system/piece-memory.ts';
import { pattern, startHarness } from './support/harness.ts';
import type { RawClient } from './support/raw-client.ts';

const HOST = 'Host: x\r\n';
/** More than the buffers of a local connection. */
const HUGE = 64 * LARGE_PIECE;

describe('memory', () => {
  const COUNT = 100;

  it('does not grow with stalled downloads', async () => {
    const memory = new PieceMemory(4, COUNT);
    const harness = await startHarness({}, { memory });
    const { connect: join, daemon, image } = harness;
    await image({ content: Buffer.alloc(0), size: HUGE, ops: ['read'] });
    const before = process.memoryUsage().arrayBuffers;
    const clients: RawClient[] = [];
    for (let i = 0; i < COUNT; i++) {
      const one = await join();
      one.send(`GET /images/image HTTP/1.1\r\n${HOST}\r\n`);
      await one.until(/200 OK/);
      one.socket.pause();
      clients.push(one);
    }
    // Each connection has one small piece, and some have a large one instead.
    const { large, small } = memory.free;
    expect(small).toBeLessThanOrEqual(COUNT - (COUNT - 4));
    expect(large).toBeGreaterThanOrEqual(0);
    // The pieces were allocated before. Without pieces, this would take more than a gigabyte.
    const grown = process.memoryUsage().arrayBuffers - before;
    expect(grown).toBeLessThan(COUNT * SMALL_PIECE * 8);
    expect((await daemon.state('image'))?.connections).toBe(COUNT);
    for (const one of clients) one.socket.destroy();
    while ((await daemon.state('image'))?.active) await new Promise(setImmediate);
    expect(memory.free).toEqual({ large: 4, small: COUNT });
  });

  it('does not grow with stalled uploads', async () => {
    const memory = new PieceMemory(4, COUNT);
    const { connect: join, daemon, image } = await startHarness({}, { memory });
    const part = 2 * SMALL_PIECE;
    await image({ content: Buffer.alloc(0), size: COUNT * part, ops: ['write'] });
    const clients: RawClient[] = [];
    for (let i = 0; i < COUNT; i++) {
      const one = await join();
      one.send(
        `PUT /images/image?flush=n HTTP/1.1\r\n${HOST}Content-Length: ${part}\r\n` +
          `Content-Range: bytes ${i * part}-${(i + 1) * part - 1}/*\r\n\r\n`,
      );
      one.send(pattern(part - 1, i));
      clients.push(one);
    }
    while ((await daemon.state('image'))?.connections !== COUNT) await new Promise(setImmediate);
    expect(memory.free.large).toBeGreaterThanOrEqual(0);
    for (const one of clients) one.send('!');
    for (const one of clients) await one.until(/200 OK/);
    expect((await daemon.state('image'))?.transferred).toBe(COUNT * part);
    expect(memory.free).toEqual({ large: 4, small: COUNT });
  });
});
