/** Image daemon: boundary cases of ranges, and guessed tickets (E11, E12, F3, E3). */
import { request as httpsRequest } from 'node:https';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { tlsSettings } from '../../src/http-listener/tls-settings.ts';
import { type Harness, keepAliveAgent, pattern, startHarness } from '../images/support/harness.ts';
import { type ServerProcess, startServerProcess } from '../support/server.ts';
import { chooseCount, isFullRun, recordResult } from './support/catalogue.ts';
import { computeYuenT } from './support/statistics.ts';

// The full catalogue needs more time.
if (isFullRun) vi.setConfig({ testTimeout: 20 * 60_000 });

const size = 10_000;
const content = pattern(size);

describe('E12 - the range of a GET', () => {
  /** Meaning of a range: its byte offsets, or a refusal. */
  const ranges: readonly (readonly [string, [number, number] | 416])[] = [
    ['bytes=0-0', [0, 1]],
    ['bytes=0-9999', [0, size]],
    ['bytes=9999-9999', [9_999, size]],
    ['bytes=5000-', [5_000, size]],
    ['bytes=0-', [0, size]],
    ['bytes=000-007', [0, 8]],
    ['bytes=10000-', 416],
    ['bytes=10000-10000', 416],
    ['bytes=0-10000', 416],
    ['bytes=9999-10000', 416],
    ['bytes=2-1', 416],
    ['bytes=-1', 416],
    ['bytes=-0', 416],
    ['bytes=-10000', 416],
    ['bytes=-', 416],
    ['bytes=', 416],
    ['bytes=0-1,3-4', 416],
    ['bytes=0-0,0-0', 416],
    ['bytes= 0-1', 416],
    ['bytes=0 -1', 416],
    ['bytes=0-1x', 416],
    ['bytes=1.5-3', 416],
    ['bytes=1e1-20', 416],
    ['bytes=0x1-2', 416],
    ['bytes=+1-2', 416],
    ['Bytes=0-1', 416],
    ['lines=0-1', 416],
    ['0-1', 416],
    [`bytes=0-${2 ** 31}`, 416],
    [`bytes=${2 ** 53}-`, 416],
    ['bytes=9007199254740993-9007199254740994', 416],
    ['bytes=9223372036854775807-9223372036854775807', 416],
    ['bytes=9223372036854775808-', 416],
    ['bytes=18446744073709551616-18446744073709551617', 416],
    [`bytes=0-${'9'.repeat(400)}`, 416],
  ];

  it('E12 - returns the exact bytes, or 416 with the size', async () => {
    const { ask, image } = await startHarness();
    await image({ content });
    for (const [range, meant] of ranges) {
      const answer = await ask('GET', '/images/image', { headers: { Range: range } });
      if (meant === 416) {
        expect([range, answer.status]).toEqual([range, 416]);
        expect(answer.body.length).toBeLessThan(200);
      } else {
        const [start, end] = meant;
        expect([range, answer.status]).toEqual([range, 206]);
        expect(answer.headers['content-range']).toBe(`bytes ${start}-${end - 1}/*`);
        expect(answer.body.equals(content.subarray(start, end)), range).toBe(true);
      }
    }
    recordResult('E12', `${ranges.length} ranges of GET: exact bytes or 416`);
  });
});

describe('E12 - the range of a PUT', () => {
  const refused = [
    ['bytes 0-4/*', '123'],
    ['bytes 0-1/*', '123'],
    ['bytes 2-0/*', '123'],
    ['bytes 9998-10000/*', '123'],
    ['bytes 10000-10002/*', '123'],
    ['bytes 0-2/2', '123'],
    ['bytes 0-2', '123'],
    ['bytes=0-2/*', '123'],
    ['bytes -1-1/*', '123'],
    ['bytes 1.0-3/*', '123'],
    ['bytes 0-2/*, bytes 3-5/*', '123'],
    ['bytes */10000', '123'],
    ['bytes 9007199254740993-9007199254740995/*', '123'],
    ['bytes 9223372036854775807-9223372036854775809/*', '123'],
    ['bytes 18446744073709551616-18446744073709551618/*', '123'],
  ] as const;

  it('E12 - that is invalid is refused without a change of the image', async () => {
    const { ask, image } = await startHarness();
    const read = await image({ content });
    for (const [range, body] of refused) {
      const headers = { 'Content-Range': range };
      const { status } = await ask('PUT', '/images/image', { headers, body });
      expect([400, 416], range).toContain(status);
      expect((await read()).equals(content), range).toBe(true);
    }
    recordResult('E12', `${refused.length} invalid ranges of PUT: 400 or 416, 0 bytes changed`);
  });

  it('E12 control - that is valid changes exactly its bytes', async () => {
    const { ask, image } = await startHarness();
    const read = await image({ content });
    const expected = Buffer.from(content);
    for (const [at, range] of [
      [0, 'bytes 0-2/*'],
      [9_997, 'bytes 9997-9999/10000'],
      [77, 'bytes 77-*/*'],
    ] as const) {
      const headers = { 'Content-Range': range };
      expect((await ask('PUT', '/images/image', { headers, body: 'abc' })).status).toBe(200);
      expected.write('abc', at);
      expect((await read()).equals(expected), range).toBe(true);
    }
  });
});

