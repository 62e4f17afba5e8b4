/** Single requests to an image daemon: retries, and errors. */
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { InterruptedError } from '../../src/client/errors.ts';
import { Http } from '../../src/client/http.ts';
import { BLOCK } from '../../src/transfer/blocks.ts';
import { checksumQuery } from '../../src/transfer/checksum.ts';
import { type DaemonOptions, MAX_RENEWALS } from '../../src/transfer/daemon-requests.ts';
import { DURABLE, RemoteImage } from '../../src/transfer/remote-image.ts';
import { FakeDaemon } from './support/fake-daemon.ts';

let daemon: FakeDaemon;
let http: Http;
let stop: AbortController;
let losses: number;

beforeEach(async () => {
  daemon = await FakeDaemon.start(BLOCK);
  http = new Http({ trust: {} });
  stop = new AbortController();
  losses = 0;
});

afterEach(async () => {
  await http.close();
  await daemon.close();
});

function image(
  options: Partial<Pick<DaemonOptions, 'retries' | 'onTicketRefused' | 'onDaemonFailing'>> = {},
): RemoteImage {
  return new RemoteImage(daemon.getUrl(), {
    http,
    signal: stop.signal,
    retries: 3,
    onConnectionLost: () => {
      losses += 1;
    },
    ...options,
  });
}

describe('capabilities', () => {
  it('are those that the daemon reports', async () => {
    expect(await image().capabilities()).toEqual({
      features: new Set(['extents', 'zero', 'flush', 'checksum']),
      maxReaders: 8,
      maxWriters: 8,
    });
  });

  it.each([405, 204])('of an old daemon, which answers %i, are empty', async (status) => {
    daemon.optionsStatus = status;
    const { features, maxWriters } = await image().capabilities();
    expect([features.size, maxWriters]).toEqual([0, 1]);
  });
});

describe('capabilities of an invalid response', () => {
  it.each<[string, object]>([
    ['nothing', {}],
    ['no list and no numbers', { features: 'zero', max_readers: '8', max_writers: null }],
    ['no connections', { max_readers: 0, max_writers: -1 }],
    ['half a connection', { max_readers: 1.5, max_writers: 0.5, unix_socket: 7 }],
  ])('are the minimum: %s', async (_, answer) => {
    const text = JSON.stringify(answer);
    const other = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => {
        socket.end(`HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\n\r\n${text}`);
      });
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const address = other.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const url = `http://127.0.0.1:${port}/images/x`;
    const remote = new RemoteImage(url, { http, signal: stop.signal, retries: 0 });
    expect(await remote.capabilities()).toEqual({
      features: new Set(),
      maxReaders: 1,
      maxWriters: 1,
    });
    other.close();
  });

  it.each([403, 500])('are refused with %i', async (status) => {
    daemon.optionsStatus = status;
    await expect(image({ retries: 0 }).capabilities()).rejects.toMatchObject({ status });
  });

  it('are requested at most three times', async () => {
    daemon.fault = () => ({});
    await expect(image({ retries: 9 }).capabilities()).rejects.toMatchObject({
      code: 'connection_lost',
    });
    expect(daemon.asked).toHaveLength(3);
  });
});

describe('bytes', () => {
  it('are written, read, and zeroed', async () => {
    const bytes = randomBytes(1_000_000);
    const remote = image();
    await remote.put(5, bytes, { flush: false });
    const back = Buffer.alloc(bytes.length);
    await remote.read({ start: 5, end: 5 + bytes.length }, back);
    expect(back.equals(bytes)).toBe(true);
    expect(daemon.stable.equals(daemon.current)).toBe(false);
    await remote.zero({ start: 10, end: 20 });
    await remote.flush();
    expect(daemon.stable.subarray(10, 20).equals(Buffer.alloc(10))).toBe(true);
    expect(daemon.stable.equals(daemon.current)).toBe(true);
    expect(await remote.extents()).toEqual({ size: BLOCK, data: [{ start: 0, end: 1_048_576 }] });
    expect(await remote.size()).toBe(BLOCK);
  });

  it('are refused from another range than requested', async () => {
    const liar = await FakeDaemon.start(BLOCK);
    try {
      liar.current = Buffer.alloc(0);
      const remote = new RemoteImage(liar.getUrl(), { http, signal: stop.signal, retries: 1 });
      await expect(remote.read({ start: 0, end: 10 }, Buffer.alloc(10))).rejects.toMatchObject({
        code: 'connection_lost',
      });
    } finally {
      await liar.close();
    }
    const other = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => {
        const head = 'HTTP/1.1 206 OK\r\ncontent-range: bytes 1-10/*\r\ncontent-length: 10';
        socket.write(`${head}\r\n\r\n0123456789`);
      });
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const address = other.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const remote = new RemoteImage(`http://127.0.0.1:${port}/images/x`, {
      http,
      signal: stop.signal,
      retries: 1,
    });
    await expect(remote.read({ start: 0, end: 10 }, Buffer.alloc(10))).rejects.toMatchObject({
      code: 'bad_answer',
    });
    other.close();
  });
});

