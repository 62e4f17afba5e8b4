/** Live migration of VMs of QEMU with a Linux guest. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findSkipReason, GuestSite, guestTimeout } from '../support/guest-site.ts';

const obstacle = findSkipReason();
const note = obstacle === undefined ? '' : ` (skipped: ${obstacle})`;

let site: GuestSite;

describe.skipIf(obstacle !== undefined)(`a migration of a VM of QEMU${note}`, () => {
  beforeAll(async () => {
    site = await GuestSite.create();
    await site.run('vms', 'start', 'guest');
    await site.inGuest('echo kept > /run/mark');
  }, guestTimeout);
  afterAll(() => site.remove());

  async function findHost(): Promise<string> {
    const vm = (await site.api.json('GET', `/vms/${site.vm}?follow=host`)).json();
    const { name } = vm['host'] as { name: string };
    return name;
  }

  /** The guest runs, has its memory, and writes to its disk. */
  async function requireGuest(text: string): Promise<void> {
    expect(await site.inGuest('cat /run/mark')).toBe('kept');
    const command = `echo ${text} > /dev/vda; sync; head -c ${text.length} /dev/vda; echo`;
    expect(await site.inGuest(command)).toBe(text);
    expect([...site.processes().keys()]).toEqual([site.vm]);
  }

  it(
    'moves the running guest to another process and host',
    async () => {
      const [pid, host] = [site.pid, await findHost()];
      await site.run('vms', 'migrate', 'guest');
      await site.waitForStatus('up');
      expect(await findHost()).not.toBe(host);
      expect(site.pid).not.toBe(pid);
      await requireGuest('first');
      expect((await site.listEvents())[0]).toMatch(/^Migration completed/);
    },
    guestTimeout,
  );

  it(
    'empties a host for maintenance',
    async () => {
      const [pid, host] = [site.pid, await findHost()];
      await site.run('hosts', 'deactivate', host);
      await site.waitForStatus('up');
      expect(await findHost()).not.toBe(host);
      expect(site.pid).not.toBe(pid);
      await requireGuest('second');
      await site.run('hosts', 'activate', host);
    },
    guestTimeout,
  );

  it(
    'leaves the VM where it is if the new process ends',
    async () => {
      const [pid, host] = [site.pid, await findHost()];
      expect((await site.api.json('POST', `/vms/${site.vm}/migrate`, {})).status).toBe(200);
      const target = await waitForTarget();
      process.kill(target, 'SIGKILL');
      await site.waitForStatus('up');
      expect(site.pid).toBe(pid);
      expect(await findHost()).toBe(host);
      expect((await site.listEvents())[0]).toMatch(/^Migration failed \(VM: guest, Source: /);
      await requireGuest('third');
    },
    guestTimeout,
  );

  it(
    'leaves one process after a cancellation',
    async () => {
      const host = await findHost();
      expect((await site.api.json('POST', `/vms/${site.vm}/migrate`, {})).status).toBe(200);
      await waitForTarget();
      expect((await site.api.json('POST', `/vms/${site.vm}/cancelmigration`, {})).status).toBe(200);
      await site.waitForStatus('up');
      expect(await findHost()).toBe(host);
      expect((await site.listEvents())[0]).toMatch(/^Migration of VM guest was cancelled by /);
      await requireGuest('fourth');
    },
    guestTimeout,
  );

  it(
    'survives a kill of the server',
    async () => {
      const host = await findHost();
      expect((await site.api.json('POST', `/vms/${site.vm}/migrate`, {})).status).toBe(200);
      await waitForTarget();
      await site.server.kill();
      await site.startServer();
      await site.waitForStatus('up');
      expect(await findHost()).not.toBe(host);
      await requireGuest('fifth');
    },
    guestTimeout,
  );

  it(
    'ends as a crash if the process of the VM ends',
    async () => {
      expect((await site.api.json('POST', `/vms/${site.vm}/migrate`, {})).status).toBe(200);
      await waitForTarget();
      process.kill(site.pid ?? 0, 'SIGKILL');
      await site.waitForStatus('down');
      expect(site.processes().size).toBe(0);
    },
    guestTimeout,
  );

  /** Id of the process to which the VM migrates. */
  async function waitForTarget(): Promise<number> {
    for (;;) {
      const target = site.processes().get(`${site.vm}.in`);
      if (target !== undefined) return target;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
});
