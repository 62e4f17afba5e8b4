/** Discs in the CD drive of a running VM, and devices of the chipset i440fx. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { guestFiles } from '../support/guest.ts';
import { findSkipReason, GuestSite, guestTimeout as timeout } from '../support/guest-site.ts';

const obstacle = findSkipReason();
const note = obstacle === undefined ? '' : ` (skipped: ${obstacle})`;

let site: GuestSite;

/** Inserts a file or a disk into the drive of the run; ejects without one. */
async function insert(id: string): Promise<void> {
  const path = `/vms/${site.vm}/cdroms/00000000-0000-0000-0000-000000000000?current=true`;
  await site.send('PUT', path, { file: { id } });
}

/** The first line of the disc. */
const read = 'head -n 1 /dev/sr0 2> /dev/null';

function writeDisc(name: string, line: string): void {
  writeFileSync(join(site.isoFolder, name), Buffer.alloc(2 ** 16).fill(`${line}\n`, 0, 16));
}

describe.skipIf(obstacle !== undefined)(`the CD drive of a VM of QEMU${note}`, () => {
  beforeAll(async () => {
    site = await GuestSite.createBare({ bios: { type: 'i440fx_sea_bios' } });
    for (const name of ['first.iso', 'second.iso']) writeDisc(name, name);
    const libraries = await site.send('GET', '/storagedomains');
    const iso = libraries
      .json<{ storage_domain: { id: string; type: string }[] }>()
      .storage_domain.find(({ type }) => type === 'iso');
    const found = await site.send('GET', `/storagedomains/${iso?.id}/files?refresh=true`);
    const names = found.json<{ file: { name: string }[] }>().file.map(({ name }) => name);
    // Simulated files have no content.
    expect(names.sort()).toEqual([...guestFiles, 'first.iso', 'second.iso'].sort());
    await site.start();
  }, timeout);
  afterAll(() => site.remove(), timeout);

  it(
    'gets other discs, and is ejected, although the guest has locked it',
    async () => {
      expect(await site.inGuest(read)).toBe('');
      await insert('first.iso');
      await site.untilGuest(read, 'first.iso');
      await site.restartServer();
      // An open device locks the drive.
      await site.inGuest('exec 9< /dev/sr0');
      await insert('second.iso');
      await site.inGuest('exec 9<&-');
      await site.untilGuest(read, 'second.iso');
      await insert('');
      await site.untilGuest(read, '');
    },
    timeout,
  );

  it(
    'refuses a disc whose file is missing, and keeps the present one',
    async () => {
      await insert('first.iso');
      rmSync(join(site.isoFolder, 'second.iso'));
      const path = `/vms/${site.vm}/cdroms/00000000-0000-0000-0000-000000000000?current=true`;
      const answer = await site.api.json('PUT', path, { file: { id: 'second.iso' } });
      expect(answer.status, answer.text).toBe(409);
      expect(answer.text).toContain('has no file second.iso');
      expect((await site.send('GET', path)).text).toContain('first.iso');
      await site.untilGuest(read, 'first.iso');
    },
    timeout,
  );

  it(
    'is beside NICs and disks that are plugged in and unplugged',
    async () => {
      const nic = await site.addNic('nic1');
      const disk = await site.addDisk('root');
      await site.untilGuest('ls -d /sys/class/net/eth0 /sys/block/vda | wc -l', '2');
      await site.send('POST', `/vms/${site.vm}/nics/${nic}/deactivate`, {});
      await site.send('PUT', `/vms/${site.vm}/diskattachments/${disk}`, { active: false });
      expect(await site.inGuest('ls /sys/class/net/ /sys/block')).not.toMatch(/eth0|vda/);
    },
    timeout,
  );
});

describe.skipIf(obstacle !== undefined)(`a guest that does not run${note}`, () => {
  let disk: string;
  beforeAll(async () => {
    site = await GuestSite.createBare({ bios: { type: 'q35_sea_bios' } });
    disk = await site.addDisk('root');
    await site.send('POST', `/vms/${site.vm}/start`, { pause: true });
    await site.waitForStatus('paused');
  }, timeout);
  afterAll(() => site.remove(), timeout);

  it(
    'keeps its disk, until QEMU removes it at a reset',
    async () => {
      const path = `/vms/${site.vm}/diskattachments/${disk}`;
      const answer = await site.api.json('PUT', path, { active: false });
      expect(answer.status, answer.text).toBe(409);
      expect(answer.text).toContain('the guest does not release the device');
      expect((await site.send('GET', path)).json()).toMatchObject({ active: true });
      await site.waitForDisk(disk);
      await site.send('POST', `/vms/${site.vm}/start`, {});
      await site.waitForStatus('up');
      // A guest that is booting may take the request to release the device, and lose it by a reset.
      do {
        await site.act('reset');
        await new Promise((resolve) => setTimeout(resolve, 2_000));
      } while ((await site.send('GET', path)).json()['active'] === true);
      expect(await site.inGuest('ls /sys/block')).not.toContain('vda');
    },
    timeout,
  );
});
