/** Suspension, migration, watchdog and disk statistics of VMs that a hypervisor runs. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RawApi } from '../../../support/raw.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { FakeHypervisor } from '../../support/fake-hypervisor.ts';

let hypervisor: FakeHypervisor;
let server: TestServer;
let api: RawApi;
let vm: string;

beforeEach(async () => {
  hypervisor = new FakeHypervisor();
  // At this speed, a timer would end no transition during the test.
  server = await startTestServer(['--speed', '1000'], { hypervisor: () => hypervisor });
  api = await RawApi.signIn(server);
  const found = await api.json('GET', '/vms?search=status%3Ddown');
  vm = found.json<{ vm: { id: string }[] }>().vm[0]?.id ?? '';
  await act('start');
  await waitForStatus('up');
});
afterEach(() => server.stop());

async function act(action: string, body: object = {}): Promise<void> {
  const answer = await api.json('POST', `/vms/${vm}/${action}`, body);
  expect(answer.status, answer.text).toBe(200);
}

async function waitForStatus(status: string): Promise<Record<string, unknown>> {
  const reached = await api.until(`/vms/${vm}`, (answer) => answer.json()['status'] === status);
  return reached.json();
}

async function readNewestEvent(): Promise<string | undefined> {
  const found = await api.json('GET', `/events?search=${encodeURIComponent(`vm.id=${vm}`)}`);
  return found.json<{ event: { description: string }[] }>().event[0]?.description;
}

describe('a suspension', () => {
  it('ends when the hypervisor has saved the memory, and a start restores it', async () => {
    await act('suspend');
    expect(await waitForStatus('suspended')).not.toHaveProperty('host');
    await act('start');
    await waitForStatus('up');
    const [, ...changes] = hypervisor.changes;
    expect(changes).toMatchObject([
      { vm, change: 'suspend' },
      { vm, change: 'restore' },
    ]);
  });

  it('leaves the VM up after a failure, and suspended after a failed start', async () => {
    hypervisor.failures.set('suspend', 'no space');
    await act('suspend');
    await waitForStatus('up');
    expect(await readNewestEvent()).toMatch(/^Failed to suspend VM .*: no space\.$/);
    await act('suspend');
    await waitForStatus('suspended');
    hypervisor.failures.set('restore', 'no memory');
    await act('start');
    await waitForStatus('suspended');
    expect(await readNewestEvent()).toMatch(/^Failed to resume VM .*: no memory\.$/);
  });

  it('forbids changes of disks and devices until the VM starts or stops', async () => {
    await act('suspend');
    await waitForStatus('suspended');
    const answer = await api.json('POST', `/vms/${vm}/nics`, { name: 'nic9' });
    expect(answer.status).toBe(409);
    expect(answer.text).toContain('while the VM is suspended; start or stop it first');
    await act('stop');
    await waitForStatus('down');
    expect((await api.json('POST', `/vms/${vm}/nics`, { name: 'nic9' })).status).toBe(201);
  });
});

describe('a migration', () => {
  it('ends on the other host when the hypervisor has moved the VM', async () => {
    const before = (await waitForStatus('up'))['host'];
    await api.json('PUT', `/vms/${vm}`, {
      ...{ migration_downtime: 250, migration: { auto_converge: 'false' } },
    });
    await act('migrate');
    expect((await waitForStatus('up'))['host']).not.toEqual(before);
    expect(hypervisor.changes.at(-1)).toMatchObject({
      ...{ vm, change: 'migrate', isPaused: false, downtime: 250, throttles: false },
    });
  });

  it('leaves the VM on its host after a failure', async () => {
    const before = (await waitForStatus('up'))['host'];
    hypervisor.failures.set('migrate', 'no process');
    await act('migrate');
    expect((await waitForStatus('up'))['host']).toEqual(before);
    expect(await readNewestEvent()).toMatch(/^Migration failed \(.*\): no process\.$/);
  });

  it('keeps a paused VM paused, also if it is cancelled', async () => {
    await hypervisor.pause(vm, 'eio');
    await waitForStatus('paused');
    await act('migrate');
    await waitForStatus('paused');
    expect(hypervisor.changes.at(-1)).toMatchObject({ change: 'migrate', isPaused: true });
    const end = hypervisor.hold();
    await act('migrate');
    while (hypervisor.changes.length < 3) await api.json('GET', `/vms/${vm}`);
    await act('cancelmigration');
    end();
    await waitForStatus('paused');
    expect(hypervisor.changes.at(-1)).toMatchObject({ change: 'cancel_migration' });
    expect(await readNewestEvent()).toMatch(/^Migration of VM .* was cancelled by /);
  });
});

it('names the reason why a VM cannot migrate, also to its host', async () => {
  hypervisor.obstacles.set(vm, 'its devices have changed');
  const { host } = await waitForStatus('up');
  const { id } = host as { id: string };
  for (const path of [`/vms/${vm}/migrate`, `/vms/${vm}/suspend`, `/hosts/${id}/deactivate`]) {
    const answer = await api.json('POST', path, {});
    expect(answer.status).toBe(409);
    expect(answer.text).toContain(': its devices have changed.');
  }
});

describe('a watchdog', () => {
  it('is part of the hardware', async () => {
    await act('stop');
    await waitForStatus('down');
    const added = { model: 'i6300esb', action: 'dump' };
    const created = await api.json('POST', `/vms/${vm}/watchdogs`, added);
    expect(created.status).toBe(201);
    const refused = await api.json('POST', `/vms/${vm}/start`, {});
    expect(refused.text).toContain('does not support the watchdog action dump');
    const { id } = created.json<{ id: string }>();
    await api.json('PUT', `/vms/${vm}/watchdogs/${id}`, { action: 'reset' });
    await act('start');
    await waitForStatus('up');
    expect(hypervisor.changes.at(-1)).toMatchObject({ hardware: { watchdog: 'reset' } });
  });

  it('pauses the VM, with an event', async () => {
    await hypervisor.actWatchdog(vm, 'pause');
    await waitForStatus('paused');
    expect(await readNewestEvent()).toMatch(/^The watchdog of VM .* Its action is pause\.$/);
  });
});

it('shows the statistics of disks', async () => {
  const attached = await api.json('GET', `/vms/${vm}/diskattachments`);
  const [disk] = attached.json<{ disk_attachment: { id: string }[] }>().disk_attachment;
  const id = disk?.id ?? '';
  const measures = {
    ...{ readRate: 1000, writeRate: 2000, reads: 3, writes: 4 },
    ...{ readLatency: 0.005, writeLatency: 0.006, flushLatency: 0.007 },
  };
  hypervisor.measures.set(vm, { processors: 0, memory: 0, disks: new Map([[id, measures]]) });
  const found = (await api.json('GET', `/disks/${id}/statistics`)).json<{
    statistic: { name: string; values: { value: { datum?: number }[] } }[];
  }>();
  const read = (name: string) =>
    found.statistic.find((one) => one.name === name)?.values.value[0]?.datum;
  expect(read('data.current.read')).toBe(1000);
  expect(read('data.current.write_ops')).toBe(4);
  expect(read('disk.flush.latency')).toBe(0.007);
});
