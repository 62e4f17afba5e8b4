/** Snapshots with the memory of VMs that a hypervisor runs. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PowerChange } from '../../../../src/server/core/hypervisor.ts';
import { type RawAnswer, RawApi } from '../../../support/raw.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { FakeHypervisor } from '../../support/fake-hypervisor.ts';

let hypervisor: FakeHypervisor;
let server: TestServer;
let api: RawApi;
let vm: string;
let disk: string;

beforeEach(async () => {
  hypervisor = new FakeHypervisor();
  server = await startTestServer(['--speed', '0'], { hypervisor: () => hypervisor });
  api = await RawApi.signIn(server);
  vm = await add('/vms', {
    ...{ name: 'real', cluster: { name: 'Default' }, template: { name: 'Blank' } },
    os: { boot: { devices: { device: ['hd', 'cdrom'] } } },
  });
  disk = await addDisk('root');
});
afterEach(() => server.stop());

async function send(method: string, path: string, body: object = {}): Promise<RawAnswer> {
  return api.json(method, path, body);
}

async function add(path: string, body: object): Promise<string> {
  const answer = await send('POST', path, body);
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.json<{ id: string }>().id;
}

async function addDisk(name: string, members: object = {}): Promise<string> {
  const id = await add(`/vms/${vm}/diskattachments`, {
    ...{ interface: 'virtio', active: true },
    disk: {
      ...{ name, format: 'cow', provisioned_size: 2 ** 20, ...members },
      storage_domains: { storage_domain: [{ name: 'data1' }] },
    },
  });
  await api.until(`/disks/${id}`, (answer) => answer.json()['status'] === 'ok');
  return id;
}

async function act(path: string, action: string, body: object = {}): Promise<RawAnswer> {
  const answer = await send('POST', `${path}/${action}`, body);
  expect(answer.status, answer.text).toBe(200);
  return answer;
}

async function waitForStatus(status: string): Promise<void> {
  await api.until(`/vms/${vm}`, (answer) => answer.json()['status'] === status);
}

async function start(body: object = {}): Promise<void> {
  await act(`/vms/${vm}`, 'start', body);
  await waitForStatus(body && 'pause' in body ? 'paused' : 'up');
}

async function stop(): Promise<void> {
  await act(`/vms/${vm}`, 'stop');
  await waitForStatus('down');
}

/** Takes a snapshot of the running VM. Returns its path. */
async function take(members: object = {}): Promise<string> {
  const id = await add(`/vms/${vm}/snapshots`, { description: 'live', ...members });
  const path = `/vms/${vm}/snapshots/${id}`;
  await api.until(path, (one) => one.json()['snapshot_status'] === 'ok');
  return path;
}

/** The id of the memory that the last snapshot has saved. */
function findMemory(): string | undefined {
  const change = hypervisor.deviceChanges.at(-1);
  return change?.change === 'copy_disks' ? change.memory : undefined;
}

/** The last change of the power state, and the memory that it loads. */
function findLast(): { change: PowerChange['change'] | undefined; memory?: string | undefined } {
  const last = hypervisor.changes.at(-1);
  const memory = last?.change === 'restore' ? last.snapshot?.id : undefined;
  return { change: last?.change, memory };
}

const listMemories = () => [...hypervisor.server.listMemories()];

