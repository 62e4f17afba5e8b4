// Connections: order, idle limits, and closing.
import { once } from 'node:events';
import { mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { connect as connectPlain, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runDaemon } from '../../../src/images/daemon.ts';
import { LARGE_PIECE, PieceMemory } from '../../../src/images/system/piece-memory.ts';
import { countingBackend } from '../support/backends.ts';
import { certificate } from '../support/certificate.ts';
import { pattern } from '../support/harness.ts';
import { onEachBackend } from '../support/on-backends.ts';
import { RawClient } from '../support/raw-client.ts';

const HOST = 'Host: x\r\n';
/** More than the buffers of a local connection. */
const HUGE = 64 * LARGE_PIECE;

onEachBackend((startHarness) => {
  /** Path for a socket. */
  async function place(): Promise<string> {
    const directory = await mkdtemp(join(tmpdir(), 'images-'));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    return join(directory, 's');
  }

  /** Whether a server accepts connections at the path of a socket. */
  function answers(path: string): Promise<boolean> {
    return new Promise((resolve) => {
      const probe = connectPlain(path, () => {
        probe.destroy();
        resolve(true);
      });
      probe.once('error', () => resolve(false));
    });
  }

  describe('pipelining', () => {
    it('answers in order, also with long responses and bodies', async () => {
      const { connect, image } = await startHarness();
      await image({ content: pattern(2 * LARGE_PIECE) });
      const client = await connect();
      client.send(
        `GET /images/image HTTP/1.1\r\n${HOST}\r\n` +
          `PUT /images/image HTTP/1.1\r\n${HOST}Content-Length: 5\r\n\r\nhello` +
          `GET /images/image HTTP/1.1\r\n${HOST}Range: bytes=0-4\r\nConnection: close\r\n\r\n`,
      );
      const received = await client.closed;
      const answers = received.match(/HTTP\/1\.1 \d+ [A-Z]/g);
      expect(answers).toEqual(['HTTP/1.1 200 O', 'HTTP/1.1 200 O', 'HTTP/1.1 206 P']);
      expect(received.endsWith('\r\n\r\nhello')).toBe(true);
      expect(received.length).toBeGreaterThan(2 * LARGE_PIECE);
    });

    it('survives thousands of concurrent requests', async () => {
      const { connect, image } = await startHarness();
      await image({ content: pattern(100) });
      const client = await connect();
      const count = 5000;
      client.send(`GET /images/image HTTP/1.1\r\n${HOST}Range: bytes=0-0\r\n\r\n`.repeat(count));
      client.send(`GET /info/ HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`);
      const received = await client.closed;
      expect(received.match(/HTTP\/1\.1 206/g)?.length).toBe(count);
      expect(received).toContain('"version"');
    });

    it('does not serve requests after one that closes the connection', async () => {
      const { connect, image } = await startHarness();
      const file = await image({ content: pattern(100) });
      const client = await connect();
      client.send(
        `GET /images/absent HTTP/1.1\r\n${HOST}\r\n` +
          `PUT /images/image HTTP/1.1\r\n${HOST}Content-Length: 5\r\n\r\nhello`,
      );
      expect((await client.closed).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 403']);
      expect((await file()).equals(pattern(100))).toBe(true);
    });
  });

  describe('a silent client', () => {
    it('in the middle of its body receives an error and is disconnected; the received bytes remain', async () => {
      const { connect, daemon, image } = await startHarness();
      const file = await image({ content: pattern(100), inactivityTimeout: 0.05 });
      const client = await connect();
      client.send(`PUT /images/image HTTP/1.1\r\n${HOST}Content-Length: 50\r\n\r\nhello`);
      expect(await client.closed).toMatch(
        /^HTTP\/1\.1 408 .*\r\n(?:.*\r\n)*Connection: close\r\n/i,
      );
      await daemon.remove('image');
      expect((await file()).subarray(0, 5).toString()).toBe('hello');
    });

    it('that does not read its response is disconnected', async () => {
      const { connect, daemon, image, memory } = await startHarness();
      await image({ content: Buffer.alloc(0), size: HUGE, inactivityTimeout: 0.05 });
      const client = await connect();
      client.socket.pause();
      client.send(`GET /images/image HTTP/1.1\r\n${HOST}\r\n`);
      const transferred = async () => (await daemon.state('image'))?.transferred ?? 0;
      while ((await transferred()) === 0 || (await daemon.state('image'))?.active) {
        await new Promise(setImmediate);
      }
      expect(await transferred()).toBeLessThan(HUGE);
      expect(memory.free).toEqual({ large: 4, small: 16 });
    });

    it('that is idle between requests is disconnected', async () => {
      const { connect, image } = await startHarness();
      await image({ content: Buffer.from('content'), inactivityTimeout: 0.05 });
      const client = await connect();
      client.send(`GET /images/image HTTP/1.1\r\n${HOST}\r\n`);
      expect(await client.closed).toMatch(/content$/);
    });

    it('is not disconnected while the disk works', async () => {
      const { backend } = countingBackend();
      backend.flush = () => new Promise((resolve) => setTimeout(resolve, 200));
      const { ask, image } = await startHarness({}, { openBackend: async () => backend });
      await image({ content: pattern(100), inactivityTimeout: 0.05 });
      expect((await ask('PUT', '/images/image', { body: 'x' })).status).toBe(200);
    });
  });

  describe('removing a ticket', () => {
    it('stops a running download and waits for it', async () => {
      const { connect, daemon, image, memory } = await startHarness();
      await image({ content: Buffer.alloc(0), size: HUGE });
      const client = await connect();
      client.socket.pause();
      client.send(`GET /images/image HTTP/1.1\r\n${HOST}\r\n`);
      while (!(await daemon.state('image'))?.transferred) await new Promise(setImmediate);
      await daemon.remove('image');
      expect(await daemon.state('image')).toBeUndefined();
      expect(memory.free).toEqual({ large: 4, small: 16 });
      client.socket.resume();
      expect((await client.closed).length).toBeLessThan(HUGE);
    });

    it('fails while a disk hangs, and succeeds later', async () => {
      const { backend } = countingBackend();
      let finish: () => void = () => {};
      backend.flush = () =>
        new Promise((resolve) => {
          finish = resolve;
        });
      const { ask, clock, daemon, image } = await startHarness(
        {},
        { openBackend: async () => backend },
      );
      await image({ content: pattern(10) });
      const answer = ask('PUT', '/images/image', { body: 'x' });
      while (!(await daemon.state('image'))?.transferred) await new Promise(setImmediate);
      const removal = daemon.remove('image', 1000);
      clock.advance(1);
      await expect(removal).rejects.toThrow('still run');
      expect((await ask('GET', '/images/image')).status).toBe(403);
      while (!(await daemon.state('image'))?.active) await new Promise(setImmediate);
      finish();
      await answer;
      await daemon.remove('image');
    });
  });

  describe('limits', () => {
    it('refuse connections that exceed the memory', async () => {
      const { ask, connect } = await startHarness({}, { memory: new PieceMemory(1, 2) });
      const first = await connect();
      const second = await connect();
      const third = await connect();
      expect(await third.closed).toMatch(
        /^HTTP\/1\.1 503 [\s\S]*Retry-After[\s\S]*Too many connections/,
      );
      for (const client of [first, second]) {
        client.send(`GET /info/ HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`);
        expect(await client.closed).toContain('"version"');
      }
      expect((await ask('GET', '/info/')).status).toBe(200);
    });

    it('apply to TLS too', async () => {
      const { daemon } = await startHarness(
        { tls: certificate },
        { memory: new PieceMemory(1, 1) },
      );
      const options = { port: daemon.port, host: '127.0.0.1', ca: certificate.cert };
      const first = new RawClient(connectTls(options));
      await once(first.socket, 'secureConnect');
      const second = new RawClient(connectTls(options));
      expect(await second.closed).toBe('');
      first.send(`GET /info/ HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`);
      expect(await first.closed).toContain('"version"');
    });

    it('check each of many headers', async () => {
      const { connect, image } = await startHarness();
      const file = await image({ content: Buffer.from('0123456789') });
      const client = await connect();
      const many = 'a:b\r\n'.repeat(2500);
      client.send(
        `PUT /images/image HTTP/1.1\r\n${HOST}${many}Content-Length: 1\r\n` +
          'Content-Range: bytes 5-5/*\r\nConnection: close\r\n\r\nx',
      );
      expect(await client.closed).toContain(' 200 ');
      expect((await file()).toString()).toBe('01234x6789');
    });

    it('count TLS connections until they are closed', async () => {
      const { daemon } = await startHarness(
        { tls: certificate },
        { memory: new PieceMemory(1, 2) },
      );
      for (let i = 0; i < 8; i++) {
        const socket = connectTls({ port: daemon.port, host: '127.0.0.1', ca: certificate.cert });
        const client = new RawClient(socket);
        client.send(`GET /info/ HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`);
        expect(await client.closed).toContain('"version"');
      }
    });
  });

  describe('TLS', () => {
    const handshake = (port: number, version: 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3') =>
      new Promise<string>((resolve, reject) => {
        const socket = connectTls({
          port,
          host: '127.0.0.1',
          ca: certificate.cert,
          minVersion: version,
          maxVersion: version,
          ciphers: 'DEFAULT@SECLEVEL=0',
        });
        socket.once('secureConnect', () => {
          resolve(socket.getCipher().name);
          socket.destroy();
        });
        socket.once('error', reject);
      });

    it('is at least 1.2, with AES-128 first', async () => {
      const { daemon } = await startHarness({ tls: certificate });
      expect(await handshake(daemon.port, 'TLSv1.3')).toBe('TLS_AES_128_GCM_SHA256');
      expect(await handshake(daemon.port, 'TLSv1.2')).toBe('ECDHE-ECDSA-AES128-GCM-SHA256');
      await expect(handshake(daemon.port, 'TLSv1.1')).rejects.toThrow();
    });

    it('is required on its port: plain HTTP receives no response', async () => {
      const { connect } = await startHarness({ tls: certificate });
      const client = await connect();
      client.send(`GET /info/ HTTP/1.1\r\n${HOST}\r\n`);
      expect(await client.closed).not.toContain('HTTP/1.1 200');
    });

    it('with a key that does not match fails at the start', async () => {
      const tls = { key: 'no key', cert: certificate.cert };
      await expect(runDaemon({ host: '127.0.0.1', port: 0, tls })).rejects.toThrow();
    });
  });

  describe('the unix socket', () => {
    it('is restricted to its owner, uses plain HTTP, and is removed with the daemon', async () => {
      const unixSocket = await place();
      const { daemon } = await startHarness({ unixSocket, tls: certificate });
      expect((await stat(unixSocket)).mode & 0o777).toBe(0o600);
      const status = await new Promise((resolve) => {
        get({ socketPath: unixSocket, path: '/info/', agent: false }, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        });
      });
      expect(status).toBe(200);
      await daemon.close();
      await expect(stat(unixSocket)).rejects.toThrow('ENOENT');
    });

    it('replaces a socket without a listener', async () => {
      const unixSocket = await place();
      const dead = createServer();
      await new Promise<void>((resolve) => dead.listen(`${unixSocket}2`, resolve));
      await rename(`${unixSocket}2`, unixSocket);
      await new Promise((resolve) => dead.close(resolve));
      // A process that another test starts at this moment has the socket open until it runs its
      // program.
      while (await answers(unixSocket)) await new Promise(setImmediate);
      const { daemon } = await startHarness({ unixSocket });
      expect(daemon.unixSocket).toBe(unixSocket);
    });

    it('replaces no other file', async () => {
      const unixSocket = await place();
      await writeFile(unixSocket, 'precious');
      await expect(startHarness({ unixSocket })).rejects.toThrow('not a socket');
      await rm(unixSocket);
      await startHarness({ unixSocket });
      await expect(startHarness({ unixSocket })).rejects.toThrow('another server');
    });
  });

  describe('closing the daemon', () => {
    it('finishes running requests and accepts no others', async () => {
      // Another process can use its port immediately, but not its path.
      const unixSocket = await place();
      const { connect, daemon, image } = await startHarness({ unixSocket });
      await image({ content: pattern(1000) });
      const idle = await connect();
      const busy = await connect();
      busy.send(`PUT /images/image HTTP/1.1\r\n${HOST}Content-Length: 10\r\n\r\n12345`);
      while (!(await daemon.state('image'))?.active) await new Promise(setImmediate);
      const closed = daemon.close();
      expect(await idle.closed).toBe('');
      busy.send('67890');
      expect(await busy.closed).toMatch(/^HTTP\/1\.1 200 /);
      await closed;
      await expect(RawClient.connect(unixSocket)).rejects.toThrow('ENOENT');
    });

    it('ends other requests after the grace period', async () => {
      const { clock, connect, daemon, image } = await startHarness();
      await image({ content: pattern(1000) });
      const client = await connect();
      client.send(`PUT /images/image HTTP/1.1\r\n${HOST}Content-Length: 10\r\n\r\n12345`);
      while (!(await daemon.state('image'))?.active) await new Promise(setImmediate);
      const closed = daemon.close();
      await new Promise(setImmediate);
      clock.advance(60);
      await client.closed;
      await closed;
    });
  });
});
