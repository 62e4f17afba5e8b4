/** Suspension of VMs of QEMU with a Linux guest. */
import { existsSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findSkipReason, GuestSite, guestTimeout } from '../support/guest-site.ts';

const obstacle = findSkipReason();
const note = obstacle === undefined ? '' : ` (skipped: ${obstacle})`;

let site: GuestSite;
let saved: string;

describe.skipIf(obstacle !== undefined)(`a suspended VM of QEMU${note}`, () => {
  beforeAll(async () => {
    site = await GuestSite.create();
    saved = join(site.data, 'vms', '.saved', site.vm);
    await site.run('vms', 'start', 'guest');
    await site.inGuest('echo kept > /run/mark; (sleep 100000 &)');
  }, guestTimeout);
  afterAll(() => site.remove());

  async function listMarks(): Promise<string> {
    return site.inGuest('cat /run/mark; pidof sleep > /dev/null && echo sleeping');
  }

  it(
    'continues in a new process with its memory, and keeps its disk',
    async () => {
      const pid = site.pid;
      await site.run('vms', 'suspend', 'guest');
      await site.waitForStatus('suspended');
      expect(site.processes().size).toBe(0);
      expect(statSync(join(saved, 'memory')).mode & 0o777).toBe(0o600);
      const refused = await site.home.run([
        ...['nics', 'create', '--vm', 'guest', '--name', 'nic2', '--vnic-profile', 'mgmt'],
      ]);
      expect(refused.stderr).toContain('while the VM is suspended; start or stop it first');
      await site.run('vms', 'start', 'guest');
      await site.waitForStatus('up');
      expect(site.pid).not.toBe(pid);
      expect(await listMarks()).toMatch(/^kept\s+sleeping$/);
      expect(existsSync(saved)).toBe(false);
      expect(await site.inGuest('echo disk > /dev/vda; sync; head -c 4 /dev/vda; echo')).toBe(
        'disk',
      );
    },
    guestTimeout,
  );

  it(
    'continues to run after a failed suspension, with an event',
    async () => {
      const pid = site.pid;
      const folder = join(site.data, 'vms', '.saved');
      rmSync(folder, { recursive: true, force: true });
      writeFileSync(folder, 'not a folder');
      await site.home.run(['vms', 'suspend', 'guest']);
      await site.waitForStatus('up');
      rmSync(folder);
      expect((await site.listEvents())[0]).toMatch(/^Failed to suspend VM guest on Host /);
      expect(site.pid).toBe(pid);
      expect(await listMarks()).toMatch(/^kept\s+sleeping$/);
    },
    guestTimeout,
  );

  it(
    'remains suspended after a failed start, and starts later',
    async () => {
      await site.run('vms', 'suspend', 'guest');
      await site.waitForStatus('suspended');
      const iso = join(site.data, 'iso', 'vmlinuz');
      const hidden = join(site.data, 'vmlinuz');
      renameSync(iso, hidden);
      await site.home.run(['vms', 'start', 'guest']);
      await site.waitForStatus('suspended');
      renameSync(hidden, iso);
      expect((await site.listEvents())[0]).toMatch(
        /^Failed to resume VM guest: the folder of ISO images has no file vmlinuz\.$/,
      );
      expect(site.processes().size).toBe(0);
      await site.run('vms', 'start', 'guest');
      await site.waitForStatus('up');
      expect(await listMarks()).toMatch(/^kept\s+sleeping$/);
    },
    guestTimeout,
  );

  it(
    'survives a kill of the server during the suspension and the start',
    async () => {
      expect((await site.api.json('POST', `/vms/${site.vm}/suspend`, {})).status).toBe(200);
      await site.server.kill();
      await site.startServer();
      await site.waitForStatus('suspended');
      expect(site.processes().size).toBe(0);
      expect((await site.api.json('POST', `/vms/${site.vm}/start`, {})).status).toBe(200);
      await site.server.kill();
      await site.startServer();
      await site.waitForStatus('up');
      expect(await listMarks()).toMatch(/^kept\s+sleeping$/);
      expect(site.processes().size).toBe(1);
      expect(readdirSync(join(site.data, 'vms', '.saved'))).toEqual([]);
    },
    guestTimeout,
  );

  it(
    'loses its memory when it is stopped',
    async () => {
      await site.run('vms', 'suspend', 'guest');
      await site.waitForStatus('suspended');
      await site.run('vms', 'stop', 'guest');
      await site.waitForStatus('down');
      await site.run('vms', 'start', 'guest');
      await site.waitForStatus('up');
      expect(existsSync(saved)).toBe(false);
      expect(await site.inGuest('ls /run')).not.toContain('mark');
    },
    guestTimeout,
  );
});
