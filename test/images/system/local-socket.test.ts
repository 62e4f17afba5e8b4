// Transfers over the unix socket, and how they avoid waiting to be woken.
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SpinningReader } from '../../../src/images/system/local-socket.ts';
import { LARGE_PIECE } from '../../../src/images/system/piece-memory.ts';
import { pattern, startHarness } from '../support/harness.ts';

const turn = () => new Promise(setImmediate);

describe('EagerReading', () => {
  /** Counts how often it looks at the clock, that is, how many turns it takes. */
  function setUp() {
    let time = 0;
    let looks = 0;
    const eager = new SpinningReader(() => {
      looks += 1;
      return time;
    });
    return {
      eager,
      looks: () => looks,
      pass: () => {
        time += 1;
      },
    };
  }

  it('keeps turning until its patience ends', async () => {
    const { eager, looks, pass } = setUp();
    eager.expectMore();
    for (let i = 0; i < 10; i++) await turn();
    const before = looks();
    expect(before).toBeGreaterThan(5);
    pass();
    for (let i = 0; i < 10; i++) await turn();
    expect(looks()).toBe(before + 1);
  });

  it('tries more and more seldom where it is in vain', async () => {
    const { eager, looks, pass } = setUp();
    const attempts: number[] = [];
    for (let chunk = 0; chunk < 40; chunk++) {
      const before = looks();
      eager.expectMore();
      if (looks() > before) attempts.push(chunk);
      pass();
      await turn();
      await turn();
    }
    expect(attempts).toEqual([0, 2, 5, 10, 19, 36]);
  });

  it('goes on trying where it helps', async () => {
    const { eager, looks, pass } = setUp();
    for (let chunk = 0; chunk < 10; chunk++) {
      const before = looks();
      eager.expectMore();
      expect(looks()).toBeGreaterThan(before);
    }
    pass();
    await turn();
  });
});

describe('a unix socket', () => {
  it('carries long bodies both ways', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'images-'));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    const socketPath = join(directory, 's');
    const { image } = await startHarness({ unixSocket: socketPath });
    await image({ content: Buffer.alloc(0), size: 5 * LARGE_PIECE });
    const content = pattern(5 * LARGE_PIECE);
    const ask = (method: string, body?: Buffer) =>
      new Promise<Buffer>((resolve, reject) => {
        const options = { socketPath, path: '/images/image', method, agent: false };
        const outgoing = request(options, (answer) => {
          const chunks: Buffer[] = [];
          answer.on('data', (chunk: Buffer) => chunks.push(chunk));
          answer.on('end', () => resolve(Buffer.concat(chunks)));
        });
        outgoing.on('error', reject);
        outgoing.end(body);
      });
    expect((await ask('PUT', content)).length).toBe(0);
    expect((await ask('GET')).equals(content)).toBe(true);
  });
});
