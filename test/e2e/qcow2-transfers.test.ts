/**
 * Raw transfers of qcow2 disks: directly with qemu-nbd, if it is installed, otherwise by
 * conversion.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RawAnswer, RawApi, send } from '../support/raw.ts';
import { type ServerProcess, startServerProcess } from '../support/server.ts';

const mebibyte = 2 ** 20;
const size = 8 * mebibyte;
const half = size / 2;
const missing = spawnSync('qemu-nbd', ['--version']).status === 0 ? '' : ' (no qemu-nbd here)';
const guarded = spawnSync('setpriv', ['--pdeathsig', 'KILL', 'true']).status === 0;

let folder: string;
let server: ServerProcess;
let api: RawApi;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vmctl-cow-'));
});
afterEach(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function start(env: NodeJS.ProcessEnv = {}): Promise<void> {
  server = await startServerProcess(['--speed', '0', '--data', join(folder, 'data')], env);
  api = await RawApi.signIn(server);
}

async function addDisk(): Promise<string> {
  const found = await api.json('GET', '/storagedomains?search=name%3Ddata1');
  const [domain] = found.json<{ storage_domain: { id: string }[] }>().storage_domain;
  const added = await api.json('POST', '/disks', {
    name: `cow-${randomBytes(4).toString('hex')}`,
    format: 'cow',
    provisioned_size: size,
    storage_domains: { storage_domain: [{ id: domain?.id }] },
  });
  return added.json<{ id: string }>().id;
}

interface Begun {
  readonly id: string;
  readonly url: string;
}

async function begin(disk: string, direction: string, format: string): Promise<Begun> {
  const made = await api.json('POST', '/imagetransfers', { direction, format, disk: { id: disk } });
  const { id } = made.json<{ id: string }>();
  return { id, url: await transferring(id) };
}

async function transferring(id: string): Promise<string> {
  const ready = await api.until(`/imagetransfers/${id}`, (answer) =>
    ['transferring', 'finished_failure'].includes(String(answer.json()['phase'])),
  );
  expect(ready.json()['phase'], server.stderr()).toBe('transferring');
  return String(ready.json()['transfer_url']);
}

async function finalize(id: string): Promise<unknown> {
  await api.json('POST', `/imagetransfers/${id}/finalize`, {});
  const over = (answer: RawAnswer) => String(answer.json()['phase']).startsWith('finished');
  return (await api.until(`/imagetransfers/${id}`, over)).json()['phase'];
}

const put = (url: string, at: number, body: Buffer) => {
  const headers = { 'Content-Range': `bytes ${at}-${at + body.length - 1}/*` };
  return send(url, { method: 'PUT', ca: server.ca, headers, body });
};

async function download(disk: string, format: string): Promise<Buffer> {
  const { id, url } = await begin(disk, 'download', format);
  const { status, bytes } = await send(url, { ca: server.ca });
  expect(status).toBe(200);
  expect(await finalize(id)).toBe('finished_success');
  return bytes;
}

/** Image files, including temporary ones of transfers. */
const images = () => readdirSync(join(folder, 'data', 'images'));

/** Processes of qemu-nbd with an open image of this test. */
function processes(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
        return words.some((word) => word.endsWith('qemu-nbd')) && words.join(' ').includes(folder);
      } catch {
        return false;
      }
    });
}

/** Checks the content and the consistency of a disk image. */
function check(disk: string, content: Buffer): void {
  const file = join(folder, 'data', 'images', disk);
  const raw = join(folder, 'raw');
  writeFileSync(raw, content);
  execFileSync('qemu-img', ['check', '-q', '-f', 'qcow2', file]);
  execFileSync('qemu-img', ['compare', '-q', '-f', 'qcow2', '-F', 'raw', file, raw]);
}

const content = Buffer.concat([
  randomBytes(mebibyte + 12_345),
  Buffer.alloc(3 * mebibyte),
  randomBytes(size - 4 * mebibyte - 12_345),
]);

