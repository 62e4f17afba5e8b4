// NBD client with servers that violate the protocol, or use rare parts of it.
import type { Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { NbdClient } from '../../../src/images/nbd/client.ts';
import { FakeClock } from '../support/fake-clock.ts';
import {
  type Asked,
  chunk,
  greeting,
  optionReply,
  type Script,
  simpleReply,
  startFakeServer,
  u16,
  u32,
  u64,
} from '../support/fake-nbd-server.ts';
import { pattern } from '../support/harness.ts';

const SIZE = 2 ** 20;

async function use(script: Script): Promise<NbdClient> {
  const path = await startFakeServer({ size: SIZE, ...script });
  const options = { exportName: '', contexts: ['base:allocation'] };
  const client = await NbdClient.open({ address: { path }, ...options });
  onTestFinished(() => client.close());
  return client;
}

const data = (offset: number, bytes: Buffer) => Buffer.concat([u64(offset), bytes]);

describe('a reply to a read', () => {
  const content = pattern(10_000);
  type Reply = (socket: Socket, asked: Asked) => void;

  it.each<[string, Reply]>([
    ['in one chunk', (socket, { cookie }) => socket.write(chunk(cookie, 1, data(100, content)))],
    ['as a simple reply', (socket, { cookie }) => socket.write(simpleReply(cookie, 0, content))],
    [
      'in parts, in any order, with a separate end',
      (socket, { cookie }) => {
        socket.write(chunk(cookie, 1, data(5100, content.subarray(5000)), false));
        socket.write(chunk(cookie, 1, data(100, content.subarray(0, 3000)), false));
        socket.write(chunk(cookie, 1, data(3100, content.subarray(3000, 5000)), false));
        socket.write(chunk(cookie, 0, Buffer.alloc(0)));
      },
    ],
    [
      'byte by byte',
      (socket, { cookie }) => {
        for (const byte of chunk(cookie, 1, data(100, content))) socket.write(Buffer.of(byte));
      },
    ],
  ])('%s is decoded', async (_name, reply) => {
    const client = await use({ reply });
    const buffer = Buffer.alloc(content.length);
    await client.read(100, buffer);
    expect(buffer.equals(content)).toBe(true);
  });

  it('with a hole has zeros there, for any content of the buffer', async () => {
    const client = await use({
      reply: (socket, { cookie }) => {
        socket.write(chunk(cookie, 2, Buffer.concat([u64(0), u32(60)]), false));
        socket.write(chunk(cookie, 1, data(60, content.subarray(0, 40))));
      },
    });
    const buffer = Buffer.alloc(100, 0xff);
    await client.read(0, buffer);
    expect(buffer.equals(Buffer.concat([Buffer.alloc(60), content.subarray(0, 40)]))).toBe(true);
  });

  it('is matched to its request, in any order', async () => {
    const waiting: Asked[] = [];
    const client = await use({
      reply: (socket, asked) => {
        waiting.push(asked);
        if (waiting.length < 50) return;
        for (const { cookie, offset, length } of waiting.reverse()) {
          socket.write(chunk(cookie, 1, data(offset, pattern(length, offset))));
        }
      },
    });
    const buffers = Array.from({ length: 50 }, (_, i) => Buffer.alloc(100 + i * 77));
    await Promise.all(buffers.map((buffer, i) => client.read(i, buffer)));
    for (const [i, buffer] of buffers.entries()) {
      expect(buffer.equals(pattern(buffer.length, i))).toBe(true);
    }
  });

  it('with errors reports the first one with its text, and the connection remains open', async () => {
    let turn = 0;
    const client = await use({
      reply: (socket, { cookie }) => {
        turn += 1;
        if (turn > 1) {
          socket.write(chunk(cookie, 1, data(0, content.subarray(0, 100))));
          return;
        }
        const text = Buffer.from('bad sector');
        const error = Buffer.concat([u32(5), u16(text.length), text]);
        socket.write(chunk(cookie, (1 << 15) + 2, Buffer.concat([error, u64(50)]), false));
        socket.write(chunk(cookie, (1 << 15) + 1, Buffer.concat([u32(28), u16(0)]), false));
        socket.write(chunk(cookie, 0, Buffer.alloc(0)));
      },
    });
    const failed = client.read(0, Buffer.alloc(100));
    await expect(failed).rejects.toMatchObject({ code: 'EIO', message: /bad sector/ });
    await client.read(0, Buffer.alloc(100));
  });
});

describe('a reply with an error', () => {
  it.each([
    [1, 'EPERM'],
    [5, 'EIO'],
    [12, 'ENOMEM'],
    [22, 'EINVAL'],
    [28, 'ENOSPC'],
    [75, 'EOVERFLOW'],
    [95, 'ENOTSUP'],
    [108, 'ESHUTDOWN'],
    [12_345, 'EIO'],
  ])('%i is %s', async (number, code) => {
    const client = await use({
      reply: (socket, { cookie }) => socket.write(simpleReply(cookie, number)),
    });
    await expect(client.write(0, pattern(10))).rejects.toMatchObject({ code });
    expect(client.alive).toBe(true);
  });
});

describe('a server that violates the protocol', () => {
  const bytes = pattern(100);
  const cases: [string, (asked: Asked) => Buffer][] = [
    ['an unknown cookie', ({ cookie }) => simpleReply(cookie + 1n, 0, bytes)],
    ['a cookie of 64 bits', ({ cookie }) => simpleReply(cookie + (1n << 32n), 0, bytes)],
    ['another magic number', () => Buffer.alloc(64, 0x55)],
    ['more data than requested', ({ cookie }) => chunk(cookie, 1, data(0, pattern(101)))],
    ['data before the range', ({ cookie }) => chunk(cookie, 1, data(0, pattern(50)), false)],
    ['data after the range', ({ cookie }) => chunk(cookie, 1, data(60, pattern(90)))],
    ['less data than requested', ({ cookie }) => chunk(cookie, 1, data(10, pattern(99)))],
    ['no data', ({ cookie }) => chunk(cookie, 0, Buffer.alloc(0))],
    ['data of length 0', ({ cookie }) => chunk(cookie, 1, u64(10))],
    [
      'a hole that is too large',
      ({ cookie }) => chunk(cookie, 2, Buffer.concat([u64(10), u32(101)])),
    ],
    ['a truncated hole', ({ cookie }) => chunk(cookie, 2, u64(10))],
    ['an unsafe offset', ({ cookie }) => chunk(cookie, 1, data(2 ** 60, bytes))],
    ['blocks instead of data', ({ cookie }) => chunk(cookie, 5, Buffer.concat([u32(7), u64(1)]))],
    ['an unknown chunk', ({ cookie }) => chunk(cookie, 99, Buffer.alloc(0))],
    ['a truncated error', ({ cookie }) => chunk(cookie, 1 << 15, Buffer.alloc(2))],
    [
      'an error longer than its chunk',
      ({ cookie }) => chunk(cookie, 1 << 15, Buffer.concat([u32(5), u16(9)])),
    ],
    [
      'duplicate data',
      ({ cookie }) =>
        Buffer.concat([
          chunk(cookie, 1, data(10, pattern(60)), false),
          chunk(cookie, 1, data(60, pattern(50))),
        ]),
    ],
    [
      'a chunk of 4 GiB',
      ({ cookie }) => {
        const head = chunk(cookie, 5, Buffer.alloc(0));
        head.writeUInt32BE(0xffff_ffff, 16);
        return head;
      },
    ],
    [
      'a second reply',
      ({ cookie }) => Buffer.concat([simpleReply(cookie, 5), simpleReply(cookie, 5), bytes]),
    ],
  ];

  it.each(cases)('with %s is disconnected, and all requests fail', async (name, answer) => {
    const client = await use({ reply: (socket, asked) => socket.write(answer(asked)) });
    const one = client.read(10, Buffer.alloc(100));
    await expect(one).rejects.toMatchObject({ code: name.includes('second') ? 'EIO' : 'EPROTO' });
    await expect(client.read(10, Buffer.alloc(100))).rejects.toMatchObject({ code: 'EPROTO' });
    expect(client.alive).toBe(false);
  });

  it('by disconnecting fails all pending requests', async () => {
    let asked = 0;
    const client = await use({
      reply: (socket, { cookie }) => {
        asked += 1;
        if (asked < 3) return;
        socket.end(chunk(cookie, 1, data(0, pattern(1000))).subarray(0, 500));
      },
    });
    const all = [
      client.read(0, Buffer.alloc(1000)),
      client.write(0, pattern(100_000)),
      client.read(0, Buffer.alloc(1000)),
    ];
    for (const one of all) await expect(one).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  it.each([
    ['runs of zero length', (cookie: bigint) => chunk(cookie, 5, Buffer.concat([u32(7), u64(0)]))],
    ['no runs', (cookie: bigint) => chunk(cookie, 0, Buffer.alloc(0))],
    ['an error', (cookie: bigint) => simpleReply(cookie, 22)],
  ])('with %s of blocks ends the list', async (_name, answer) => {
    const { blockStatus } = await import('../../../src/images/nbd/block-status.ts');
    const client = await use({ reply: (socket, { cookie }) => socket.write(answer(cookie)) });
    const walk = async () => {
      for await (const run of blockStatus(client, ['base:allocation'], SIZE)) expect(run).toBe(0);
    };
    await expect(walk()).rejects.toMatchObject({ code: /EPROTO|EINVAL/ });
  });
});

describe('an export that supports several connections', () => {
  const MULTIPLE = 1 << 8;
  const answer = (socket: Socket, { cookie, offset, length }: Asked) => {
    socket.write(chunk(cookie, 1, data(offset, pattern(length, offset))));
  };

  /** Reads repeatedly, with several pending requests, until `isEnough`. */
  async function readUntil(client: NbdClient, isEnough: () => boolean): Promise<void> {
    while (!isEnough()) {
      const buffers = Array.from({ length: 8 }, () => Buffer.alloc(100));
      await Promise.all(buffers.map((buffer, i) => client.read(i, buffer)));
      for (const [i, buffer] of buffers.entries()) {
        expect(buffer.equals(pattern(100, i))).toBe(true);
      }
    }
  }

  it('uses more connections under load, but not many', async () => {
    const used = new Set<Socket>();
    let connections = 0;
    const client = await use({
      flags: MULTIPLE,
      size: () => {
        connections += 1;
        return SIZE;
      },
      reply: (socket, asked) => {
        used.add(socket);
        answer(socket, asked);
      },
    });
    expect(connections).toBe(1);
    await readUntil(client, () => used.size === 4);
    await readUntil(client, () => true);
    expect(connections).toBe(4);
  });

  it('uses one connection if it does not declare support', async () => {
    let connections = 0;
    const client = await use({
      size: () => {
        connections += 1;
        return SIZE;
      },
      reply: answer,
    });
    let turns = 0;
    await readUntil(client, () => ++turns > 20);
    expect(connections).toBe(1);
  });

  it('uses only the first connection if a second one reaches another export', async () => {
    const used = new Set<Socket>();
    let connections = 0;
    const client = await use({
      flags: MULTIPLE,
      size: (index) => {
        connections += 1;
        return SIZE + index;
      },
      reply: (socket, asked) => {
        used.add(socket);
        answer(socket, asked);
      },
    });
    await readUntil(client, () => connections === 2);
    let turns = 0;
    await readUntil(client, () => ++turns > 20);
    expect([connections, used.size, client.alive]).toEqual([2, 1, true]);
  });

  it('is lost with any connection', async () => {
    const used = new Set<Socket>();
    const client = await use({
      flags: MULTIPLE,
      reply: (socket, asked) => {
        used.add(socket);
        answer(socket, asked);
      },
    });
    await readUntil(client, () => used.size > 1);
    [...used][1]?.destroy();
    while (client.alive) await new Promise(setImmediate);
    await expect(client.read(0, Buffer.alloc(10))).rejects.toThrow();
  });
});

describe('a handshake', () => {
  const open = async (handshake: Script['handshake'], clock?: FakeClock) => {
    const path = await startFakeServer(handshake ? { handshake } : {});
    return NbdClient.open({
      address: { path },
      exportName: 'x',
      contexts: ['base:allocation', 'qemu:dirty-bitmap:'],
      ...(clock ? { clock } : {}),
    });
  };

  it.each<[string, Buffer]>([
    ['of another protocol', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')],
    [
      'with the old handshake',
      Buffer.concat([Buffer.from('NBDMAGIC'), u64(0x420281861253n), u64(9)]),
    ],
    ['with the first newstyle handshake', Buffer.concat([greeting.subarray(0, 16), u16(0)])],
    ['with an unknown reply', Buffer.concat([greeting, Buffer.alloc(20, 1)])],
    ['with a reply to another option', Buffer.concat([greeting, optionReply(7, 1)])],
    [
      'with a reply that is too long',
      Buffer.concat([greeting, optionReply(8, 1).subarray(0, 16), u32(2 ** 31)]),
    ],
  ])('%s is refused', async (_name, said) => {
    const opening = open(async (socket) => void socket.write(said));
    await expect(opening).rejects.toMatchObject({ code: 'EPROTO' });
  });

  it('that is truncated is reported', async () => {
    const opening = open(async (socket) => void socket.end(greeting.subarray(0, 9)));
    await expect(opening).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  it('times out', async () => {
    const clock = new FakeClock();
    let connected: () => void = () => {};
    const isConnected = new Promise<void>((resolve) => {
      connected = resolve;
    });
    const opening = open(async () => connected(), clock);
    await isConnected;
    clock.advance(10);
    await expect(opening).rejects.toMatchObject({ code: 'ETIMEDOUT' });
  });

  /** Refuses or ignores structured replies, then answers GO. */
  const go = (replies: readonly Buffer[]) => async (socket: Socket) => {
    const parts = [greeting, optionReply(8, 2 ** 31 + 1), ...replies];
    socket.write(Buffer.concat(parts));
  };
  const info = (size: number | bigint) =>
    optionReply(7, 3, Buffer.concat([u16(0), u64(size), u16(1)]));
  const limits = (minimum: number, maximum: number) =>
    optionReply(7, 3, Buffer.concat([u16(3), u32(minimum), u32(4096), u32(maximum)]));

  it('without structured replies continues without contexts', async () => {
    const client = await open(go([info(4096), limits(512, 0xffff_ffff), optionReply(7, 1)]));
    expect(client.info).toEqual({
      size: 4096,
      flags: 1,
      minimumBlock: 512,
      maximumPayload: 32 * 2 ** 20,
      structured: false,
      contexts: new Map(),
    });
    await client.close();
  });

  it.each<[string, Buffer[], string]>([
    ['an unknown export', [optionReply(7, 2 ** 31 + 6)], 'ENOENT'],
    ['required TLS', [optionReply(7, 2 ** 31 + 5)], 'EACCES'],
    ['a server without GO', [optionReply(7, 2 ** 31 + 1)], 'ENOTSUP'],
    ['no size', [optionReply(7, 1)], 'EPROTO'],
    ['an unsafe size', [info(2n ** 63n), optionReply(7, 1)], 'EPROTO'],
    ['blocks of size 0', [info(9), limits(0, 4096), optionReply(7, 1)], 'EPROTO'],
    ['blocks of odd size', [info(9), limits(513, 4096), optionReply(7, 1)], 'EPROTO'],
    ['requests smaller than blocks', [info(9), limits(4096, 512), optionReply(7, 1)], 'EPROTO'],
  ])('with %s is refused', async (_name, replies, code) => {
    await expect(open(go(replies))).rejects.toMatchObject({ code });
  });

  it('with a very long list of contexts takes the first match', async () => {
    const names = Array.from({ length: 2000 }, (_, i) => `qemu:dirty-bitmap:bitmap-${i}`);
    const listed = names.map((name) =>
      optionReply(9, 4, Buffer.concat([u32(0), Buffer.from(name)])),
    );
    const resolved = optionReply(10, 4, Buffer.concat([u32(3), Buffer.from(names[0] ?? '')]));
    const client = await open(async (socket) => {
      const end = [optionReply(9, 1), resolved, optionReply(10, 1), info(4096), optionReply(7, 1)];
      socket.write(Buffer.concat([greeting, optionReply(8, 1), ...listed, ...end]));
    });
    expect([...client.info.contexts]).toEqual([['qemu:dirty-bitmap:bitmap-0', 3]]);
    await client.close();
  });

  it('with an endless list of contexts is refused', async () => {
    const one = optionReply(9, 4, Buffer.concat([u32(0), Buffer.from('qemu:dirty-bitmap:x')]));
    const opening = open(async (socket) => {
      socket.write(Buffer.concat([greeting, optionReply(8, 1), ...Array(10_001).fill(one)]));
    });
    await expect(opening).rejects.toMatchObject({ code: 'EPROTO' });
  });
});
