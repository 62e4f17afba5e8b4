/** The largest size of a disk, in every operation that sets one, and from the command line. */
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { largestDisk } from '../../src/model/disk-sizes.ts';
import { FolderSite, MiB } from '../faults/support/site.ts';
import { type Home, makeHome } from '../support/command.ts';
import { createArchive } from '../support/hostile-archives.ts';
import { hostileImages } from '../support/hostile-images.ts';
import type { RawAnswer } from '../support/raw.ts';

const GiB = 2 ** 30;
/** Sizes beyond all storage, and beyond what a number of JavaScript and 64 bits hold. */
const tooLarge = [
  ...[largestDisk.file + 512, '9007199254740993', '72057594037927936'],
  ...['9223372036854775807', '9223372036854775808', '18446744073709551616'],
];

let site: FolderSite;
let home: Home;
let hostFolder: string;

beforeAll(async () => {
  site = new FolderSite();
  hostFolder = join(site.parent, 'files-of-hosts');
  await site.start('--host-files', hostFolder);
  home = makeHome(site.server);
  const [host] = (await site.api.json('GET', '/hosts')).json<{ host: { name: string }[] }>().host;
  hostFolder = join(hostFolder, String(host?.name));
  mkdirSync(hostFolder, { recursive: true });
});
afterAll(async () => {
  home.remove();
  await site.remove();
});

/** A request whose body has this size as a number with all of its digits. */
function sized(method: string, path: string, size: number | string, body: object) {
  return site.api.call(method, path, {
    headers: { Accept: 'application/json', 'Content-Type': 'application/json' },
    body: JSON.stringify(body).replaceAll('"SIZE"', String(size)),
  });
}

const newDisk = (more: object = {}) => ({
  name: randomUUID(),
  format: 'cow',
  sparse: true,
  provisioned_size: 'SIZE',
  storage_domains: { storage_domain: [{ name: 'data1' }] },
  ...more,
});

async function machine(): Promise<string> {
  const body = { name: randomUUID(), cluster: { name: 'Default' }, template: { name: 'Blank' } };
  const { id } = (await site.api.json('POST', '/vms', body)).json<{ id: string }>();
  await site.api.until(`/vms/${id}`, (answer) => answer.json()['status'] === 'down');
  return id;
}

/** Makes a domain on Fibre Channel in the data center; resolves with its name. */
async function blockDomain(): Promise<string> {
  const name = `block-${randomUUID().slice(0, 8)}`;
  const [host] = (await site.api.json('GET', '/hosts')).json<{ host: { id: string }[] }>().host;
  const storage = { type: 'fcp', logical_units: { logical_unit: [{ id: `${name}-lun` }] } };
  const body = { name, type: 'data', host: { id: host?.id }, storage };
  const made = await site.api.json('POST', '/storagedomains', body);
  expect(made.status, made.text).toBeLessThan(300);
  const { id } = made.json<{ id: string }>();
  const centers = await site.api.json('GET', '/datacenters');
  const [center] = centers.json<{ data_center: { id: string }[] }>().data_center;
  const attached = `/datacenters/${center?.id}/storagedomains`;
  await site.api.json('POST', attached, { id });
  await site.api.until(`${attached}/${id}`, (answer) => answer.json()['status'] === 'active');
  return name;
}

/** Every operation that sets the size of a disk. */
const operations: Readonly<Record<string, (size: number | string) => Promise<RawAnswer>>> = {
  'a new disk': (size) => sized('POST', '/disks', size, newDisk()),
  'a new raw disk': (size) => sized('POST', '/disks', size, newDisk({ format: 'raw' })),
  'a new disk of a VM': async (size) =>
    sized('POST', `/vms/${await machine()}/diskattachments`, size, {
      interface: 'virtio',
      disk: newDisk(),
    }),
  'a disk in a storage domain': async (size) => {
    const found = await site.api.json('GET', '/storagedomains?search=name%3Ddata1');
    const [domain] = found.json<{ storage_domain: { id: string }[] }>().storage_domain;
    return sized('POST', `/storagedomains/${domain?.id}/disks`, size, newDisk());
  },
  'a disk that grows by its attachment': async (size) => {
    const attachments = `/vms/${await machine()}/diskattachments`;
    const disk = await site.add(randomUUID());
    await site.api.json('POST', attachments, { interface: 'virtio', disk: { id: disk } });
    return sized('PUT', `${attachments}/${disk}`, size, { disk: { provisioned_size: 'SIZE' } });
  },
  'an import of an archive': async (size) => {
    const file = `${randomUUID()}.ova`;
    const image = hostileImages['ok-data'] ?? Buffer.alloc(0);
    writeFileSync(join(hostFolder, file), createArchive(image, size));
    return site.api.json('POST', '/externalvmimports', {
      ...{ provider: 'kvm', url: `ova:///${file}`, name: 'imported', vm: { name: randomUUID() } },
      ...{ cluster: { name: 'Default' }, storage_domain: { name: 'data1' }, sparse: true },
    });
  },
};

