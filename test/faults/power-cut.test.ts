/**
 * Power cuts at random moments: acknowledged flushed writes and inventory changes survive. The
 * control shows that unflushed data is really lost here.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RawApi, send } from '../support/raw.ts';
import { type ServerProcess, startServerProcess } from '../support/server.ts';
import { chooseCount, recordResult } from './support/catalogue.ts';
import { hasPower, PoweredDisk } from './support/power.ts';

const cuts = chooseCount(30, 3);
const block = 64 * 1024;
const blocks = 2_048;

/** Content of a block, a function of the disk, the offset and the round. */
function createBlock(name: string): Buffer {
  const seed = createHash('sha256').update(name).digest();
  return Buffer.alloc(block, seed);
}

interface Acknowledged {
  readonly place: number;
  readonly name: string;
}

/** Results of the writes of a round. */
interface Written {
  /** Offsets of all attempted writes. */
  readonly tried: Set<number>;
  readonly done: Acknowledged[];
}

/** Starts a server on the disk, with a transfer to a new disk image. */
async function begin(disk: PoweredDisk, inventory: boolean) {
  const options = ['--data', join(disk.path, 'data'), '--speed', '0'];
  const server = await startServerProcess([
    ...options,
    ...(inventory ? ['--inventory', 'small'] : []),
  ]);
  const api = await RawApi.signIn(server);
  return { server, api };
}

async function transfer(api: RawApi): Promise<string> {
  const found = await api.json('GET', '/storagedomains?search=name%3Ddata1');
  const domain = found.json<{ storage_domain: { id: string }[] }>().storage_domain[0]?.id ?? '';
  const added = await api.json('POST', '/disks', {
    name: 'written',
    format: 'raw',
    sparse: true,
    provisioned_size: block * blocks,
    storage_domains: { storage_domain: [{ id: domain }] },
  });
  const disk = added.json<{ id: string }>().id;
  const begun = await api.json('POST', '/imagetransfers', {
    direction: 'upload',
    disk: { id: disk },
  });
  return begun.json<{ id: string }>().id;
}

async function findUrl(api: RawApi, id: string): Promise<string> {
  const ready = await api.until(`/imagetransfers/${id}`, (answer) =>
    /^(transferring|paused_)/.test(String(answer.json()['phase'])),
  );
  if (ready.json()['phase'] !== 'transferring') {
    await api.json('POST', `/imagetransfers/${id}/resume`, {});
    return await findUrl(api, id);
  }
  return String(ready.json()['transfer_url']);
}

interface Writer {
  /** Offset of the first block, and the distance to the next. */
  readonly first: number;
  readonly step: number;
  readonly name: string;
  /** Flush with each write, never, or explicitly after this many writes. */
  readonly flush: 'y' | 'n' | number;
}

/** Writes consecutive blocks until the power fails; records the acknowledged ones. */
async function write(
  server: ServerProcess,
  url: string,
  { first, step, name: turn, flush }: Writer,
  { tried, done }: Written,
): Promise<void> {
  const waiting: Acknowledged[] = [];
  for (let place = first; place < blocks; place += step) {
    const name = `${turn} ${place}`;
    const start = place * block;
    const range = `bytes ${start}-${start + block - 1}/*`;
    tried.add(place);
    try {
      const answer = await send(`${url}?flush=${flush === 'y' ? 'y' : 'n'}`, {
        method: 'PUT',
        ca: server.ca,
        headers: { 'Content-Range': range },
        body: createBlock(name),
      });
      if (answer.status !== 200) return;
      waiting.push({ place, name });
      if (typeof flush === 'number') {
        if (waiting.length < flush) continue;
        const body = JSON.stringify({ op: 'flush' });
        const headers = { 'Content-Type': 'application/json' };
        const flushed = await send(url, { method: 'PATCH', ca: server.ca, headers, body });
        if (flushed.status !== 200) return;
      }
      done.push(...waiting.splice(0));
    } catch {
      return;
    }
  }
}

