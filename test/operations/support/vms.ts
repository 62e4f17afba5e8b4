/** Common helpers of the VM tests: creation, waits, and writes to disks. */
import { expect } from 'vitest';
import { RawApi, send } from '../../support/raw.ts';
import type { People, Site } from './site.ts';
import type { Thing } from './speaker.ts';

export const mebibyte = 2 ** 20;

type Added = Thing & { readonly id: string; readonly name: string };

/** Adds an empty VM with a unique name to the cluster. */
export async function newVm({ admin, path, name }: People, more: object = {}): Promise<Added> {
  const vm = {
    name: name('vm'),
    cluster: { id: path('{cluster}') },
    template: { name: 'Blank' },
    ...more,
  };
  const added = await admin.add('/vms', { vm });
  return { ...added, name: vm.name };
}

const moving = new Set([
  'image_locked',
  'wait_for_launch',
  'powering_up',
  'powering_down',
  'saving_state',
  'restoring_state',
  'reboot_in_progress',
  'migrating',
  'locked',
]);

/** Waits until the VM is in a stable state, and returns it. */
export function settled(people: People, id: string): Promise<Thing> {
  return until(people, `/vms/${id}`, (vm) => !moving.has(String(vm['status'])));
}

/** The object once it is as it should be; fails the test when that never happens. */
export async function until(
  { admin }: People,
  path: string,
  done: (object: Thing) => boolean,
): Promise<Thing> {
  const deadline = Date.now() + 20_000;
  for (;;) {
    const { object, status, text } = await admin.get(path);
    if (status === 200 && done(object)) return object;
    expect(Date.now(), `${path} never settled: ${text}`).toBeLessThan(deadline);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/**
 * Adds a thin disk to a VM, or a disk with the given attributes. Returns its id when it is usable.
 */
export async function addDisk(
  people: People,
  vm: string,
  { disk, ...how }: { disk?: object; bootable?: boolean; active?: boolean } = {},
): Promise<string> {
  const disk_attachment = {
    interface: 'virtio_scsi',
    bootable: true,
    active: true,
    ...how,
    disk: {
      name: people.name('disk'),
      format: 'raw',
      provisioned_size: mebibyte,
      storage_domains: { storage_domain: [{ name: 'data1' }] },
      ...disk,
    },
  };
  const { id } = await people.admin.add(`/vms/${vm}/diskattachments`, { disk_attachment });
  await until(people, `/disks/${id}`, (one) => one['status'] === 'ok');
  return id;
}

/** Writes bytes to the beginning of a disk, through a transfer. */
export async function writeDisk(site: Site, disk: string, bytes: string): Promise<void> {
  const { url, api, transfer } = await openTransfer(site, disk, 'upload');
  const answer = await send(url, {
    method: 'PUT',
    headers: { 'Content-Range': `bytes 0-${bytes.length - 1}/*` },
    body: bytes,
    ca: site.server().ca,
  });
  expect(answer.status, answer.text).toBe(200);
  await closeTransfer(api, transfer);
}

/** Reads bytes from the beginning of a disk, or of its image in a backup, through a transfer. */
export async function readDisk(
  site: Site,
  disk: string,
  length: number,
  backup?: string,
  encoding: BufferEncoding = 'utf8',
): Promise<string> {
  const { url, api, transfer } = await openTransfer(site, disk, 'download', backup);
  const headers = { Range: `bytes=0-${length - 1}` };
  const answer = await send(url, { headers, ca: site.server().ca });
  expect(answer.status, answer.text).toBe(206);
  await closeTransfer(api, transfer);
  return answer.bytes.toString(encoding);
}

async function openTransfer(site: Site, disk: string, direction: string, backup?: string) {
  const api = await RawApi.signIn(site.server());
  // Returns the contents of the disk in any format.
  const format = direction === 'download' ? { format: 'raw' } : {};
  const body = {
    disk: { id: disk },
    direction,
    ...format,
    ...(backup ? { backup: { id: backup } } : {}),
  };
  const added = await api.json('POST', '/imagetransfers', body);
  expect([201, 202], added.text).toContain(added.status);
  const { id } = added.json<{ id: string }>();
  const transfer = `/imagetransfers/${id}`;
  for (;;) {
    const { phase, transfer_url: url } = (await api.json('GET', transfer)).json<{
      phase: string;
      transfer_url: string;
    }>();
    if (phase === 'transferring') return { api, transfer, url };
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Ends a transfer; the disk is free again when it returns. */
async function closeTransfer(api: RawApi, transfer: string): Promise<void> {
  await api.json('POST', `${transfer}/finalize`, {});
  const deadline = Date.now() + 10_000;
  for (;;) {
    const answer = await api.json('GET', transfer);
    const phase = answer.status === 200 ? answer.json<{ phase: string }>().phase : 'gone';
    if (phase === 'gone' || phase.startsWith('finished')) return;
    expect(Date.now(), `${transfer} never ended: ${phase}`).toBeLessThan(deadline);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** A template of a machine with one disk that holds these bytes. */
export async function makeTemplate(
  site: Site,
  people: People,
  bytes: string,
  more: object = {},
  vmMore: object = {},
) {
  const { admin, name } = people;
  const vm = await newVm(people, vmMore);
  const disk = await addDisk(people, vm.id);
  await writeDisk(site, disk, bytes);
  await admin.add(`/vms/${vm.id}/nics`, { nic: { name: 'nic1' } });
  const template = { name: name('template'), vm: { id: vm.id }, ...more };
  const { id } = await admin.add('/templates', { template });
  const path = `/templates/${id}`;
  const made = await until(people, path, (one) => one['status'] === 'ok');
  return { id, path, name: template.name, made, vm: vm.id, disk };
}