describe.skipIf(missing !== '')(`a raw upload into a qcow2 disk${missing}`, () => {
  it('writes directly to the image; downloads in both formats match', async () => {
    await start();
    const disk = await addDisk();
    const before = images();
    const { id, url } = await begin(disk, 'upload', 'raw');
    expect(images()).toEqual(before);
    expect(processes().length).toBe(1);
    expect((await put(`${url}?flush=n`, 0, content.subarray(0, half))).status).toBe(200);
    expect((await put(url, half, content.subarray(half))).status).toBe(200);
    const part = await send(url, { ca: server.ca, headers: { Range: 'bytes=1000-1999' } });
    expect(part.bytes.equals(content.subarray(1000, 2000))).toBe(true);
    expect((await put(url, size, Buffer.alloc(1))).status).toBe(416);
    const counted = (answer: RawAnswer) => Number(answer.json()['transferred']) === size;
    await api.until(`/imagetransfers/${id}`, counted);
    expect(await finalize(id)).toBe('finished_success');
    expect(processes()).toEqual([]);
    check(disk, content);
    // Zeros use no space.
    const file = join(folder, 'data', 'images', disk);
    expect(statSync(file).size).toBeLessThan(7 * mebibyte);
    expect((await download(disk, 'raw')).equals(content)).toBe(true);
    const image = await download(disk, 'cow');
    expect(image.equals(readFileSync(file))).toBe(true);
  });

  it('distinguishes holes from data when it is read', async () => {
    await start();
    const disk = await addDisk();
    const upload = await begin(disk, 'upload', 'raw');
    await put(upload.url, mebibyte, randomBytes(mebibyte));
    await finalize(upload.id);
    const { url } = await begin(disk, 'download', 'raw');
    const extents = await send(`${url}/extents`, { ca: server.ca });
    expect(extents.json()).toEqual([
      { start: 0, length: mebibyte, zero: true, hole: true },
      { start: mebibyte, length: mebibyte, zero: false, hole: false },
      { start: 2 * mebibyte, length: size - 2 * mebibyte, zero: true, hole: true },
    ]);
  });

  it('keeps the unwritten data of the image, also if it was on a smaller disk', async () => {
    await start();
    const disk = await addDisk();
    const raw = join(folder, 'raw');
    const small = join(folder, 'small.qcow2');
    writeFileSync(raw, content.subarray(0, half));
    execFileSync('qemu-img', ['convert', '-c', '-f', 'raw', '-O', 'qcow2', raw, small]);
    const first = await begin(disk, 'upload', 'cow');
    expect((await put(first.url, 0, readFileSync(small))).status).toBe(200);
    expect(await finalize(first.id)).toBe('finished_success');
    const second = await begin(disk, 'upload', 'raw');
    expect((await put(second.url, size - 10, Buffer.alloc(10, 7))).status).toBe(200);
    expect(await finalize(second.id)).toBe('finished_success');
    const whole = Buffer.concat([content.subarray(0, half), Buffer.alloc(half)]);
    check(disk, whole.fill(7, size - 10));
  });

  it('opens no other file that the image references', async () => {
    await start();
    const secret = join(folder, 'secret');
    writeFileSync(secret, randomBytes(size));
    const made = join(folder, 'made.qcow2');
    const words = ['create', '-q', '-f', 'qcow2', '-b', secret, '-F', 'raw', made];
    execFileSync('qemu-img', words);
    const disk = await addDisk();
    const first = await begin(disk, 'upload', 'cow');
    expect((await put(first.url, 0, readFileSync(made))).status).toBe(200);
    await finalize(first.id);
    for (const direction of ['download', 'upload']) {
      const sent = { direction, format: 'raw', disk: { id: disk } };
      const answer = await api.json('POST', '/imagetransfers', sent);
      if (answer.status < 300) {
        const { id } = answer.json<{ id: string }>();
        const ended = await api.until(`/imagetransfers/${id}`, (one) =>
          /transferring|finished|paused/.test(String(one.json()['phase'])),
        );
        expect(ended.json()['phase']).not.toBe('transferring');
      }
      await expect.poll(() => server.stderr()).toContain('the image has a backing file');
      expect(processes()).toEqual([]);
    }
  });

  it('continues after a restart in the middle, clean or not', async () => {
    await start();
    const disk = await addDisk();
    const { id, url } = await begin(disk, 'upload', 'raw');
    const path = new URL(url).pathname;
    const third = mebibyte * 3;
    expect((await put(url, 0, content.subarray(0, third))).status).toBe(200);
    await server.stop();
    expect(processes()).toEqual([]);
    await start();
    const again = await transferring(id);
    expect(new URL(again).pathname).toBe(path);
    expect((await put(again, third, content.subarray(third, 2 * third))).status).toBe(200);
    await server.kill();
    await start();
    const last = await transferring(id);
    expect((await put(last, 2 * third, content.subarray(2 * third))).status).toBe(200);
    expect(await finalize(id)).toBe('finished_success');
    const file = join(folder, 'data', 'images', disk);
    // A crash may leave unused clusters; the disk is consistent.
    const checked = spawnSync('qemu-img', ['check', '-q', '-f', 'qcow2', file]).status;
    expect([0, 3]).toContain(checked);
    expect((await download(disk, 'raw')).equals(content)).toBe(true);
  });

  it.runIf(guarded)('leaves no process when the server is killed', async () => {
    await start();
    const disk = await addDisk();
    await begin(disk, 'upload', 'raw');
    expect(processes().length).toBe(1);
    await server.kill();
    while (processes().length > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const file = join(folder, 'data', 'images', disk);
    // The lock of the image is released.
    execFileSync('qemu-io', ['-f', 'qcow2', '-c', 'write 0 64k', file], { stdio: 'ignore' });
    await start();
  });

  it('is paused by the system if its image is not usable any longer', async () => {
    await start();
    const disk = await addDisk();
    const { id } = await begin(disk, 'upload', 'raw');
    await server.kill();
    const file = join(folder, 'data', 'images', disk);
    cpSync(file, join(folder, 'whole'));
    const broken = Buffer.alloc(readFileSync(file).length);
    Buffer.from('QFI\xfb\0\0\0\x63', 'latin1').copy(broken);
    broken.writeBigUInt64BE(BigInt(size), 24);
    writeFileSync(file, broken);
    await start();
    const phase = (await api.json('GET', `/imagetransfers/${id}`)).json()['phase'];
    expect(phase).toBe('paused_system');
    await expect.poll(() => server.stderr()).toContain('qemu-nbd');
    // As long as the image is damaged, it is paused again.
    await api.json('POST', `/imagetransfers/${id}/resume`, {});
    const after = (await api.json('GET', `/imagetransfers/${id}`)).json()['phase'];
    expect(after, server.stderr()).toBe('paused_system');
    // After the repair, it can be resumed.
    cpSync(join(folder, 'whole'), file);
    await api.json('POST', `/imagetransfers/${id}/resume`, {});
    expect((await put(await transferring(id), 0, content)).status).toBe(200);
    expect(await finalize(id)).toBe('finished_success');
    check(disk, content);
  });
});

describe('without qemu-nbd', () => {
  it('a file of the transfer is converted at the end', async () => {
    await start({ PATH: join(folder, 'nothing') });
    const disk = await addDisk();
    const before = images().length;
    const { id, url } = await begin(disk, 'upload', 'raw');
    expect(images().length).toBe(before + 1);
    expect((await put(url, 0, content)).status).toBe(200);
    expect(await finalize(id)).toBe('finished_success');
    // The file is removed once the end of the transfer is durable, which may follow its phase.
    await expect.poll(() => images().length).toBe(before);
    expect((await download(disk, 'raw')).equals(content)).toBe(true);
  });
});
