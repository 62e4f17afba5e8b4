/** VMs that boot: `vmctl serve --hypervisor qemu` with QEMU and a Linux guest of Debian. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { guestName } from '../support/guest.ts';
import { findSkipReason, GuestSite, guestTimeout as timeout } from '../support/guest-site.ts';

const obstacle = findSkipReason();
const note = obstacle === undefined ? '' : ` (skipped: ${obstacle})`;

let site: GuestSite;

describe.skipIf(obstacle !== undefined)(`a VM of QEMU${note}`, () => {
  beforeAll(async () => {
    site = await GuestSite.create();
  }, timeout);
  afterEach(async () => {
    await site.run('vms', 'stop', 'guest');
    expect(site.pid).toBeUndefined();
  }, timeout);
  afterAll(() => site.remove(), timeout);

  it(
    'boots Linux, reports by the guest agent, writes to its disk, and reboots',
    async () => {
      await site.run('vms', 'start', 'guest');
      await site.inGuest('echo written by the guest > /dev/vda; sync; touch /run/boot');
      const text = await site.inGuest('cat /sys/class/net/eth0/address; uname -s');
      expect(text).toMatch(/^([0-9a-f]{2}:){5}[0-9a-f]{2}\s+Linux$/);
      const [mac] = text.split(/\s/);
      const path = `/vms/${site.vm}`;
      const named = await site.api.until(path, (one) => one.json()['fqdn'] !== undefined);
      expect(named.json()).toMatchObject({ fqdn: guestName });
      const devices = await site.send('GET', `${path}/reporteddevices`);
      expect(devices.json()).toMatchObject({
        reported_device: [{ name: 'eth0', mac: { address: mac } }],
      });
      expect(devices.text).toContain('"address":"10.0.2.15"');
      const screen = await site.api.call('POST', `${path}/screenshot`, {
        headers: { Accept: 'image/png' },
      });
      expect(screen.bytes.subarray(1, 4).toString()).toBe('PNG');
      const pid = site.pid;
      await site.run('vms', 'reboot', 'guest');
      await site.waitForStatus('up');
      // The file was in the memory of the guest.
      expect(await site.inGuest('ls /run')).not.toContain('boot');
      expect(site.pid).toBe(pid);
      await site.run('vms', 'stop', 'guest');
      const content = site.readImage(site.disk);
      expect(content).toHaveLength(16 * 2 ** 20);
      expect(content.toString('latin1', 0, 20)).toBe('written by the guest');
    },
    timeout,
  );

  it(
    'shuts down on request, and when the guest powers off',
    async () => {
      for (const request of ['server', 'guest']) {
        await site.run('vms', 'start', 'guest');
        await site.inGuest('true');
        if (request === 'server') await site.run('vms', 'shutdown', 'guest');
        else await site.sendToGuest('poweroff -f');
        await site.waitForStatus('down');
        expect(site.pid).toBeUndefined();
      }
      expect((await site.listEvents())[0]).toMatch(
        /is down\. Exit message: the guest shut down\.$/,
      );
    },
    timeout,
  );

  it(
    'survives a kill of the server',
    async () => {
      await site.run('vms', 'start', 'guest');
      const pid = site.pid;
      await site.server.kill();
      expect(site.pid).toBe(pid);
      await site.startServer();
      expect(await site.waitForStatus('up')).toBeDefined();
      expect(await site.inGuest('uname -s')).toBe('Linux');
      await site.server.kill();
      process.kill(pid ?? 0, 'SIGKILL');
      await site.startServer();
      await site.waitForStatus('down');
      expect((await site.listEvents())[0]).toMatch(/the QEMU process ended unexpectedly\.$/);
    },
    timeout,
  );

  it(
    'restarts after a kill of QEMU if it is highly available',
    async () => {
      await site.run('vms', 'update', 'guest', '--set', 'high_availability.enabled=true');
      await site.run('vms', 'start', 'guest');
      const pid = site.pid ?? 0;
      process.kill(pid, 'SIGKILL');
      await site.api.until('/events?max=20', (answer) =>
        answer.text.includes('was restarted on host'),
      );
      await site.waitForStatus('up');
      expect(site.pid).not.toBe(pid);
      expect(await site.inGuest('uname -s')).toBe('Linux');
    },
    timeout,
  );

  it(
    'restores a snapshot of the running VM',
    async () => {
      await site.run('vms', 'start', 'guest');
      await site.inGuest('echo first > /dev/vda; sync');
      await site.run('snapshots', 'create', '--vm', 'guest', '--description', 'first');
      await site.inGuest('echo second > /dev/vda; sync');
      await site.run('vms', 'stop', 'guest');
      await site.run('snapshots', 'restore', 'first', '--vm', 'guest', '--yes');
      expect(site.readImage(site.disk).toString('latin1', 0, 5)).toBe('first');
    },
    timeout,
  );
});
