// NBD backend with real servers: qcow2 and raw, limits of blocks and sizes, bitmaps, failures.
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Backend, DirtyExtent, Extent } from '../../../src/images/backends/backend.ts';
import { parseLocation } from '../../../src/images/backends/location.ts';
import { type NbdImageOptions, openNbdImage } from '../../../src/images/backends/nbd.ts';
import { pattern, startHarness } from '../support/harness.ts';
import {
  hasNbdkit,
  hasQemuNbd,
  type NbdServer,
  startNbdkit,
  startQemuNbd,
} from '../support/nbd-server.ts';

const MEBIBYTE = 2 ** 20;
const qemu = hasQemuNbd ? '' : ' (qemu-nbd is not installed)';
const kit = hasNbdkit ? '' : ' (nbdkit is not installed)';

async function newFile(name: string, content?: Buffer): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'images-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const path = join(directory, name);
  if (content) await writeFile(path, content);
  return path;
}

async function newQcow2(size: number): Promise<string> {
  const path = await newFile('image.qcow2');
  execFileSync('qemu-img', ['create', '-q', '-f', 'qcow2', path, String(size)]);
  return path;
}

/** Opens an export. The image is closed with the test. */
async function use(
  server: Pick<NbdServer, 'place'>,
  options: Partial<NbdImageOptions> & { size: number },
): Promise<Backend> {
  const { address, exportName } = server.place;
  const image = await openNbdImage({
    address,
    exportName,
    writable: true,
    sparse: true,
    dirty: false,
    ...options,
  });
  onTestFinished(() => image.close());
  return image;
}

async function read(image: Backend, offset: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length, 0xff);
  await image.read(offset, buffer);
  return buffer;
}

async function list<T extends Extent | DirtyExtent>(extents: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const extent of extents) found.push(extent);
  return found;
}

describe.skipIf(!hasQemuNbd)(`a qcow2 image of qemu-nbd${qemu}`, () => {
  it('is written and read as its disk', async () => {
    const path = await newQcow2(8 * MEBIBYTE);
    const server = await startQemuNbd(path, ['-f', 'qcow2']);
    const image = await use(server, { size: 8 * MEBIBYTE });
    await image.write(MEBIBYTE + 5, pattern(3 * MEBIBYTE));
    await image.zero(2 * MEBIBYTE, MEBIBYTE);
    await image.flush();
    const expected = Buffer.alloc(8 * MEBIBYTE);
    pattern(3 * MEBIBYTE).copy(expected, MEBIBYTE + 5);
    expected.fill(0, 2 * MEBIBYTE, 3 * MEBIBYTE);
    expect((await read(image, 0, 8 * MEBIBYTE)).equals(expected)).toBe(true);
    await image.close();
    await server.kill();
    execFileSync('qemu-img', ['check', '-q', path]);
    const raw = await newFile('raw', expected);
    execFileSync('qemu-img', ['compare', '-q', '-f', 'qcow2', '-F', 'raw', path, raw]);
  });

  it('has holes only in unwritten blocks', async () => {
    const path = await newQcow2(MEBIBYTE);
    const cluster = 64 << 10;
    const io = `write -P 1 ${cluster} ${cluster}`;
    const zero = `write -z ${4 * cluster} ${cluster}`;
    execFileSync('qemu-io', ['-f', 'qcow2', '-c', io, '-c', zero, path]);
    const server = await startQemuNbd(path, ['-f', 'qcow2', '-A', '-r']);
    const image = await use(server, { size: MEBIBYTE, writable: false });
    expect(await list(image.extents())).toEqual([
      { start: 0, length: cluster, zero: true, hole: true },
      { start: cluster, length: cluster, zero: false, hole: false },
      { start: 2 * cluster, length: 2 * cluster, zero: true, hole: true },
      { start: 4 * cluster, length: cluster, zero: true, hole: false },
      { start: 5 * cluster, length: MEBIBYTE - 5 * cluster, zero: true, hole: true },
    ]);
  });

  it('returns the changes since a backup on request', async () => {
    const path = await newQcow2(MEBIBYTE);
    const cluster = 64 << 10;
    execFileSync('qemu-img', ['bitmap', '--add', path, 'since']);
    const io = `write -P 1 ${cluster} ${cluster}`;
    execFileSync('qemu-io', ['-f', 'qcow2', '-c', io, path]);
    const { place } = await startQemuNbd(path, ['-f', 'qcow2', '-B', 'since']);
    const { ask, daemon } = await startHarness();
    const ticket = {
      size: MEBIBYTE,
      ops: ['read' as const],
      image: place,
      timeout: 60,
      inactivityTimeout: 60,
      sparse: true,
    };
    await daemon.add({ ...ticket, id: 'backup', dirty: true });
    await daemon.add({ ...ticket, id: 'other' });
    const answer = await ask('GET', '/images/backup/extents?context=dirty');
    expect(JSON.parse(answer.text)).toEqual([
      { start: 0, length: cluster, dirty: false, zero: true },
      { start: cluster, length: cluster, dirty: true, zero: false },
      { start: 2 * cluster, length: MEBIBYTE - 2 * cluster, dirty: false, zero: true },
    ]);
    expect((await ask('GET', '/images/other/extents?context=dirty')).status).toBe(404);
    expect((await ask('GET', '/images/backup/extents')).status).toBe(200);
  });

  it('has no dirty extents without a bitmap', async () => {
    const server = await startQemuNbd(await newQcow2(MEBIBYTE), ['-f', 'qcow2']);
    expect((await use(server, { size: MEBIBYTE, dirty: true })).dirtyExtents).toBeUndefined();
  });
});

