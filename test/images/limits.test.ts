// What no client may do to the others: too many connections, too much memory, too little haste.
import { mkdtemp, rm } from 'node:fs/promises';
import { get } from 'node:http';
import { type ConnectOpts, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LARGE_PIECE, PieceMemory, SMALL_PIECE } from '../../src/images/system/piece-memory.ts';
import { certificate } from './support/certificate.ts';
import { pattern, startHarness } from './support/harness.ts';
import { RawClient } from './support/raw-client.ts';

const HOST = 'Host: x\r\n';
const INFO = `GET /info/ HTTP/1.1\r\n${HOST}\r\n`;
/** More than the buffers of a local connection hold. */
const HUGE = 64 * LARGE_PIECE;

async function newPath(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'images-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return join(directory, 's');
}

async function client(
  options: ConnectOpts & { port: number; host?: string; localAddress?: string },
) {
  const socket: Socket = connect({ host: '127.0.0.1', ...options });
  onTestFinished(() => void socket.destroy());
  return new RawClient(socket);
}

/** Status of a request through a unix socket. */
function statusAt(socketPath: string, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    get({ socketPath, path, agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    }).on('error', reject);
  });
}

describe('connections from one address', () => {
  it('are counted by themselves; unix sockets have no address', async () => {
    const unixSocket = await newPath();
    const { daemon } = await startHarness({ unixSocket, maxPerAddress: 2 });
    const { port } = daemon;
    const served = [await client({ port }), await client({ port })];
    for (const one of served) await one.send(INFO).until(/version/);
    const third = (await client({ port })).send(INFO);
    expect(await third.closed).toMatch(/^HTTP\/1\.1 503 /);
    expect(third.received).not.toContain('version');
    await (await client({ port, localAddress: '127.0.0.2' })).send(INFO).until(/version/);
    for (let i = 0; i < 4; i++) expect(await statusAt(unixSocket, '/info/')).toBe(200);
    served[0]?.socket.destroy();
    await served[0]?.closed;
    // The daemon hears of it a little later.
    for (let isServed = false; !isServed; ) {
      const next = (await client({ port })).send(
        INFO.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'),
      );
      isServed = (await next.closed).includes('version');
    }
  });

  it('are 256 at most, unless told otherwise', async () => {
    const { daemon } = await startHarness({}, { memory: new PieceMemory(0, 512) });
    const { port } = daemon;
    const all = await Promise.all(Array.from({ length: 256 }, () => client({ port })));
    for (const one of all) await one.send(INFO).until(/version/);
    expect(await (await client({ port })).closed).toMatch(/^HTTP\/1\.1 503 /);
  });

  it('that come in floods are cut off, and the others served on', async () => {
    const { daemon } = await startHarness({ maxPerAddress: 1 });
    const { port } = daemon;
    const good = (await client({ port })).send(INFO);
    await good.until(/version/);
    const flood = await Promise.all(Array.from({ length: 200 }, () => client({ port })));
    // They never read nor leave; all are ended by the daemon.
    for (const one of flood) expect(await one.closed).not.toContain('version');
    await good.send(INFO).until(/version[\s\S]*version/);
  });
});

describe('connections in all', () => {
  it('are limited, those on the unix socket too; the control API is never locked out', async () => {
    const unixSocket = await newPath();
    const controlSocket = await newPath();
    const { daemon } = await startHarness({ unixSocket, controlSocket, maxConnections: 1 });
    await (await client({ port: daemon.port })).send(INFO).until(/version/);
    expect(await statusAt(unixSocket, '/info/')).toBe(503);
    expect(await statusAt(controlSocket, '/tickets/t')).toBe(404);
  });

  it('over TLS are cut off before the handshake', async () => {
    const { daemon } = await startHarness({ tls: certificate, maxConnections: 1 });
    const { port } = daemon;
    const silent = await client({ port });
    await new Promise((resolve) => silent.socket.once('connect', resolve));
    expect(await (await client({ port })).closed).toBe('');
  });
});

describe('a slow client', () => {
  // Times are short here; a client that says nothing is slower than any of them.
  it('with its first head is told so', async () => {
    const { connect: join } = await startHarness({}, { limits: { head: 100 } });
    const one = (await join()).send(`GET /info/ HTTP/1.1\r\n${HOST}X-Slow: `);
    expect(await one.closed).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('with a later head is told so after the answers before', async () => {
    const { connect: join } = await startHarness({}, { limits: { head: 100 } });
    const one = (await join()).send(`${INFO}GET /inf`);
    expect((await one.closed).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 408']);
  });

  it('that never says anything is cut', async () => {
    const { connect: join } = await startHarness({}, { limits: { unauthorised: 100 } });
    expect(await (await join()).closed).not.toContain('200');
  });

  it('that never finishes its handshake is cut', async () => {
    const { daemon } = await startHarness({ tls: certificate }, { limits: { handshake: 100 } });
    const one = await client({ port: daemon.port });
    one.send(Buffer.from([0x16, 0x03, 0x01]));
    expect(await one.closed).toBe('');
  });

  it('that asks without a ticket gains no time', async () => {
    const { connect: join } = await startHarness({}, { limits: { unauthorised: 100 } });
    const one = (await join()).send(INFO);
    await one.until(/version/);
    expect((await one.closed).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
  });
});

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
    // Every one of them holds a piece, at most one more from the few large ones.
    const { large, small } = memory.free;
    expect(small).toBeLessThanOrEqual(COUNT - (COUNT - 4));
    expect(large).toBeGreaterThanOrEqual(0);
    // What they hold was there before; without pieces it would be a gigabyte and more.
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
