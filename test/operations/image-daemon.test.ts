/** The image daemon, through transfers: capabilities, reading, writing, zeroing, flushing. */
import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { type RawAnswer, RawApi, send } from '../support/raw.ts';
import { row } from './support/rows.ts';
import { useSite } from './support/site.ts';

const site = useSite();
const size = 2 ** 20;
let api: RawApi;
let domain: string;

beforeAll(async () => {
  api = await RawApi.signIn(site.server());
  const found = await api.json('GET', '/storagedomains?search=name%3Ddata1');
  domain = found.json<{ storage_domain: { id: string }[] }>().storage_domain[0]?.id ?? '';
});

type Ask = (
  method: string,
  suffix?: string,
  headers?: Record<string, string>,
  body?: Buffer | string,
) => Promise<RawAnswer>;

/**
 * Creates a transfer of a new disk, and returns a function that reads its ticket from the daemon.
 */
async function transfer(direction = 'upload', disk?: string): Promise<{ ask: Ask; disk: string }> {
  const made = disk ?? (await addDisk());
  const begun = await api.json('POST', '/imagetransfers', { direction, disk: { id: made } });
  const { id } = begun.json<{ id: string }>();
  const ready = await api.until(
    `/imagetransfers/${id}`,
    (answer) => answer.json()['phase'] === 'transferring',
  );
  const url = String(ready.json()['transfer_url']);
  const ask: Ask = (method, suffix = '', headers = {}, body = undefined) =>
    send(`${url}${suffix}`, {
      method,
      headers,
      ca: site.server().ca,
      ...(body === undefined ? {} : { body }),
    });
  return { ask, disk: made };
}

async function addDisk(): Promise<string> {
  const added = await api.json('POST', '/disks', {
    name: `daemon-${randomBytes(4).toString('hex')}`,
    format: 'raw',
    provisioned_size: size,
    storage_domains: { storage_domain: [{ id: domain }] },
  });
  return added.json<{ id: string }>().id;
}

describe(row(206), () => {
  it('tells what it can do, for all images and for one', async () => {
    const url = `${site.server().ready.upload_url}/images/*`;
    const all = await send(url, { method: 'OPTIONS', ca: site.server().ca });
    expect(all.status).toBe(200);
    expect(all.headers['allow']).toContain('PATCH');
    expect(all.json()['features']).toEqual(
      expect.arrayContaining(['checksum', 'extents', 'flush', 'zero']),
    );
    const { ask } = await transfer();
    const one = await ask('OPTIONS');
    expect(one.json()).toMatchObject({ max_readers: 8, max_writers: 8 });
    const unknown = await send(url.replace('*', 'nobody'), {
      method: 'OPTIONS',
      ca: site.server().ca,
    });
    expect(unknown.status).toBe(403);
  });
});

describe(row(207), () => {
  it('reads all or a range', async () => {
    const { ask } = await transfer();
    const bytes = randomBytes(size);
    expect((await ask('PUT', '', {}, bytes)).status).toBe(200);
    const whole = await ask('GET');
    expect([whole.status, whole.bytes.equals(bytes)]).toEqual([200, true]);
    const part = await ask('GET', '', { Range: 'bytes=512-1023' });
    expect(part.status).toBe(206);
    expect(part.headers['content-range']).toBe('bytes 512-1023/*');
    expect(part.bytes.equals(bytes.subarray(512, 1024))).toBe(true);
    const open = await ask('GET', '', { Range: `bytes=${size - 10}-` });
    expect(open.bytes.equals(bytes.subarray(size - 10))).toBe(true);
    for (const range of ['bytes=-5', 'bytes=0-1,4-5', `bytes=${size}-`, `bytes=0-${size}`]) {
      expect((await ask('GET', '', { Range: range })).status, range).toBe(416);
    }
  });
});

describe(row(208), () => {
  it('writes at an offset, and brings it to stable storage', async () => {
    const { ask, disk } = await transfer();
    const bytes = randomBytes(4096);
    const range = { 'Content-Range': `bytes 8192-12287/*` };
    expect((await ask('PUT', '?flush=n', range, bytes)).status).toBe(200);
    expect((await ask('PUT', '?flush=maybe', range, bytes)).status).toBe(400);
    const beyond = { 'Content-Range': `bytes ${size}-${size + 4095}/*` };
    expect((await ask('PUT', '', beyond, bytes)).status).toBe(416);
    const read = await ask('GET', '', { Range: 'bytes=8192-12287' });
    expect(read.bytes.equals(bytes)).toBe(true);
    const { list } = { list: (await api.json('GET', `/disks/${disk}`)).json()['status'] };
    expect(list).toBe('locked');
  });
  it('is refused by a ticket for reading', async () => {
    const { ask } = await transfer('download');
    expect((await ask('PUT', '', {}, 'x')).status).toBe(403);
  });
});

describe(row(209), () => {
  const zero = (ask: Ask, body: Record<string, unknown>) =>
    ask('PATCH', '', { 'Content-Type': 'application/json' }, JSON.stringify(body));

  it('zeroes a range', async () => {
    const { ask } = await transfer();
    await ask('PUT', '', {}, Buffer.alloc(size, 7));
    expect((await zero(ask, { op: 'zero', offset: 100, size: 5000, flush: true })).status).toBe(
      200,
    );
    const { bytes } = await ask('GET');
    expect(bytes.subarray(100, 5100).equals(Buffer.alloc(5000))).toBe(true);
    expect([bytes[99], bytes[5100]]).toEqual([7, 7]);
    expect((await zero(ask, { op: 'zero' })).status).toBe(400);
    expect((await zero(ask, { op: 'zero', offset: size, size: 1 })).status).toBe(416);
  });
});

describe(row(210), () => {
  it('flushes', async () => {
    const { ask } = await transfer();
    const json = { 'Content-Type': 'application/json' };
    expect((await ask('PATCH', '', json, '{"op":"flush"}')).status).toBe(200);
    expect((await ask('PATCH', '', json, '{"op":"wash"}')).status).toBe(400);
  });
});
