/** UEFI firmware of VMs of QEMU with a Linux guest. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findInstallation } from '../../../../src/features/qemu/installation.ts';
import { findSkipReason, GuestSite, guestTimeout } from '../support/guest-site.ts';

const reason = findSkipReason();
const installation = reason === undefined ? await findInstallation() : undefined;
const obstacle = reason ?? (installation?.uefi ? undefined : 'ovmf is not installed');
const note = obstacle === undefined ? '' : ` (skipped: ${obstacle})`;

let site: GuestSite;
let vars: string;

describe.skipIf(obstacle !== undefined)(`UEFI of a VM of QEMU${note}`, () => {
  beforeAll(async () => {
    site = await GuestSite.create('q35_ovmf');
    vars = join(site.data, 'vms', '.firmware', site.vm);
    await site.run('vms', 'start', 'guest');
    expect(await site.inGuest('ls -d /sys/firmware/efi')).toBe('/sys/firmware/efi');
  }, guestTimeout);
  afterAll(() => site.remove());

  it(
    'moves with a VM that migrates, and is saved with a suspended one',
    async () => {
      await site.inGuest('touch /run/mark');
      await site.run('vms', 'migrate', 'guest');
      await site.run('vms', 'suspend', 'guest');
      await site.run('vms', 'start', 'guest');
      await site.waitForStatus('up');
      expect(await site.inGuest('ls /run')).toContain('mark');
      expect([...site.processes().keys()]).toEqual([site.vm]);
    },
    guestTimeout,
  );

  it(
    'keeps its variables between runs',
    async () => {
      await site.run('vms', 'stop', 'guest');
      const written = readFileSync(vars);
      expect(written.equals(readFileSync(installation?.uefi?.vars ?? ''))).toBe(false);
      expect(statSync(vars).mode & 0o077).toBe(0);
      await site.run('vms', 'start', 'guest');
      await site.waitForStatus('up');
      await site.run('vms', 'stop', 'guest');
      expect(existsSync(vars)).toBe(true);
    },
    guestTimeout,
  );

  it.skipIf(installation?.secureUefi === undefined)(
    'starts with secure boot',
    async () => {
      await site.run('vms', 'update', 'guest', '--set', 'bios.type=q35_secure_boot');
      await site.run('vms', 'start', 'guest');
      await site.waitForStatus('up');
      expect(existsSync(`${vars}.secure`)).toBe(true);
      expect(site.pid).toBeDefined();
    },
    guestTimeout,
  );
});
