// Limits that protect clients from each other: connections and time. For memory see memory.test.ts.
import { mkdtemp, rm } from 'node:fs/promises';
import { get } from 'node:http';
import { type ConnectOpts, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as secure } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { PieceMemory } from '../../src/images/system/piece-memory.ts';
import { certificate } from './support/certificate.ts';
import { startHarness } from './support/harness.ts';
import { RawClient } from './support/raw-client.ts';

const HOST = 'Host: x\r\n';
const INFO = `GET /info/ HTTP/1.1\r\n${HOST}\r\n`;

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
  it('are counted by address; unix sockets have none', async () => {
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
    // The daemon notices the closed connection later.
    for (let isServed = false; !isServed; ) {
      const next = (await client({ port })).send(
        INFO.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'),
      );
      isServed = (await next.closed).includes('version');
    }
  });

  it('are limited to 256 by default', async () => {
    const { daemon } = await startHarness({}, { memory: new PieceMemory(0, 512) });
    const { port } = daemon;
    const all = await Promise.all(Array.from({ length: 256 }, () => client({ port })));
    for (const one of all) await one.send(INFO).until(/version/);
    expect(await (await client({ port })).closed).toMatch(/^HTTP\/1\.1 503 /);
  });

  it.each(['plain', 'TLS'])('are closed for new addresses at the limit (%s)', async (kind) => {
    const isSecure = kind === 'TLS';
    const memory = new PieceMemory(0, 12);
    const { daemon } = await startHarness(isSecure ? { tls: certificate } : {}, { memory });
    const { port } = daemon;
    const open = async (localAddress: string) => {
      const raw: Socket = connect({ host: '127.0.0.1', port, localAddress });
      const socket = isSecure ? secure({ socket: raw, rejectUnauthorized: false }) : raw;
      onTestFinished(() => void socket.destroy());
      return new RawClient(socket);
    };
    const held: RawClient[] = [];
    for (let index = 0; index < 12; index++) {
      const one = (await open(`127.0.0.${2 + (index % 2)}`)).send(INFO);
      await one.until(/version/);
      held.push(one);
    }
    // The first connection is no longer the longest idle one.
    await held[0]?.send(INFO).until(/version[\s\S]*version/);
    await (await open('127.0.0.9')).send(INFO).until(/version/);
    const ended = await Promise.race(held.map(async (one, index) => one.closed.then(() => index)));
    expect(ended).toBe(2);
    for (const one of held.filter((_, index) => index !== ended)) {
      expect(one.socket.destroyed).toBe(false);
    }
  });

  it('in a flood are closed, and other clients are served', async () => {
    const { daemon } = await startHarness({ maxPerAddress: 1 });
    const { port } = daemon;
    const good = (await client({ port })).send(INFO);
    await good.until(/version/);
    const flood = await Promise.all(Array.from({ length: 200 }, () => client({ port })));
    // The clients never read or leave. The daemon closes all of them.
    for (const one of flood) expect(await one.closed).not.toContain('version');
    await good.send(INFO).until(/version[\s\S]*version/);
  });
});

describe('connections in total', () => {
  it('are limited, also on the unix socket; the control API remains available', async () => {
    const unixSocket = await newPath();
    const controlSocket = await newPath();
    const { daemon } = await startHarness({ unixSocket, controlSocket, maxConnections: 1 });
    await (await client({ port: daemon.port })).send(INFO).until(/version/);
    expect(await statusAt(unixSocket, '/info/')).toBe(503);
    expect(await statusAt(controlSocket, '/tickets/t')).toBe(404);
  });

  it('over TLS are closed before the handshake', async () => {
    const { daemon } = await startHarness({ tls: certificate, maxConnections: 1 });
    const { port } = daemon;
    const silent = await client({ port });
    await new Promise((resolve) => silent.socket.once('connect', resolve));
    expect(await (await client({ port })).closed).toBe('');
  });
});

describe('a slow client', () => {
  // Timeouts are short here. A silent client exceeds all of them.
  it('in its first head receives an error', async () => {
    const { connect: join } = await startHarness({}, { limits: { head: 100 } });
    const one = (await join()).send(`GET /info/ HTTP/1.1\r\n${HOST}X-Slow: `);
    expect(await one.closed).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('in a later head receives an error after the earlier responses', async () => {
    const { connect: join } = await startHarness({}, { limits: { head: 100 } });
    const one = (await join()).send(`${INFO}GET /inf`);
    expect((await one.closed).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 408']);
  });

  it('that never sends data is disconnected', async () => {
    const { connect: join } = await startHarness({}, { limits: { unauthorised: 100 } });
    expect(await (await join()).closed).not.toContain('200');
  });

  it('that never finishes its handshake is disconnected', async () => {
    const { daemon } = await startHarness({ tls: certificate }, { limits: { handshake: 100 } });
    const one = await client({ port: daemon.port });
    one.send(Buffer.from([0x16, 0x03, 0x01]));
    expect(await one.closed).toBe('');
  });

  it('without a ticket gains no time by requests', async () => {
    const { connect: join } = await startHarness({}, { limits: { unauthorised: 100 } });
    const one = (await join()).send(INFO);
    await one.until(/version/);
    expect((await one.closed).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
  });
});