describe('the memory of a snapshot', () => {
  it('is saved with its disks by default, and has a hidden id', async () => {
    await start();
    const path = await take();
    const memory = findMemory();
    expect(memory).toMatch(/^[0-9a-f-]{36}$/);
    const found = await send('GET', path);
    expect(found.json()['persist_memorystate']).toBe(true);
    expect((await send('GET', `/vms/${vm}/snapshots`)).text).not.toContain(memory);
    expect(listMemories()).toEqual([memory]);
  });

  it('is saved without plugged disks', async () => {
    await send('PUT', `/vms/${vm}/diskattachments/${disk}`, { active: false });
    await start();
    await take();
    expect(hypervisor.deviceChanges.at(-1)).toMatchObject({ change: 'copy_disks', copies: [] });
    expect(findMemory()).toBeDefined();
  });

  it('is loaded by the next start after a restore, once', async () => {
    await start();
    const path = await take();
    const memory = findMemory();
    await stop();
    await act(path, 'restore', { restore_memory: true });
    await waitForStatus('down');
    await start();
    expect(findLast()).toEqual({ change: 'restore', memory });
    await stop();
    await start();
    expect(findLast()).toEqual({ change: 'launch' });
  });

  it('is not loaded without a request for it', async () => {
    await start();
    const path = await take();
    await stop();
    await act(path, 'restore');
    await waitForStatus('down');
    await start();
    expect(findLast()).toEqual({ change: 'launch' });
  });

  it('is loaded after a preview, and by a paused start, but not after the undo', async () => {
    await start();
    const path = await take();
    const memory = findMemory();
    await stop();
    const snapshot = { id: path.split('/').at(-1) };
    await act(`/vms/${vm}`, 'previewsnapshot', { snapshot, restore_memory: true });
    await waitForStatus('down');
    await start({ pause: true });
    expect(findLast()).toEqual({ change: 'restore', memory });
    expect(hypervisor.changes.at(-1)).toMatchObject({ snapshot: { isPaused: true } });
    await stop();
    await act(`/vms/${vm}`, 'undosnapshot');
    await waitForStatus('down');
    await start();
    expect(findLast()).toEqual({ change: 'launch' });
  });

  it('remains for a start after the snapshot is removed, and otherwise not', async () => {
    await start();
    const path = await take();
    const memory = findMemory();
    await stop();
    await act(path, 'restore', { restore_memory: true });
    await waitForStatus('down');
    await send('DELETE', path);
    await api.until(path, (answer) => answer.status === 404);
    expect(listMemories()).toEqual([memory]);
    hypervisor.failures.set('restore', 'its saved memory is missing');
    await act(`/vms/${vm}`, 'start');
    const events = await api.until('/events?max=20', (one) => one.text.includes('is missing'));
    expect(events.text).toContain('Failed to resume VM real: its saved memory is missing.');
    await waitForStatus('down');
    expect(listMemories()).toEqual([memory]);
    await start();
    expect(findLast()).toEqual({ change: 'restore', memory });
    expect(listMemories()).toEqual([]);
  });

  it('is removed with later snapshots, with the VM, and after a failure', async () => {
    await start();
    const path = await take();
    const first = findMemory();
    await take({ description: 'later' });
    expect(listMemories()).toHaveLength(2);
    hypervisor.deviceFailures.set('copy_disks', 'storage is full');
    const failed = await add(`/vms/${vm}/snapshots`, { description: 'failed' });
    await api.until(`/vms/${vm}/snapshots/${failed}`, (answer) => answer.status === 404);
    expect(listMemories()).toHaveLength(2);
    await stop();
    await act(path, 'restore');
    await waitForStatus('down');
    expect(listMemories()).toEqual([first]);
    expect((await send('DELETE', `/vms/${vm}`)).status).toBe(200);
    await api.until(`/vms/${vm}`, (answer) => answer.status === 404);
    expect(listMemories()).toEqual([]);
  });

  it('is forgotten if the VM ends while it loads', async () => {
    await start();
    const path = await take();
    await stop();
    await act(path, 'restore', { restore_memory: true });
    await waitForStatus('down');
    const release = hypervisor.hold();
    await act(`/vms/${vm}`, 'start');
    await waitForStatus('restoring_state');
    release();
    await waitForStatus('up');
    await stop();
    expect((await send('GET', `/vms/${vm}/snapshots`)).json()).toBeDefined();
    await start();
    expect(findLast()).toEqual({ change: 'launch' });
  });
});

describe('a snapshot of a VM whose memory cannot be saved', () => {
  it('has no memory, and is refused with one, if another process cannot continue the VM', async () => {
    await start();
    hypervisor.obstacles.set(vm, 'the devices of the VM have changed');
    const path = await take();
    expect(findMemory()).toBeUndefined();
    expect((await send('GET', path)).json()['persist_memorystate']).toBe(false);
    const body = { description: 'two', persist_memorystate: true };
    const answer = await send('POST', `/vms/${vm}/snapshots`, body);
    expect(answer.status).toBe(409);
    expect(answer.text).toContain(
      'Cannot create a snapshot with memory of VM: the devices of the VM have changed.',
    );
  });

  it('has no memory, and is refused with one, without all plugged disks', async () => {
    await addDisk('second');
    await start();
    const attachments = { disk_attachment: [{ disk: { id: disk } }] };
    await take({ disk_attachments: attachments });
    expect(findMemory()).toBeUndefined();
    const body = { description: 'b', persist_memorystate: true, disk_attachments: attachments };
    const answer = await send('POST', `/vms/${vm}/snapshots`, body);
    expect(answer.status).toBe(409);
    expect(answer.text).toContain('the snapshot would not contain its disk second');
  });
});

describe('a restore of memory', () => {
  it('is refused without all disks of the snapshot', async () => {
    await addDisk('second');
    await start();
    const path = await take();
    await stop();
    const body = { restore_memory: true, disks: { disk: [{ id: disk }] } };
    const answer = await send('POST', `${path}/restore`, body);
    expect(answer.status).toBe(409);
    expect(answer.text).toContain('its memory requires all disks of the snapshot');
    expect((await send('GET', path)).json()['snapshot_status']).toBe('ok');
  });

  it('excludes first boot data', async () => {
    await start();
    const path = await take();
    await stop();
    await act(path, 'restore', { restore_memory: true });
    await waitForStatus('down');
    const answer = await send('POST', `/vms/${vm}/start`, { use_cloud_init: true });
    expect(answer.status).toBe(409);
    expect(answer.text).toContain('reads no first boot data');
  });
});