describe.each(Object.entries(operations))('%s', (_, set) => {
  it.each(tooLarge)('of %s bytes is refused with 400', async (size) => {
    const answer = await set(size);
    expect(answer.status, answer.text).toBe(400);
    expect(answer.text).toMatch(/more than file storage allows|not an integer|OVF document/);
  });
});

describe('the largest disk', () => {
  it('takes little room, and is written inside quickly', async () => {
    const added = await sized('POST', '/disks', largestDisk.file, newDisk());
    expect(added.status, added.text).toBeLessThan(300);
    const { id } = added.json<{ id: string }>();
    const { path, url } = await site.transfer(id, 'upload', 'raw');
    expect(url).toContain('/images/');
    await site.finish(path);
    expect(await site.status(id)).toBe('ok');
    expect(statSync(site.image({ id })).blocks * 512).toBeLessThan(64 * MiB);
    const shown = await site.api.json('GET', `/disks/${id}`);
    expect(String(shown.json()['provisioned_size'])).toBe(String(largestDisk.file));
  });

  it('is smaller on block storage, also for disks that come from elsewhere (409)', async () => {
    const block = await blockDomain();
    const storage_domains = { storage_domain: [{ name: block }] };
    const body = newDisk({ storage_domains });
    const limit = await sized('POST', '/disks', largestDisk.block + 512, body);
    expect([limit.status, limit.text]).toEqual([409, expect.stringContaining('block storage')]);
    const disk = await site.add(randomUUID(), 9_000 * GiB, 'cow');
    for (const action of ['copy', 'move']) {
      const storage_domain = { name: block };
      const moved = await site.api.json('POST', `/disks/${disk}/${action}`, { storage_domain });
      expect([moved.status, moved.text]).toEqual([409, expect.stringContaining('block storage')]);
    }
  });
});

describe('vmctl', () => {
  const named = ['--storagedomain', 'data1', '--format', 'cow'];

  it.each(tooLarge)('disks create --provisioned-size %s fails with the cause', async (size) => {
    const words = ['disks', 'create', '--name', randomUUID(), '--provisioned-size', String(size)];
    const { code, stderr } = await home.runHere([...words, ...named]);
    expect(code).toBeGreaterThan(0);
    expect(stderr).toMatch(/file storage allows|larger than a 64-bit integer/);
    expect(stderr).not.toMatch(/run the command again|e\+|775\d{0,2}808000|776000/);
  });

  it('sends and prints integers of 64 bits with all of their digits', async () => {
    const name = `exact-${randomUUID().slice(0, 8)}`;
    const [limit, document] = ['9007199254740993', join(site.parent, 'quota.yaml')];
    const dataCenter = ['--datacenter', 'Default'];
    const must = async (...words: string[]) => {
      const outcome = await home.runHere(words);
      expect(outcome, outcome.stderr).toMatchObject({ code: 0 });
      return outcome.stdout;
    };
    await must('quotas', 'create', '--name', name, ...dataCenter);
    const at = ['--quota', name, ...dataCenter];
    await must('quotastoragelimits', 'create', '--limit', limit, ...at);
    for (const format of ['json', 'jsonl', 'yaml', 'csv', 'tsv']) {
      expect(await must('quotastoragelimits', 'list', ...at, '-o', format)).toContain(limit);
    }
    writeFileSync(document, await must('export'));
    expect(readFileSync(document, 'utf8')).toContain(limit);
    expect(await must('diff', document)).not.toContain(name);
  });
});