describe.skipIf(!hasQemuNbd)(`a raw image of qemu-nbd${qemu}`, () => {
  it('is an export with a name', async () => {
    const path = await newFile('raw', pattern(MEBIBYTE));
    const server = await startQemuNbd(path, ['-f', 'raw', '-x', 'some/disk']);
    const place = { ...server.place, exportName: 'some/disk' };
    const image = await use({ place }, { size: MEBIBYTE });
    expect((await read(image, 7, 1000)).equals(pattern(MEBIBYTE).subarray(7, 1007))).toBe(true);
    const wrong = use({ place: { ...place, exportName: 'none' } }, { size: MEBIBYTE });
    await expect(wrong).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('can be reached over the network too', async () => {
    const path = await newFile('raw', pattern(MEBIBYTE));
    const { socket } = await startQemuNbd(path);
    const relay = createServer((client) => {
      const server = connect(socket);
      client.pipe(server).pipe(client);
      for (const one of [client, server]) one.on('error', () => client.destroy());
    });
    await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void relay.close());
    const { port } = relay.address() as AddressInfo;
    const place = parseLocation(`nbd:127.0.0.1:${port}`);
    if (place.kind !== 'nbd') throw new Error('not an export');
    const image = await use({ place }, { size: MEBIBYTE });
    await image.write(5, pattern(MEBIBYTE - 5, 2));
    const expected = Buffer.concat([pattern(5), pattern(MEBIBYTE - 5, 2)]);
    expect((await read(image, 0, MEBIBYTE)).equals(expected)).toBe(true);
  });

  it('remains allocated when zeroed, unless the ticket is sparse', async () => {
    for (const sparse of [true, false]) {
      const path = await newFile('raw', pattern(MEBIBYTE));
      const server = await startQemuNbd(path, ['-f', 'raw', '--discard=unmap']);
      const image = await use(server, { size: MEBIBYTE, sparse });
      await image.zero(0, MEBIBYTE);
      await image.flush();
      expect((await readFile(path)).equals(Buffer.alloc(MEBIBYTE))).toBe(true);
      const { blocks } = await stat(path);
      if (sparse) expect(blocks).toBe(0);
      else expect(blocks).toBeGreaterThanOrEqual(MEBIBYTE / 512);
    }
  });

  it('reads zeros after the end of the export, and refuses data there', async () => {
    const path = await newFile('raw', pattern(MEBIBYTE));
    const image = await use(await startQemuNbd(path), { size: 2 * MEBIBYTE });
    const expected = Buffer.concat([pattern(MEBIBYTE).subarray(MEBIBYTE - 10), Buffer.alloc(90)]);
    expect((await read(image, MEBIBYTE - 10, 100)).equals(expected)).toBe(true);
    expect((await read(image, MEBIBYTE + 10, 100)).equals(Buffer.alloc(100))).toBe(true);
    expect((await list(image.extents())).at(-1)).toEqual({
      start: MEBIBYTE,
      length: MEBIBYTE,
      zero: true,
      hole: true,
    });
    await image.zero(MEBIBYTE - 10, 100);
    const beyond = image.write(MEBIBYTE - 10, pattern(100));
    await expect(beyond).rejects.toMatchObject({ code: 'ENOSPC' });
    expect((await readFile(path)).length).toBe(MEBIBYTE);
  });

  it('that is read-only cannot be opened for writing', async () => {
    const path = await newFile('raw', pattern(1024));
    const server = await startQemuNbd(path, ['-f', 'raw', '-r']);
    await expect(use(server, { size: 1024 })).rejects.toMatchObject({ code: 'EROFS' });
    const reader = await use(server, { size: 1024, writable: false });
    expect((await read(reader, 0, 1024)).equals(pattern(1024))).toBe(true);
  });

  it('accepts hundreds of concurrent requests', async () => {
    const path = await newFile('raw', Buffer.alloc(4 * MEBIBYTE));
    const image = await use(await startQemuNbd(path), { size: 4 * MEBIBYTE });
    const content = pattern(4 * MEBIBYTE);
    const part = 10_007;
    const parts = Array.from({ length: Math.ceil(content.length / part) }, (_, i) => i * part);
    await Promise.all(parts.map((at) => image.write(at, content.subarray(at, at + part))));
    const found = Buffer.alloc(content.length);
    await Promise.all(parts.map((at) => image.read(at, found.subarray(at, at + part))));
    expect(found.equals(content)).toBe(true);
    expect((await readFile(path)).equals(content)).toBe(true);
  });
});

describe.skipIf(!hasNbdkit)(`nbdkit${kit}`, () => {
  it('accepts only complete blocks, and partial writes keep the other bytes', async () => {
    const content = pattern(MEBIBYTE);
    const path = await newFile('raw', content);
    const server = await startNbdkit([
      '--filter=blocksize-policy',
      'file',
      path,
      'blocksize-minimum=4096',
      'blocksize-error-policy=error',
    ]);
    const image = await use(server, { size: MEBIBYTE });
    const expected = Buffer.from(content);
    // Concurrent adjacent writes in the same blocks.
    const writes = [
      [5, 10],
      [4090, 20],
      [8191, 8194],
      [20_000, 100],
      [20_100, 100],
      [20_200, 100],
    ] as const;
    await Promise.all(writes.map(([at, length], i) => image.write(at, pattern(length, i + 2))));
    for (const [i, [at, length]] of writes.entries()) pattern(length, i + 2).copy(expected, at);
    const odd = [
      [40_000, 9000],
      [100, 1],
      [MEBIBYTE - 1, 1],
    ] as const;
    for (const [at, length] of odd) {
      await image.zero(at, length);
      expected.fill(0, at, at + length);
    }
    expect((await read(image, 0, MEBIBYTE)).equals(expected)).toBe(true);
    expect((await read(image, 20_010, 280)).equals(expected.subarray(20_010, 20_290))).toBe(true);
  });

  it('receives requests within its maximum size', async () => {
    const content = pattern(MEBIBYTE);
    const path = await newFile('raw', Buffer.alloc(MEBIBYTE));
    const server = await startNbdkit([
      '--filter=blocksize-policy',
      'file',
      path,
      'blocksize-preferred=65536',
      'blocksize-maximum=65536',
      'blocksize-error-policy=error',
    ]);
    const image = await use(server, { size: MEBIBYTE });
    await image.write(0, content);
    expect((await read(image, 0, MEBIBYTE)).equals(content)).toBe(true);
  });

  it.each([
    ['without structured replies', ['--no-sr']],
    ['with parallel connections', ['--threads=4']],
  ])('serves reads, writes and zeros %s', async (_name, args) => {
    const server = await startNbdkit([...args, 'memory', String(4 * MEBIBYTE)]);
    const image = await use(server, { size: 4 * MEBIBYTE });
    const content = pattern(4 * MEBIBYTE);
    for (let turn = 0; turn < 4; turn++) {
      const parts = Array.from({ length: 16 }, (_, i) => (i * content.length) / 16);
      const length = content.length / 16;
      await Promise.all(parts.map((at) => image.write(at, content.subarray(at, at + length))));
      await image.flush();
      const found = Buffer.alloc(content.length);
      await Promise.all(parts.map((at) => image.read(at, found.subarray(at, at + length))));
      expect(found.equals(content)).toBe(true);
    }
    await image.zero(10, MEBIBYTE);
    expect(
      (await read(image, 0, 20)).equals(Buffer.concat([content.subarray(0, 10), Buffer.alloc(10)])),
    ).toBe(true);
    const total = (await list(image.extents())).reduce((sum, { length }) => sum + length, 0);
    expect(total).toBe(4 * MEBIBYTE);
  });

  it('receives written zeros if it cannot zero', async () => {
    const path = await newFile('raw', pattern(MEBIBYTE));
    const server = await startNbdkit(['--filter=nozero', 'file', path]);
    const image = await use(server, { size: MEBIBYTE });
    await image.zero(5, MEBIBYTE - 10);
    const expected = pattern(MEBIBYTE).fill(0, 5, MEBIBYTE - 5);
    expect((await readFile(path)).equals(expected)).toBe(true);
  });

  it('may reply in any order, and each reply belongs to its request', async () => {
    const server = await startNbdkit([
      '--filter=delay',
      '--filter=rate',
      'pattern',
      String(4 * MEBIBYTE),
      'rdelay=2ms',
      'rate=1G',
    ]);
    const image = await use(server, { size: 4 * MEBIBYTE, writable: false });
    const offsets = Array.from({ length: 32 }, (_, i) => i * 128 * 1024);
    const found = await Promise.all(offsets.map((at) => read(image, at, 4096)));
    for (const [i, bytes] of found.entries()) {
      // In the pattern plugin, each 8 bytes contain their offset.
      expect(bytes.readBigUInt64BE(4088)).toBe(BigInt((offsets[i] ?? 0) + 4088));
    }
  });

  it.each([
    ['pread', 'EIO', (image: Backend) => read(image, 0, 10)],
    ['pwrite', 'EIO', (image: Backend) => image.write(0, pattern(10))],
    ['pwrite', 'ENOSPC', (image: Backend) => image.write(0, pattern(10))],
    ['pwrite', 'EPERM', (image: Backend) => image.write(0, pattern(10))],
    ['zero', 'ENOSPC', (image: Backend) => image.zero(0, 4096)],
    ['extents', 'EIO', (image: Backend) => list(image.extents())],
  ])('fails in %s with %s, which is reported', async (operation, code, run) => {
    const server = await startNbdkit([
      '--filter=error',
      'memory',
      String(MEBIBYTE),
      `error-${operation}=${code}`,
      `error-${operation}-rate=1`,
    ]);
    const image = await use(server, { size: MEBIBYTE });
    await expect(run(image)).rejects.toMatchObject({ code });
    // The connection remains open.
    if (operation !== 'pread') expect((await read(image, 0, 4)).length).toBe(4);
  });

  it.each([
    ['ENOSPC', 507],
    ['EIO', 500],
  ])('%s of a write is %i, and the next request can succeed', async (code, status) => {
    const trigger = await newFile('trigger', Buffer.alloc(0));
    const server = await startNbdkit([
      '--filter=error',
      'memory',
      String(MEBIBYTE),
      `error-pwrite=${code}`,
      'error-pwrite-rate=1',
      `error-pwrite-file=${trigger}`,
    ]);
    const { ask, daemon } = await startHarness();
    await daemon.add(ticketFor(server));
    const put = () => ask('PUT', '/images/t', { body: pattern(100) });
    expect((await put()).status).toBe(status);
    await rm(trigger);
    expect((await put()).status).toBe(200);
  });

  it('fails to flush: all later flushes fail without a request', async () => {
    const log = await newFile('log', Buffer.alloc(0));
    const server = await startNbdkit([
      'eval',
      `get_size=echo ${MEBIBYTE}`,
      'can_write=exit 0',
      'can_flush=exit 0',
      'pread=dd if=/dev/zero count=$3 iflag=count_bytes 2>/dev/null',
      'pwrite=cat > /dev/null',
      `flush=echo flush >> ${log}; echo EIO >&2; exit 1`,
    ]);
    const { ask, daemon } = await startHarness();
    await daemon.add(ticketFor(server));
    const put = (query = '') => ask('PUT', `/images/t${query}`, { body: pattern(10) });
    expect((await put('?flush=n')).status).toBe(200);
    expect((await put()).status).toBe(500);
    expect((await daemon.state('t'))?.failed).toBe(true);
    expect((await put('?flush=n')).status).toBe(500);
    expect((await ask('PATCH', '/images/t', { body: '{"op":"flush"}' })).status).toBe(500);
    expect((await readFile(log, 'utf8')).match(/flush/g)?.length).toBe(1);
  });
});

function ticketFor(server: NbdServer) {
  return {
    id: 't',
    size: MEBIBYTE,
    ops: ['write' as const],
    image: server.place,
    timeout: 60,
    inactivityTimeout: 60,
    sparse: true,
  };
}

describe.skipIf(!hasQemuNbd)(`a server that is killed${qemu}`, () => {
  /** Server for a file. A second one can use the same address later. */
  async function setUp(options: Partial<NbdImageOptions>) {
    const path = await newFile('raw', pattern(MEBIBYTE));
    const server = await startQemuNbd(path);
    const image = await use(server, { size: MEBIBYTE, ...options });
    return { server, image, path };
  }

  it('fails pending requests, and is used again if all writes were flushed', async () => {
    const { server, image, path } = await setUp({});
    await image.write(0, pattern(10, 2));
    await image.flush();
    await server.kill();
    await expect(read(image, 0, 10)).rejects.toThrow();
    await rm(server.socket);
    await startQemuNbd(path, ['-f', 'raw'], server.socket);
    expect((await read(image, 0, 10)).equals(pattern(10, 2))).toBe(true);
  });

  it('can lose unflushed writes, so all later flushes fail', async () => {
    const { server, image, path } = await setUp({});
    await image.write(0, pattern(10, 2));
    await server.kill();
    await expect(image.flush()).rejects.toThrow();
    await rm(server.socket);
    await startQemuNbd(path, ['-f', 'raw'], server.socket);
    await expect(image.flush()).rejects.toMatchObject({ code: 'EIO' });
    await expect(image.write(0, pattern(10, 2))).rejects.toMatchObject({ code: 'EIO' });
  });

  it('does not exist', async () => {
    const path = await newFile('socket');
    const image = use({ place: { kind: 'nbd', address: { path }, exportName: '' } }, { size: 1 });
    await expect(image).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe.skipIf(!hasQemuNbd)(`a server that hangs${qemu}`, () => {
  it('does not block the exit of the daemon', async () => {
    const path = await newFile('raw', pattern(MEBIBYTE));
    const server = await startQemuNbd(path);
    const { ask, clock, daemon } = await startHarness();
    await daemon.add(ticketFor(server));
    expect((await ask('OPTIONS', '/images/t')).status).toBe(200);
    server.process.kill('SIGSTOP');
    const answer = ask('GET', '/images/t').catch(() => undefined);
    while (!(await daemon.state('t'))?.active) await new Promise(setImmediate);
    let isClosed = false;
    const closing = daemon.close().then(() => {
      isClosed = true;
    });
    while (!isClosed) {
      clock.advance(60);
      await new Promise(setImmediate);
    }
    await closing;
    await answer;
    // No request waits for the server.
    while ((await daemon.state('t'))?.active) await new Promise(setImmediate);
  });
});
