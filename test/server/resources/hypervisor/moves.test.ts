/** Suspension, migration, watchdog and disk statistics of VMs that a hypervisor runs. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HypervisorSite } from '../../support/hypervisor-site.ts';

let site: HypervisorSite;

beforeEach(async () => {
  site = await HypervisorSite.createSlow();
  await site.start();
});
afterEach(() => site.stopServer());

async function readNewestEvent(): Promise<string | undefined> {
  return (await site.listEvents())[0];
}

describe('a suspension', () => {
  it('ends when the hypervisor has saved the memory, and a start restores it', async () => {
    await site.act('suspend');
    expect(await site.waitForStatus('suspended')).not.toHaveProperty('host');
    await site.act('start');
    await site.waitForStatus('up');
    const [, ...changes] = site.hypervisor.changes;
    expect(changes).toMatchObject([
      { vm: site.vm, change: 'suspend' },
      { vm: site.vm, change: 'restore' },
    ]);
  });

  it('leaves the VM up after a failure, and suspended after a failed start', async () => {
    site.hypervisor.failures.set('suspend', 'no space');
    await site.act('suspend');
    await site.waitForStatus('up');
    expect(await readNewestEvent()).toMatch(/^Failed to suspend VM .*: no space\.$/);
    await site.act('suspend');
    await site.waitForStatus('suspended');
    site.hypervisor.failures.set('restore', 'no memory');
    await site.act('start');
    await site.waitForStatus('suspended');
    expect(await readNewestEvent()).toMatch(/^Failed to resume VM .*: no memory\.$/);
  });

  it('forbids changes of disks and devices until the VM starts or stops', async () => {
    await site.act('suspend');
    await site.waitForStatus('suspended');
    const answer = await site.api.json('POST', `/vms/${site.vm}/nics`, { name: 'nic9' });
    expect(answer.status).toBe(409);
    expect(answer.text).toContain('while the VM is suspended; start or stop it first');
    await site.act('stop');
    await site.waitForStatus('down');
    expect((await site.api.json('POST', `/vms/${site.vm}/nics`, { name: 'nic9' })).status).toBe(
      201,
    );
  });
});

describe('a migration', () => {
  it('ends on the other host when the hypervisor has moved the VM', async () => {
    const before = (await site.waitForStatus('up'))['host'];
    await site.api.json('PUT', `/vms/${site.vm}`, {
      ...{ migration_downtime: 250, migration: { auto_converge: 'false' } },
    });
    await site.act('migrate');
    expect((await site.waitForStatus('up'))['host']).not.toEqual(before);
    expect(site.hypervisor.changes.at(-1)).toMatchObject({
      ...{ vm: site.vm, change: 'migrate', isPaused: false, downtime: 250, throttles: false },
    });
  });

  it('leaves the VM on its host after a failure', async () => {
    const before = (await site.waitForStatus('up'))['host'];
    site.hypervisor.failures.set('migrate', 'no process');
    await site.act('migrate');
    expect((await site.waitForStatus('up'))['host']).toEqual(before);
    expect(await readNewestEvent()).toMatch(/^Migration failed \(.*\): no process\.$/);
  });

  it('keeps a paused VM paused, also if it is cancelled', async () => {
    await site.hypervisor.pause(site.vm, 'eio');
    await site.waitForStatus('paused');
    await site.act('migrate');
    await site.waitForStatus('paused');
    expect(site.hypervisor.changes.at(-1)).toMatchObject({ change: 'migrate', isPaused: true });
    const end = site.hypervisor.hold();
    await site.act('migrate');
    while (site.hypervisor.changes.length < 3) await site.api.json('GET', `/vms/${site.vm}`);
    await site.act('cancelmigration');
    end();
    await site.waitForStatus('paused');
    expect(site.hypervisor.changes.at(-1)).toMatchObject({ change: 'cancel_migration' });
    expect(await readNewestEvent()).toMatch(/^Migration of VM .* was cancelled by /);
  });
});

it('names the reason why a VM cannot migrate, also to its host', async () => {
  site.hypervisor.obstacles.set(site.vm, 'its devices have changed');
  const { host } = await site.waitForStatus('up');
  const { id } = host as { id: string };
  for (const path of [
    `/vms/${site.vm}/migrate`,
    `/vms/${site.vm}/suspend`,
    `/hosts/${id}/deactivate`,
  ]) {
    const answer = await site.api.json('POST', path, {});
    expect(answer.status).toBe(409);
    expect(answer.text).toContain(': its devices have changed.');
  }
});

describe('a watchdog', () => {
  it('is part of the hardware', async () => {
    await site.act('stop');
    await site.waitForStatus('down');
    const added = { model: 'i6300esb', action: 'dump' };
    const created = await site.api.json('POST', `/vms/${site.vm}/watchdogs`, added);
    expect(created.status).toBe(201);
    const refused = await site.api.json('POST', `/vms/${site.vm}/start`, {});
    expect(refused.text).toContain('does not support the watchdog action dump');
    const { id } = created.json<{ id: string }>();
    await site.api.json('PUT', `/vms/${site.vm}/watchdogs/${id}`, { action: 'reset' });
    await site.act('start');
    await site.waitForStatus('up');
    expect(site.hypervisor.changes.at(-1)).toMatchObject({ hardware: { watchdog: 'reset' } });
  });

  it('pauses the VM, with an event', async () => {
    await site.hypervisor.actWatchdog(site.vm, 'pause');
    await site.waitForStatus('paused');
    expect(await readNewestEvent()).toMatch(/^The watchdog of VM .* Its action is pause\.$/);
  });
});

it('shows the statistics of disks', async () => {
  const attached = await site.api.json('GET', `/vms/${site.vm}/diskattachments`);
  const [disk] = attached.json<{ disk_attachment: { id: string }[] }>().disk_attachment;
  const id = disk?.id ?? '';
  const measures = {
    ...{ readRate: 1000, writeRate: 2000, reads: 3, writes: 4 },
    ...{ readLatency: 0.005, writeLatency: 0.006, flushLatency: 0.007 },
  };
  site.hypervisor.measures.set(site.vm, {
    processors: 0,
    memory: 0,
    disks: new Map([[id, measures]]),
  });
  const found = (await site.api.json('GET', `/disks/${id}/statistics`)).json<{
    statistic: { name: string; values: { value: { datum?: number }[] } }[];
  }>();
  const read = (name: string) =>
    found.statistic.find((one) => one.name === name)?.values.value[0]?.datum;
  expect(read('data.current.read')).toBe(1000);
  expect(read('data.current.write_ops')).toBe(4);
  expect(read('disk.flush.latency')).toBe(0.007);
});
