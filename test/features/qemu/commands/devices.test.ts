/** Changes of NICs and disks of a running VM with the chipset q35. */
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findSkipReason, GuestSite, guestTimeout as timeout } from '../support/guest-site.ts';

const obstacle = findSkipReason();
const note = obstacle === undefined ? '' : ` (skipped: ${obstacle})`;

let site: GuestSite;
/** Ids of the disk and the NIC with which the VM starts. */
let root: string;
let nic: string;
let cow: string;

/** Names of the disks and NICs in the guest. */
const listDisks = 'ls /sys/block | grep -E "^(vd|sd)" | xargs echo';
const listNics = 'ls /sys/class/net | grep eth | xargs echo';

/** Id of the image of a disk in its only snapshot. */
async function findImage(disk: string): Promise<string> {
  const found = await site.send('GET', `/disks/${disk}/disksnapshots`);
  return found.json<{ disk_snapshot: { id: string }[] }>().disk_snapshot[0]?.id ?? '';
}

describe.skipIf(obstacle !== undefined)(`devices of a VM of QEMU${note}`, () => {
  beforeAll(async () => {
    site = await GuestSite.createBare({ bios: { type: 'q35_sea_bios' } });
    root = await site.addDisk('root');
    nic = await site.addNic('nic1');
    await site.start();
  }, timeout);
  afterAll(() => site.remove(), timeout);

  it(
    'are NICs that are plugged in and unplugged, also by another server',
    async () => {
      const path = `/vms/${site.vm}/nics`;
      await site.untilGuest(listNics, 'eth0');
      const second = await site.addNic('nic2');
      await site.untilGuest(listNics, 'eth0 eth1');
      const [, mac] =
        (await site.send('GET', `${path}/${second}`)).text.match(/"address":"(\S+?)"/) ?? [];
      expect(await site.inGuest('cat /sys/class/net/eth1/address')).toBe(mac);
      await site.inGuest('ip link set eth1 up');
      await site.send('PUT', `${path}/${second}`, { linked: false });
      await site.untilGuest('cat /sys/class/net/eth1/carrier', '0');
      await site.restartServer();
      await site.send('PUT', `${path}/${second}`, { linked: true });
      await site.untilGuest('cat /sys/class/net/eth1/carrier', '1');
      // The first NIC was an argument of the process.
      for (const id of [second, nic]) await site.send('POST', `${path}/${id}/deactivate`, {});
      expect(await site.inGuest(listNics)).toBe('');
      await site.send('POST', `${path}/${nic}/activate`, {});
      await site.untilGuest(listNics, 'eth0');
      await site.send('DELETE', `${path}/${second}`);
    },
    timeout,
  );

  it(
    'are disks that are plugged in, unplugged and detached, also by another server',
    async () => {
      await site.untilGuest(listDisks, 'vda');
      const virtio = await site.addDisk('second');
      const scsi = await site.addDisk('third', { interface: 'virtio_scsi' }, { format: 'cow' });
      await site.untilGuest(listDisks, 'sda vda vdb');
      await site.inGuest('echo second > /dev/vdb; echo third > /dev/sda; sync');
      await site.restartServer();
      const attachments = `/vms/${site.vm}/diskattachments`;
      for (const id of [virtio, scsi]) {
        await site.send('PUT', `${attachments}/${id}`, { active: false });
        await site.waitForDisk(id);
      }
      expect(await site.inGuest(listDisks)).toBe('vda');
      expect(site.readImage(virtio).toString('latin1', 0, 6)).toBe('second');
      await site.send('PUT', `${attachments}/${scsi}`, { active: true });
      await site.untilGuest(listDisks, 'sda vda');
      expect(await site.inGuest('head -n 1 /dev/sda')).toBe('third');
      await site.waitForDisk(scsi);
      await site.send('DELETE', `${attachments}/${scsi}?detach_only=true`);
      expect(await site.inGuest(listDisks)).toBe('vda');
      await site.send('DELETE', `${attachments}/${virtio}`);
      const refused = await site.api.json('POST', attachments, {
        ...{ interface: 'sata', active: true, disk: { id: scsi } },
      });
      expect(refused.status, refused.text).toBe(400);
    },
    timeout,
  );

  it(
    'are disks that grow',
    async () => {
      cow = await site.addDisk('cow', {}, { format: 'cow' });
      await site.untilGuest(listDisks, 'vda vdb');
      for (const [id, name] of [
        [root, 'vda'],
        [cow, 'vdb'],
      ]) {
        const size = 2 ** 25;
        await site.send('PUT', `/vms/${site.vm}/diskattachments/${id}`, {
          disk: { provisioned_size: size },
        });
        await site.untilGuest(`blockdev --getsize64 /dev/${name}`, String(size));
        await site.waitForDisk(id ?? '');
      }
    },
    timeout,
  );

  it(
    'are disks in a snapshot, with the content of frozen file systems',
    async () => {
      await site.api.until(`/vms/${site.vm}`, (one) => one.json()['fqdn'] !== undefined);
      await site.inGuest('mke2fs /dev/vda > /dev/null; mkdir -p /mnt; mount -t ext2 /dev/vda /mnt');
      // The data is in the memory of the guest.
      await site.inGuest('echo before the snapshot > /mnt/file');
      await site.inGuest('echo second disk > /dev/vdb; sync /dev/vdb');
      const snapshots = `/vms/${site.vm}/snapshots`;
      const snapshot = await site.add(snapshots, { description: 'live' });
      const path = `${snapshots}/${snapshot}`;
      await site.api.until(path, (one) => one.json()['snapshot_status'] === 'ok');
      await site.inGuest('echo after it > /mnt/file; sync');
      const image = await findImage(root);
      const content = site.readImage(image);
      expect(content).toHaveLength(2 ** 25);
      expect(content.includes('before the snapshot')).toBe(true);
      expect(content.includes('after it')).toBe(false);
      expect(statSync(join(site.data, 'images', image)).blocks * 512).toBeLessThan(2 ** 23);
      expect(site.readImage(await findImage(cow)).includes('second disk')).toBe(true);
      await site.waitForDisk(root);
      expect(site.readImage(root).includes('after it')).toBe(true);
      await site.send('DELETE', path);
      await site.api.until(path, (one) => one.status === 404);
      const file = join(site.data, 'images', image);
      await expect.poll(() => existsSync(file), { timeout }).toBe(false);
      await site.inGuest('umount /mnt');
    },
    timeout,
  );
});