async function bookmark(api: RawApi, turn: string): Promise<string[]> {
  const done: string[] = [];
  for (let number = 0; ; number += 1) {
    const name = `${turn}-${number}`;
    try {
      const answer = await api.json('POST', '/bookmarks', { name, value: 'status=up' });
      if (answer.status !== 201) return done;
      done.push(name);
    } catch {
      return done;
    }
  }
}

/** Acknowledged blocks that are missing. */
async function lost(
  server: ServerProcess,
  url: string,
  acknowledged: readonly Acknowledged[],
): Promise<readonly Acknowledged[]> {
  const missing: Acknowledged[] = [];
  for (const one of acknowledged) {
    const start = one.place * block;
    const answer = await send(url, {
      ca: server.ca,
      headers: { Range: `bytes=${start}-${start + block - 1}` },
    });
    if (answer.status !== 206 || !answer.bytes.equals(createBlock(one.name))) missing.push(one);
  }
  return missing;
}

describe.skipIf(!hasPower)('after a power cut', () => {
  let disk: PoweredDisk;
  beforeAll(() => {
    disk = new PoweredDisk();
  });
  afterAll(async () => {
    await disk.off();
    disk.remove();
  });

  let id = '';
  const bookmarks: string[] = [];
  const written = new Map<number, string>();

  /** One round: power on, writes, and a power cut after a number of acknowledgements. */
  async function turn(name: string, flush: Writer['flush']) {
    await disk.on();
    const { server, api } = await begin(disk, id === '');
    if (id === '') id = await transfer(api);
    const url = await findUrl(api, id);
    const all: Written = { tried: new Set(), done: [] };
    const work = [0, 1, 2].map((first) => write(server, url, { first, step: 3, name, flush }, all));
    const changes = bookmark(api, name);
    const enough = 5 + Math.floor(Math.random() * 60);
    while (all.done.length < enough) await new Promise((resolve) => setImmediate(resolve));
    disk.cut();
    // No write may be acknowledged now; the server may also hang because of its disk.
    await Promise.race([Promise.all(work), new Promise((resolve) => setTimeout(resolve, 200))]);
    await server.kill();
    await Promise.all(work);
    const names = await changes;
    await disk.off();
    return { ...all, names };
  }

  /** In every third round, an explicit flush request covers several writes. */
  const turns = Array.from({ length: cuts }, (_, cut) => {
    const flush = cut % 3 === 2 ? 7 : ('y' as const);
    const rows =
      flush === 'y' ? 'A2 B1 ranges flushed one by one' : 'A2 B2 ranges flushed together';
    return [rows, cut + 1, flush] as const;
  });

  it.each(turns)('%s: every acknowledged write survives (cut %i)', async (_, cut, flush) => {
    const { tried, done, names } = await turn(`cut ${cut}`, flush);
    // Unacknowledged writes may be old, new, or partial.
    for (const place of tried) written.delete(place);
    for (const { place, name } of done) written.set(place, name);
    bookmarks.push(...names);
    await disk.on();
    const { server, api } = await begin(disk, false);
    try {
      const expected = [...written].map(([place, name]) => ({ place, name }));
      expect(await lost(server, await findUrl(api, id), expected)).toEqual([]);
      const list = await api.json('GET', '/bookmarks');
      const there = new Set(
        (list.json<{ bookmark?: { name: string }[] }>().bookmark ?? []).map(({ name }) => name),
      );
      expect(bookmarks.filter((name) => !there.has(name))).toEqual([]);
      if (cut === cuts) recordResult('A2', `${cuts} cuts, 0 of ${bookmarks.length} changes lost`);
      recordResult(flush === 'y' ? 'B1' : 'B2', '0 ranges missing after each cut');
      expect(await server.stop()).toBe(0);
    } finally {
      await server.kill();
      await disk.off();
    }
  });

  it('B2 control: unflushed data is lost here', async () => {
    const { done } = await turn('unflushed', 'n');
    await disk.on();
    const { server, api } = await begin(disk, false);
    const missing = await lost(server, await findUrl(api, id), done);
    expect(missing.length).toBeGreaterThan(0);
    recordResult(
      'B2',
      `control without a flush: ${missing.length} of ${done.length} ranges missing`,
    );
    await server.kill();
    await disk.off();
  });
});
