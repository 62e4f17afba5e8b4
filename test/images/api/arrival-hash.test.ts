// Blocks that are hashed on arrival are not read again for the checksum, unless they change.
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Backend } from '../../../src/images/backends/backend.ts';
import type { Ticket } from '../../../src/images/tickets/types.ts';
import { BLOCK } from '../../../src/images/tickets/written-digests.ts';
import { type Harness, pattern, startHarness } from '../support/harness.ts';
import { onEachBackend } from '../support/on-backends.ts';

/** Two blocks and a short one. */
const SIZE = 2 * BLOCK + 5000;
const BLOCKS = [0, 1, 2] as const;

/** Expected value of `GET /checksum`. */
function computeChecksum(content: Buffer): string {
  const outer = createHash('sha256');
  for (let at = 0; at < content.length; at += BLOCK) {
    outer.update(
      createHash('sha256')
        .update(content.subarray(at, at + BLOCK))
        .digest(),
    );
  }
  return outer.digest('hex');
}

function createClient({ ask }: Pick<Harness, 'ask'>, id = 'image', algorithm = 'sha256') {
  return {
    put: async (start: number, body: Buffer) => {
      const headers = { 'Content-Range': `bytes ${start}-*/*`, 'Checksum-Algorithm': algorithm };
      return (await ask('PUT', `/images/${id}?flush=n`, { headers, body })).status;
    },
    zero: async (offset: number, size: number) => {
      const body = JSON.stringify({ op: 'zero', offset, size });
      return (await ask('PATCH', `/images/${id}`, { body })).status;
    },
    checksum: async (query = 'algorithm=sha256') => {
      const answer = await ask('GET', `/images/${id}/checksum?${query}`);
      return String(JSON.parse(answer.text).checksum);
    },
  };
}

/** Image in memory that counts reads, and fails writes on request. */
function memoryBackend() {
  const content = Buffer.alloc(SIZE);
  const seen = { read: 0, failing: false };
  const backend: Backend = {
    read: async (offset, buffer) => {
      seen.read += buffer.length;
      content.copy(buffer, 0, offset);
    },
    write: async (offset, bytes) => {
      if (seen.failing) throw Object.assign(new Error('EIO'), { code: 'EIO' });
      content.set(bytes, offset);
    },
    zero: async (offset, length) => void content.fill(0, offset, offset + length),
    flush: async () => {},
    async *extents() {
      yield { start: 0, length: SIZE, zero: false, hole: false };
    },
    close: async () => {},
  };
  return { backend, content, seen };
}

async function inMemory(ticket: Partial<Ticket> = {}) {
  const memory = memoryBackend();
  const harness = await startHarness({}, { openBackend: async () => memory.backend });
  await harness.image({ content: Buffer.alloc(0), size: SIZE, ...ticket });
  return { ...memory, harness, ...createClient(harness) };
}

const image = pattern(SIZE);
const getBlock = (block: number, of = image) => of.subarray(block * BLOCK, (block + 1) * BLOCK);

it('reads no blocks that arrived completely, in any order and in one body', async () => {
  const { put, checksum, content, seen } = await inMemory();
  const answers = await Promise.all(
    [...BLOCKS].reverse().map((at) => put(at * BLOCK, getBlock(at))),
  );
  expect(answers).toEqual([200, 200, 200]);
  expect(await checksum()).toBe(computeChecksum(image));
  const other = pattern(SIZE, 2);
  await put(0, other);
  expect(await checksum()).toBe(computeChecksum(other));
  expect([content.equals(other), seen.read]).toEqual([true, 0]);
});

it('reads only blocks that arrived in parts', async () => {
  const { put, checksum, seen } = await inMemory();
  await put(0, getBlock(0));
  await put(BLOCK, image.subarray(BLOCK, BLOCK + 1000));
  await put(BLOCK + 1000, image.subarray(BLOCK + 1000, 2 * BLOCK));
  await put(2 * BLOCK, getBlock(2));
  expect(await checksum()).toBe(computeChecksum(image));
  expect(seen.read).toBe(BLOCK);
});