describe('a checksum', () => {
  const query = checksumQuery('sha256');

  it('is requested with its parameters', async () => {
    expect(await image().checksum(query)).toMatch(/^[0-9a-f]{64}$/);
  });

  it.each([400, 404, 405])('that is refused with %i is undefined', async (status) => {
    daemon.fault = ({ what }) => (what === 'checksum' ? { status } : undefined);
    expect(await image().checksum(query)).toBeUndefined();
  });

  it.each([
    ['a list', '["blake2b","xxh128"]', ['blake2b', 'xxh128']],
    ['a list in an object', '{"algorithms":["md5"]}', ['md5']],
    ['another object', '{"names":["md5"]}', []],
    ['a page', '<html>', []],
    ['nothing', 'null', []],
  ])('has the algorithms that the daemon lists in %s', async (_, text, names) => {
    daemon.algorithms = text;
    expect([...(await image().algorithms())]).toEqual(names);
  });

  it.each([400, 403, 404, 500])('has no algorithms if the response is %i', async (status) => {
    daemon.fault = ({ what }) => (what === 'checksum/algorithms' ? { status } : undefined);
    expect((await image({ retries: 0 }).algorithms()).size).toBe(0);
  });
});

describe('failures', () => {
  it.each([
    ['cut connections', undefined],
    ['answers of 408', 408],
    ['answers of 500', 500],
    ['answers of 503', 503],
  ])('that are temporary are retried: %s', async (_, status) => {
    daemon.fault = (__, count) => (count <= 2 ? (status ? { status } : {}) : undefined);
    const remote = image();
    // After a lost connection, writes are flushed.
    expect(await remote.put(0, Buffer.from('x'), { flush: false })).toBe(status ? 0 : DURABLE);
    expect(daemon.asked).toHaveLength(3);
    expect(losses).toBe(status ? 0 : 2);
  });

  it('are reported after the last retry', async () => {
    daemon.fault = () => ({});
    await expect(image({ retries: 1 }).flush()).rejects.toMatchObject({
      code: 'connection_lost',
      retryable: true,
      message: expect.stringMatching(/^flush the disk: cannot connect to 127\.0\.0\.1:\d+: /),
    });
    expect(daemon.asked).toHaveLength(2);
  });

  it.each([
    [400, 'daemon_refused'],
    [404, 'daemon_refused'],
    [416, 'daemon_refused'],
    [403, 'ticket_refused'],
    [507, 'no_space_on_server'],
  ])('of the request itself are not retried: %i', async (status, code) => {
    daemon.fault = () => ({ status });
    const remote = image();
    await expect(remote.put(0, Buffer.from('x'), { flush: false })).rejects.toMatchObject({
      code,
      status,
    });
    await expect(remote.read({ start: 0, end: 1 }, Buffer.alloc(1))).rejects.toMatchObject({
      code,
    });
    expect(daemon.asked).toHaveLength(2);
  });

  it('do not contain the ticket, which is secret', async () => {
    daemon.fault = () => ({});
    const error = await image({ retries: 0 })
      .flush()
      .catch((reason: unknown) => reason);
    expect(JSON.stringify(error)).not.toContain('images/ticket');
    expect(String(error)).not.toContain('images/ticket');
  });

  it('of the ticket are retried after its renewal', async () => {
    daemon.tickets.delete('ticket');
    const remote = image({
      onTicketRefused: async () => {
        daemon.tickets.add('again');
        remote.moveTo(daemon.getUrl('again'));
      },
    });
    await remote.put(0, Buffer.from('x'), { flush: true });
    expect(daemon.stable.toString('utf8', 0, 1)).toBe('x');
    // One loss because of the ticket, and one because of the old address.
    expect(losses).toBe(2);
  });

  it('of an image that always moves are reported in the end', async () => {
    daemon.fault = () => ({});
    let moves = 0;
    const remote = image({
      retries: 0,
      onDaemonFailing: async () => {
        moves += 1;
        remote.moveTo(daemon.getUrl(`place-${moves}`));
      },
    });
    await expect(remote.flush()).rejects.toMatchObject({ code: 'connection_lost' });
    expect([moves, daemon.asked.length]).toEqual([MAX_RENEWALS + 1, MAX_RENEWALS + 1]);
  });

  it('of an image that has not moved use all retries', async () => {
    daemon.fault = () => ({});
    let looks = 0;
    const remote = image({
      retries: 2,
      onDaemonFailing: async () => {
        looks += 1;
      },
    });
    await expect(remote.flush()).rejects.toMatchObject({ code: 'connection_lost' });
    expect([looks, daemon.asked.length]).toEqual([2, 3]);
  });

  it('end immediately when the transfer is stopped', async () => {
    daemon.fault = () => ({});
    const waiting = image({ retries: 20 }).flush();
    const reason = new InterruptedError('SIGINT');
    setTimeout(() => stop.abort(reason), 50);
    await expect(waiting).rejects.toBe(reason);
    await expect(image().read({ start: 0, end: 1 }, Buffer.alloc(1))).rejects.toBe(reason);
  });
});
