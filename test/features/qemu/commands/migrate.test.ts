/** Live migration of VMs of QEMU with a Linux guest. */
import { spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  sendMemory,
  waitForLoad,
  waitForTransfer,
} from '../../../../src/features/qemu/memory-transfer.ts';
import { RunningVm } from '../../../../src/features/qemu/running-vm.ts';
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
    'leaves the VM in its process if the new process ends',
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
    'ends at the next start of the server after a crash between the two processes',
    async () => {
      const source = join(site.data, 'vms', site.vm);
      const pid = site.pid ?? 0;
      await site.server.kill();
      const target = await moveMemory(source, pid);
      process.kill(pid, 'SIGKILL');
      await site.startServer();
      await site.waitForStatus('up');
      await site.api.until('/vms', () => site.pid === target);
      await requireGuest('sixth');
    },
    guestTimeout,
  );

  /** Moves the memory of a VM to a copy of its process, as the server does before the switch. */
  async function moveMemory(source: string, pid: number): Promise<number> {
    const folder = `${source}.in`;
    mkdirSync(folder);
    for (const name of ['hardware.json', 'run.json']) {
      copyFileSync(join(source, name), join(folder, name));
    }
    const [program = '', ...words] = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      .slice(0, -1)
      .split('\0');
    const own = words.includes('-incoming') ? words : [...words, '-incoming', 'defer'];
    const child = spawn(program, own, { cwd: folder, detached: true, stdio: 'ignore' });
    while (!existsSync(join(folder, 'qmp'))) await new Promise((done) => setTimeout(done, 20));
    const common = { id: site.vm, run: 'run' };
    const connect = (folder: string, pid = 0) =>
      RunningVm.connect({ ...common, pid, folder }, () => {});
    const [from, to] = [await connect(source, pid), await connect(folder, child.pid)];
    await to.execute('migrate-incoming', { uri: 'unix:in' });
    await sendMemory(from, join(folder, 'in'));
    await waitForTransfer(from);
    await waitForLoad(to);
    from.disconnect();
    to.disconnect();
    return child.pid ?? 0;
  }

  it(
    'keeps the link of a NIC, which has changed since the start',
    async () => {
      const path = `/vms/${site.vm}/nics`;
      const nics = (await site.send('GET', path)).json<{ nic: { id: string }[] }>().nic;
      const nic = `${path}/${nics[0]?.id}`;
      const carrier = 'cat /sys/class/net/eth0/carrier';
      await site.send('PUT', nic, { linked: false });
      await site.untilGuest(carrier, '0');
      await site.run('vms', 'migrate', 'guest');
      await site.waitForStatus('up');
      expect(await site.inGuest(carrier)).toBe('0');
      await site.send('PUT', nic, { linked: true });
      await site.untilGuest(carrier, '1');
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

  it(
    'is refused if a device was added since the start',
    async () => {
      await site.start();
      await site.addNic('nic2');
      const reason = 'the devices of the VM have changed since its start; restart it first';
      // Until the server has seen the device, the migration fails, and the VM remains.
      for (;;) {
        const answer = await site.api.json('POST', `/vms/${site.vm}/migrate`, {});
        if (answer.status === 409 && answer.text.includes(reason)) break;
        await site.waitForStatus('up');
      }
      await site.untilGuest('ls /sys/class/net | grep -c eth', '2');
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
