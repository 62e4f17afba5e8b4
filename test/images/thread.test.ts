// Daemon in a separate thread, built from the source for this test.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { prepareThread, startImageDaemon, type Ticket } from '../../src/images/index.ts';

let directory = '';
let program: URL;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'images-'));
  const outfile = join(directory, 'images-worker.js');
  const bundle = await rolldown({
    input: fileURLToPath(new URL('../../src/images/worker.ts', import.meta.url)),
    platform: 'node',
    external: ['koffi'],
  });
  await bundle.write({ file: outfile, format: 'esm' });
  await bundle.close();
  await writeFile(join(directory, 'package.json'), '{"type":"module"}');
  program = pathToFileURL(outfile);
});

afterAll(() => rm(directory, { recursive: true }));

const options = { host: '127.0.0.1', port: 0 };

function ticket(id: string): Ticket {
  const image = { kind: 'file', path: join(directory, id) } as const;
  return { id, size: 5, ops: ['read'], image, timeout: 60, inactivityTimeout: 60, sparse: true };
}

describe('startImageDaemon', () => {
  it('serves from a thread, and supports every call', async () => {
    const daemon = await startImageDaemon(options, program);
    await writeFile(join(directory, 'image'), 'hello');
    await daemon.add(ticket('image'));
    await expect(daemon.add(ticket('image'))).rejects.toThrow(
      'a ticket with this id already exists',
    );
    expect(daemon.url).toBe(`http://127.0.0.1:${daemon.port}`);
    const answer = await fetch(`${daemon.url}/images/image`);
    expect(await answer.text()).toBe('hello');
    expect(await daemon.state('image')).toMatchObject({ id: 'image', transferred: 5 });
    await daemon.extend('image', 0);
    expect(await daemon.state('image')).toMatchObject({ expired: true });
    await expect(daemon.extend('other', 1)).rejects.toThrow('ticket not found');
    await daemon.remove('image');
    expect(await daemon.state('image')).toBeUndefined();
    await daemon.close();
    await daemon.close();
    await expect(fetch(`${daemon.url}/info/`)).rejects.toThrow();
    await expect(daemon.state('image')).rejects.toThrow('has stopped');
  });

  it('runs in the calling thread on request', async () => {
    const daemon = await startImageDaemon({ ...options, inThread: false });
    await daemon.add(ticket('image'));
    expect((await fetch(`${daemon.url}/info/`)).status).toBe(200);
    await daemon.close();
  });

  it('rejects if the address is in use', async () => {
    const daemon = await startImageDaemon(options, program);
    const again = startImageDaemon({ ...options, port: daemon.port }, program);
    await expect(again).rejects.toThrow('EADDRINUSE');
    await daemon.close();
  });

  it('ends a thread that waits for its options, or could not start', async () => {
    const waiting = prepareThread(program);
    await waiting.close();
    await expect(waiting.start(options)).rejects.toThrow('has stopped');
    const daemon = await startImageDaemon(options, program);
    const refused = prepareThread(program);
    const taken = refused.start({ ...options, port: daemon.port });
    await expect(taken).rejects.toThrow('EADDRINUSE');
    await refused.close();
    await daemon.close();
  });

  it('rejects calls with the reason if the thread fails', async () => {
    const broken = join(directory, 'broken.mjs');
    await writeFile(
      broken,
      `import { parentPort } from 'node:worker_threads';
       parentPort.postMessage({ kind: 'started', url: 'http://x', port: 1 });
       // What comes first are its options.
       parentPort.once('message', () => {
         parentPort.on('message', () => { throw new Error('out of luck'); });
       });`,
    );
    const daemon = await startImageDaemon(options, pathToFileURL(broken));
    const message = 'the image daemon thread has stopped: out of luck';
    const calls = [daemon.state('a'), daemon.remove('b')];
    for (const call of calls) await expect(call).rejects.toThrow(message);
    await expect(daemon.add(ticket('c'))).rejects.toThrow(message);
    await daemon.close();
  });
});
