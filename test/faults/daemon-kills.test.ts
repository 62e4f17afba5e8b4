/** kill -9 during writes to an image: only bytes of the running writes change. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { RawApi, send } from '../support/raw.ts';
import { type ServerProcess, startServerProcess } from '../support/server.ts';
import { chooseCount, recordResult } from './support/catalogue.ts';

const MiB = 2 ** 20;
const size = 16 * MiB;
const kills = chooseCount(20, 2);

let data: string;

beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'vmctl-daemon-'));
});
afterEach(() => rmSync(data, { recursive: true, force: true }));

const start = () => startServerProcess(['--data', data, '--inventory', 'small', '--speed', '0']);

async function transferUrl(api: RawApi, id: string): Promise<string> {
  const ready = await api.until(`/imagetransfers/${id}`, (answer) =>
    /^(transferring|paused_)/.test(String(answer.json()['phase'])),
  );
  if (ready.json()['phase'] === 'transferring') return String(ready.json()['transfer_url']);
  await api.json('POST', `/imagetransfers/${id}/resume`, {});
  return await transferUrl(api, id);
}

/** Creates a disk with known bytes, and a transfer to it. */
async function prepare(server: ServerProcess): Promise<{ disk: string; transfer: string }> {
  const api = await RawApi.signIn(server);
  const added = await api.json('POST', '/disks', {
    ...{ name: 'written', provisioned_size: size, format: 'raw' },
    storage_domains: { storage_domain: [{ name: 'data1' }] },
  });
  const disk = added.json<{ id: string }>().id;
  await api.until(`/disks/${disk}`, (answer) => answer.json()['status'] === 'ok');
  const begun = await api.json('POST', '/imagetransfers', {
    direction: 'upload',
    disk: { id: disk },
  });
  const transfer = begun.json<{ id: string }>().id;
  const url = await transferUrl(api, transfer);
  const body = Buffer.alloc(size, 0xaa);
  expect((await send(`${url}?flush=y`, { method: 'PUT', ca: server.ca, body })).status).toBe(200);
  return { disk, transfer };
}

it(`B3 ${kills} kills during writes change no other bytes`, async () => {
  let server = await start();
  const { disk, transfer } = await prepare(server);
  /** New content of the disk, different in every byte. */
  const written = Buffer.alloc(size);
  let interrupted = 0;
  for (let kill = 0; kill < kills; kill += 1) {
    const url = await transferUrl(await RawApi.signIn(server), transfer);
    let answered = 0;
    const one = async (worker: number) => {
      for (let turn = 0; ; turn += 1) {
        // Ranges that start and end inside of pages and sectors, each worker in a separate quarter.
        const first = worker * 4 * MiB + Math.floor(Math.random() * 3 * MiB);
        const body = Buffer.alloc(1 + Math.floor(Math.random() * MiB), turn + 1);
        written.fill(1, first, first + body.length);
        const range = `bytes ${first}-${first + body.length - 1}/*`;
        const headers = { 'Content-Range': range };
        await send(`${url}?flush=n`, { method: 'PUT', ca: server.ca, headers, body });
        answered += 1;
      }
    };
    const work = [0, 1, 2, 3].map((worker) =>
      one(worker).catch(() => {
        interrupted += 1;
      }),
    );
    const enough = 4 + Math.floor(Math.random() * 40);
    while (answered < enough) await new Promise((resolve) => setImmediate(resolve));
    await server.kill();
    await Promise.all(work);
    const bytes = readFileSync(join(data, 'images', disk));
    expect(bytes.length).toBe(size);
    const changed = bytes.filter((byte, at) => written[at] === 0 && byte !== 0xaa);
    expect(changed.length).toBe(0);
    server = await start();
  }
  expect(interrupted).toBe(4 * kills);
  // Control: the written ranges did change, so the comparison is meaningful.
  const bytes = readFileSync(join(data, 'images', disk));
  expect(bytes.some((byte, at) => written[at] === 1 && byte !== 0xaa)).toBe(true);
  recordResult('B3', `${kills} kills, 0 other bytes changed`);
  expect(await server.stop()).toBe(0);
}, 600_000);