it.each([
  ['another algorithm', 'algorithm=sha1'],
  ['other blocks', 'algorithm=sha256&block_size=1048576'],
])('reads all blocks for a checksum by %s', async (_, query) => {
  const { put, checksum, seen } = await inMemory();
  await put(0, image);
  await checksum(query);
  expect(seen.read).toBe(SIZE);
});

it('reads all blocks without a known algorithm', async () => {
  const { harness, checksum, seen } = await inMemory();
  await harness.ask('PUT', '/images/image', { body: image });
  expect(await createClient(harness, 'image', 'crc7').put(0, getBlock(0))).toBe(200);
  expect(await checksum()).toBe(computeChecksum(image));
  expect(seen.read).toBe(SIZE);
});

it.each<[string, (client: ReturnType<typeof createClient>) => Promise<number>, number]>([
  ['a partial write', ({ put }) => put(10, Buffer.from('changed')), 0],
  ['a partial zero', ({ zero }) => zero(BLOCK + 1, 1), 1],
])('reads a block again after %s', async (_, change, block) => {
  const { put, zero, checksum, content, seen } = await inMemory();
  await put(0, image);
  expect(await change({ put, zero, checksum })).toBe(200);
  expect(content.equals(image)).toBe(false);
  expect(await checksum()).toBe(computeChecksum(content));
  expect(seen.read).toBe(getBlock(block).length);
});

it('reads blocks that another ticket for the image changed', async () => {
  const place = { image: { kind: 'file', path: '/image' } } as const;
  const { harness, put, checksum, content } = await inMemory(place);
  await put(0, image);
  await harness.image({ ...place, id: 'other', content: Buffer.alloc(0), size: SIZE });
  await createClient(harness, 'other').put(5, Buffer.from('changed'));
  expect(content.equals(image)).toBe(false);
  expect(await checksum()).toBe(computeChecksum(content));
});

it('reads blocks with failed or truncated writes', async () => {
  const { harness, put, checksum, content, seen } = await inMemory();
  seen.failing = true;
  expect(await put(0, getBlock(0))).toBe(500);
  seen.failing = false;
  const client = await harness.connect();
  client.send(`PUT /images/image HTTP/1.1\r\nHost: x\r\nContent-Length: ${BLOCK}\r\n`);
  client.send(`Content-Range: bytes ${BLOCK}-*/*\r\nChecksum-Algorithm: sha256\r\n\r\n`);
  client.send(image.subarray(BLOCK, BLOCK + 2 ** 20));
  client.socket.end();
  await client.closed;
  expect(await checksum()).toBe(computeChecksum(content));
  expect(seen.read).toBe(SIZE);
});

interface Step {
  readonly kind: 'put' | 'zero';
  readonly start: number;
  readonly length: number;
  readonly seed: number;
}

const blockStart = fc.constantFrom(...BLOCKS.map((block) => block * BLOCK));
const step: fc.Arbitrary<Step> = fc
  .record({
    kind: fc.constantFrom('put' as const, 'put' as const, 'zero' as const),
    start: fc.oneof(blockStart, blockStart, fc.nat(SIZE - 1)),
    length: fc.oneof(fc.constantFrom(BLOCK, BLOCK, 2 * BLOCK, SIZE), fc.nat(BLOCK)),
    seed: fc.nat(50),
  })
  .map((drawn) => ({ ...drawn, length: Math.min(drawn.length, SIZE - drawn.start) }));

onEachBackend((start) => {
  it('returns the checksum of the stored image, also during writes', async () => {
    const harness = await start();
    let images = 0;
    const turns = fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(turns, async (drawn) => {
        const id = `image-${images++}`;
        const file = await harness.image({ id, content: Buffer.alloc(10), size: SIZE });
        const { put, zero, checksum } = createClient(harness, id);
        for (const together of drawn) {
          await Promise.all(
            together.map((one) =>
              one.kind === 'put'
                ? put(one.start, pattern(one.length, one.seed))
                : zero(one.start, one.length),
            ),
          );
        }
        const stored = await file();
        const padded = Buffer.concat([stored, Buffer.alloc(SIZE - stored.length)]);
        expect(await checksum()).toBe(computeChecksum(padded));
        await harness.daemon.remove(id);
      }),
      { numRuns: 12 },
    );
  });
});