describe('E11 - sizes in JSON', () => {
  const zero = (harness: Harness, offset: string, length: string) =>
    harness.ask('PATCH', '/images/image', {
      headers: { 'Content-Type': 'application/json' },
      body: `{"op":"zero","offset":${offset},"size":${length}}`,
    });

  it('E11 - that are fractions or exceed the image are refused, and nothing is zeroed', async () => {
    const harness = await startHarness();
    const read = await harness.image({ content });
    const bad = ['-1', '1.5', '1.0', '1e2', '10001', '9007199254740993', '9223372036854775808'];
    for (const number of [...bad, '1e400', '"1"', 'true', 'null', '[]', '0.9999999999999999999']) {
      expect([400, 416], number).toContain((await zero(harness, '0', number)).status);
      expect([400, 416], number).toContain((await zero(harness, number, '10000')).status);
      expect((await read()).equals(content), number).toBe(true);
    }
    expect((await zero(harness, '1', '9998')).status).toBe(200);
    const after = await read();
    expect([after[0], after[1], after[9_998], after[9_999]]).toEqual([
      content[0],
      0,
      0,
      content[9_999],
    ]);
  });
});

describe('F3 - a ticket', () => {
  it('F3 - that is missing, expired, removed or read-only is refused with the same message', async () => {
    const { ask, clock, daemon, image } = await startHarness();
    await image({ id: 'expired', content, timeout: 1 });
    await image({ id: 'removed', content });
    await image({ id: 'reading', content, ops: ['read'] });
    clock.advance(2);
    await daemon.remove('removed');
    const answers = await Promise.all(
      ['absent', 'expired', 'removed', 'reading'].map((id) =>
        ask('PUT', `/images/${id}`, { body: 'x', agent: keepAliveAgent() }),
      ),
    );
    for (const { status, text, headers } of answers) {
      expect([status, text, headers.connection]).toEqual([403, answers[0]?.text, 'close']);
    }
  });

  it('F3 - that is guessed is refused as slowly as an expired one', async () => {
    const { ask, clock, image } = await startHarness();
    await image({ id: 'expired', content, timeout: 1 });
    clock.advance(2);
    const time = async (id: string) => {
      const began = performance.now();
      expect((await ask('GET', `/images/${id}`)).status).toBe(403);
      return performance.now() - began;
    };
    // Warm up both cases: the first runs are slower.
    for (let turn = 0; turn < 100; turn++) await time(turn % 2 ? 'guessed' : 'expired');
    const absent: number[] = [];
    const expired: number[] = [];
    for (let turn = 0; turn < chooseCount(10_000, 400); turn++) {
      // Random order, so that periodic disturbances affect both cases equally.
      const first = Math.random() < 0.5;
      if (first) absent.push(await time('guessed'));
      expired.push(await time('expired'));
      if (!first) absent.push(await time('guessed'));
    }
    expect(Math.abs(computeYuenT(absent, expired))).toBeLessThan(4.5);
    const t = Math.abs(computeYuenT(absent, expired)).toFixed(2);
    recordResult(
      'F3',
      `absent, expired, removed, wrong operation: the same 403; timing |t| = ${t} over ${absent.length} pairs`,
    );
  });
});

describe('the servers of API and images', () => {
  let server: ServerProcess;
  beforeAll(async () => {
    server = await startServerProcess(['--dialect', 'ovirt', '--inventory', 'empty']);
  });
  afterAll(async () => {
    await server.stop();
  });

  it('F3 - offer only authenticated encryption (AEAD) suites for TLS 1.2', async () => {
    const handshake = (url: string, ciphers: string) =>
      new Promise<string>((resolve) => {
        const { hostname, port } = new URL(url);
        const socket = connect(
          {
            ...{ host: hostname, port: Number(port), ca: server.ca, ciphers },
            maxVersion: 'TLSv1.2',
          },
          () => {
            resolve(socket.getCipher().name);
            socket.destroy();
          },
        );
        socket.once('error', () => resolve('refused'));
      });
    for (const url of [server.ready.base_url, server.ready.upload_url]) {
      expect(await handshake(url, 'ECDHE-ECDSA-AES128-GCM-SHA256')).toBe(
        'ECDHE-ECDSA-AES128-GCM-SHA256',
      );
      for (const old of ['ECDHE-ECDSA-AES128-SHA', 'ECDHE-ECDSA-AES256-SHA384', 'AES128-SHA256']) {
        expect(await handshake(url, old), old).toBe('refused');
      }
    }
    for (const suite of tlsSettings.ciphers.split(':')) expect(suite).toMatch(/GCM|POLY1305/);
  });

  it('list the algorithms of the deployed product in the dialect ovirt', async () => {
    const { origin } = new URL(server.ready.upload_url);
    const text = await new Promise<string>((resolve, reject) => {
      httpsRequest(`${origin}/images/x/checksum/algorithms`, { ca: server.ca }, (response) => {
        let all = '';
        response.on('data', (piece) => {
          all += piece;
        });
        response.on('end', () => resolve(all));
      })
        .once('error', reject)
        .end();
    });
    expect(JSON.parse(text)).toEqual({ algorithms: expect.arrayContaining(['blake2b']) });
  });
});
