/**
 * Disk operations with a failing copy: an event with the cause, the previous state, and one line in
 * the log.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FolderSite, MiB } from '../faults/support/site.ts';

let site: FolderSite;
let vm: string;
let blockDomain: string;

beforeAll(async () => {
  site = new FolderSite();
  await site.start();
  vm = String(
    (await site.api.json('GET', '/vms?search=vm-02')).json<{ vm: { id: string }[] }>().vm[0]?.id,
  );
  blockDomain = await addBlockDomain();
});
afterAll(() => site.remove());

async function send(method: string, path: string, body: unknown = {}): Promise<string> {
  const answer = await site.api.json(method, path, body);
  expect(answer.status, answer.text).toBeLessThan(300);
  return String(answer.json()['id']);
}

async function addBlockDomain(): Promise<string> {
  const [host] = (await site.api.json('GET', '/hosts')).json<{ host: { id: string }[] }>().host;
  const id = await send('POST', '/storagedomains', {
    ...{ name: 'block', type: 'data', host: { id: host?.id } },
    storage: { type: 'fcp', logical_units: { logical_unit: [{ id: 'lun-of-test' }] } },
  });
  const [center] = (await site.api.json('GET', '/datacenters')).json<{
    data_center: { id: string }[];
  }>().data_center;
  const list = `/datacenters/${String(center?.id)}/storagedomains`;
  await send('POST', list, { id });
  await site.api.until(`${list}/${id}`, (answer) => answer.json()['status'] === 'active');
  return id;
}

/** Adds a qcow2 disk with data. */
async function addWritten(name: string, domain: object): Promise<string> {
  const id = await send('POST', '/disks', {
    ...{ name, format: 'cow', provisioned_size: MiB, sparse: true },
    storage_domains: { storage_domain: [domain] },
  });
  await site.api.until(`/disks/${id}`, (answer) => answer.json()['status'] === 'ok');
  await site.write(id, Buffer.alloc(MiB, 'x'), 'raw');
  return id;
}

/** Damages an image: overwrites the header of the qcow2 image. */
function damage(id: string): void {
  writeFileSync(site.image({ id }), Buffer.alloc(4 * MiB, 'no image'));
}

function remove(id: string): void {
  rmSync(site.image({ id }));
}

async function extend(id: string): Promise<void> {
  const list = `/vms/${vm}/diskattachments`;
  await send('POST', list, { disk: { id }, interface: 'virtio', active: true });
  await send('PUT', `${list}/${id}`, { disk: { provisioned_size: 2 ** 31 } });
}

const user = 'admin@internal';
const unusable = /^cannot use the image: .{10,}$/;
const missing = /^the image is missing or shorter than before$/;

it.each([
  {
    operation: 'convert',
    begin: (id: string) => send('POST', `/disks/${id}/convert`, { disk: { format: 'raw' } }),
    ...{ fault: damage, code: 87, cause: unusable },
    text: `Failed to update disk convert (User: ${user})`,
  },
  {
    operation: 'edit',
    begin: (id: string) => send('PUT', `/disks/${id}`, { qcow_version: 'qcow2_v2' }),
    ...{ fault: damage, code: 87, cause: unusable },
    text: `Failed to update disk edit (User: ${user})`,
  },
  {
    operation: 'extend',
    begin: extend,
    ...{ fault: damage, code: 370, cause: unusable },
    text: `Failed to extend the size of the disk extend to 2 GB. User: ${user}`,
  },
  {
    operation: 'sparsify',
    begin: (id: string) => send('POST', `/disks/${id}/sparsify`),
    ...{ fault: remove, code: 1327, cause: missing },
    text: 'Failed to sparsify the disk sparsify',
  },
  {
    operation: 'reduce',
    begin: (id: string) => send('POST', `/disks/${id}/reduce`),
    ...{ fault: remove, code: 383, cause: missing },
    text: 'Failed to reduce the disk reduce',
  },
  {
    operation: 'copy',
    begin: (id: string) =>
      send('POST', `/disks/${id}/copy`, {
        ...{ disk: { name: 'copied' }, storage_domain: { name: 'data1' } },
      }),
    ...{ fault: remove, code: 2007, cause: missing },
    text: 'Disk copy could not be copied to Storage Domain data1',
  },
])('$operation', async ({ operation, begin, fault, code, text, cause }) => {
  const domain = operation === 'reduce' ? { id: blockDomain } : { name: 'data1' };
  const disk = await addWritten(operation, domain);
  fault(disk);
  await begin(disk);
  const ended = await site.api.until(`/disks/${disk}`, (one) => one.json()['status'] !== 'locked');
  expect(ended.json()).toMatchObject({ status: 'ok', format: 'cow', provisioned_size: MiB });
  const found = (await site.events(code)).filter((one) => one.includes(` ${operation}`));
  expect(found).toHaveLength(1);
  expect(found[0]?.slice(0, text.length + 2)).toBe(`${text}: `);
  expect(found[0]?.slice(text.length + 2, -1)).toMatch(cause);
  if (cause === unusable) {
    const line = `vmctl serve: task ${operation} of Virtual Disk ${operation} failed: cannot use the image: `;
    await expect.poll(() => site.server.stderr(), { timeout: 20_000 }).toContain(line);
  }
  expect(site.server.stderr()).not.toMatch(/^\s+at /m);
});
