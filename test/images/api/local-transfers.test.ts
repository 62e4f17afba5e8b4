/** Transfers over the socket on this computer. */
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LARGE_PIECE } from '../../../src/images/system/piece-memory.ts';
import { pattern, startHarness } from '../support/harness.ts';

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
