/** Snapshots with the memory of VMs that a hypervisor runs. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PowerChange } from '../../../../src/server/core/hypervisor.ts';
import type { RawAnswer } from '../../../support/raw.ts';
import { HypervisorSite } from '../../support/hypervisor-site.ts';

let site: HypervisorSite;
let disk: string;

beforeEach(async () => {
  site = await HypervisorSite.create();
  disk = await addDisk('root');
});
afterEach(() => site.stopServer());

async function addDisk(name: string, members: object = {}): Promise<string> {
  const id = await site.addDisk({ name, format: 'cow', ...members });
  await site.waitForDisk(id);
  return id;
}

async function act(path: string, action: string, body: object = {}): Promise<RawAnswer> {
  const answer = await site.send('POST', `${path}/${action}`, body);
  expect(answer.status, answer.text).toBe(200);
  return answer;
}

async function start(body: object = {}): Promise<void> {
  await act(`/vms/${site.vm}`, 'start', body);
  await site.waitForStatus(body && 'pause' in body ? 'paused' : 'up');
}

async function stop(): Promise<void> {
  await act(`/vms/${site.vm}`, 'stop');
  await site.waitForStatus('down');
}

/** Takes a snapshot of the running VM. Returns its path. */
async function take(members: object = {}): Promise<string> {
  const id = await site.add(`/vms/${site.vm}/snapshots`, { description: 'live', ...members });
  const path = `/vms/${site.vm}/snapshots/${id}`;
  await site.api.until(path, (one) => one.json()['snapshot_status'] === 'ok');
  return path;
}

/** The id of the memory that the last snapshot has saved. */
function findMemory(): string | undefined {
  const change = site.hypervisor.deviceChanges.at(-1);
  return change?.change === 'copy_disks' ? change.memory : undefined;
}

/** The last change of the power state, and the memory that it loads. */
function findLast(): { change: PowerChange['change'] | undefined; memory?: string | undefined } {
  const last = site.hypervisor.changes.at(-1);
  const memory = last?.change === 'restore' ? last.snapshot?.id : undefined;
  return { change: last?.change, memory };
}

const listMemories = () => [...site.hypervisor.server.listMemories()];

describe('the memory of a snapshot', () => {
  it('is saved with its disks by default, and has a hidden id', async () => {
    await start();
    const path = await take();
    const memory = findMemory();
    expect(memory).toMatch(/^[0-9a-f-]{36}$/);
    const found = await site.send('GET', path);
    expect(found.json()['persist_memorystate']).toBe(true);
    expect((await site.send('GET', `/vms/${site.vm}/snapshots`)).text).not.toContain(memory);
    expect(listMemories()).toEqual([memory]);
  });

  it('is saved without plugged disks', async () => {
    await site.send('PUT', `/vms/${site.vm}/diskattachments/${disk}`, { active: false });
    await start();
    await take();
    expect(site.hypervisor.deviceChanges.at(-1)).toMatchObject({
      change: 'copy_disks',
      copies: [],
    });
    expect(findMemory()).toBeDefined();
  });

  it('is loaded by the next start after a restore, once', async () => {
    await start();
    const path = await take();
    const memory = findMemory();
    await stop();
    await act(path, 'restore', { restore_memory: true });
    await site.waitForStatus('down');
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
    await site.waitForStatus('down');
    await start();
    expect(findLast()).toEqual({ change: 'launch' });
  });

  it('is loaded after a preview, and by a paused start, but not after the undo', async () => {
    await start();
    const path = await take();
    const memory = findMemory();
    await stop();
    const snapshot = { id: path.split('/').at(-1) };
    await act(`/vms/${site.vm}`, 'previewsnapshot', { snapshot, restore_memory: true });
    await site.waitForStatus('down');
    await start({ pause: true });
    expect(findLast()).toEqual({ change: 'restore', memory });
    expect(site.hypervisor.changes.at(-1)).toMatchObject({ snapshot: { isPaused: true } });
    await stop();
    await act(`/vms/${site.vm}`, 'undosnapshot');
    await site.waitForStatus('down');
    await start();
    expect(findLast()).toEqual({ change: 'launch' });
  });

  it('remains for a start after the snapshot is removed, and otherwise not', async () => {
    await start();
    const path = await take();
    const memory = findMemory();
    await stop();
    await act(path, 'restore', { restore_memory: true });
    await site.waitForStatus('down');
    await site.send('DELETE', path);
    await site.api.until(path, (answer) => answer.status === 404);
    expect(listMemories()).toEqual([memory]);
    site.hypervisor.failures.set('restore', 'its saved memory is missing');
    await act(`/vms/${site.vm}`, 'start');
    const events = await site.api.until('/events?max=20', (one) => one.text.includes('is missing'));
    expect(events.text).toContain('Failed to resume VM real: its saved memory is missing.');
    await site.waitForStatus('down');
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
    site.hypervisor.deviceFailures.set('copy_disks', 'storage is full');
    const failed = await site.add(`/vms/${site.vm}/snapshots`, { description: 'failed' });
    await site.api.until(`/vms/${site.vm}/snapshots/${failed}`, (answer) => answer.status === 404);
    expect(listMemories()).toHaveLength(2);
    await stop();
    await act(path, 'restore');
    await site.waitForStatus('down');
    expect(listMemories()).toEqual([first]);
    expect((await site.send('DELETE', `/vms/${site.vm}`)).status).toBe(200);
    await site.api.until(`/vms/${site.vm}`, (answer) => answer.status === 404);
    expect(listMemories()).toEqual([]);
  });

  it('is forgotten if the VM ends while it loads', async () => {
    await start();
    const path = await take();
    await stop();
    await act(path, 'restore', { restore_memory: true });
    await site.waitForStatus('down');
    const release = site.hypervisor.hold();
    await act(`/vms/${site.vm}`, 'start');
    await site.waitForStatus('restoring_state');
    release();
    await site.waitForStatus('up');
    await stop();
    expect((await site.send('GET', `/vms/${site.vm}/snapshots`)).json()).toBeDefined();
    await start();
    expect(findLast()).toEqual({ change: 'launch' });
  });
});

describe('a snapshot of a VM whose memory cannot be saved', () => {
  it('has no memory, and is refused with one, if another process cannot continue the VM', async () => {
    await start();
    site.hypervisor.obstacles.set(site.vm, 'the devices of the VM have changed');
    const path = await take();
    expect(findMemory()).toBeUndefined();
    expect((await site.send('GET', path)).json()['persist_memorystate']).toBe(false);
    const body = { description: 'two', persist_memorystate: true };
    const answer = await site.send('POST', `/vms/${site.vm}/snapshots`, body);
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
    const answer = await site.send('POST', `/vms/${site.vm}/snapshots`, body);
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
    const answer = await site.send('POST', `${path}/restore`, body);
    expect(answer.status).toBe(409);
    expect(answer.text).toContain('its memory requires all disks of the snapshot');
    expect((await site.send('GET', path)).json()['snapshot_status']).toBe('ok');
  });

  it('excludes first boot data', async () => {
    await start();
    const path = await take();
    await stop();
    await act(path, 'restore', { restore_memory: true });
    await site.waitForStatus('down');
    const answer = await site.send('POST', `/vms/${site.vm}/start`, { use_cloud_init: true });
    expect(answer.status).toBe(409);
    expect(answer.text).toContain('reads no first boot data');
  });
});
