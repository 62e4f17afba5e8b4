/** Backups of running VMs of QEMU: full ones, and increments from its dirty bitmaps. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rebuild } from '../../../support/backed-up.ts';
import { BackedUpGuest, countBlocks, deliveryOf } from '../support/backed-up-guest.ts';
import { findSkipReason, guestTimeout } from '../support/guest-site.ts';

const obstacle = findSkipReason();
const note = obstacle === undefined ? '' : ` (skipped: ${obstacle})`;

let guest: BackedUpGuest;

/** Names of the backups in the folder of `backups run`, oldest first. */
function listBackups(): string[] {
  return readdirSync(guest.folder)
    .filter((name) => /^\d/.test(name))
    .sort();
}

function readBackup(name: string, id: string): { mode: string; content: Buffer } {
  const folder = join(guest.folder, name);
  const document = JSON.parse(readFileSync(join(folder, 'backup.json'), 'utf8')) as {
    disks: { id: string; file: string; mode: string }[];
  };
  const found = document.disks.find((one) => one.id === id);
  if (!found) throw new Error(`The backup ${name} has no disk ${id}.`);
  return { mode: found.mode, content: readFileSync(join(folder, found.file)) };
}

describe.skipIf(obstacle !== undefined)(`backups of a running VM${note}`, () => {
  beforeAll(async () => {
    guest = await BackedUpGuest.create();
  }, guestTimeout);
  afterAll(() => guest?.remove(), guestTimeout);

  it(
    'are written to a folder, and restore identical disks',
    async () => {
      const { folder, disk, raw, site } = guest;
      await guest.vmctl('backups', 'run', 'guest', folder);
      const first = Buffer.from(guest.image);
      await guest.write('two', 20, 5);
      await guest.write('three', 240, 1);
      await guest.vmctl('backups', 'run', 'guest', folder);
      const second = Buffer.from(guest.image);
      await guest.write('later', 30, 10);
      const [full = '', increment = ''] = listBackups();
      expect(readBackup(full, disk)).toMatchObject({ mode: 'full' });
      expect(readBackup(full, disk).content.equals(first)).toBe(true);
      expect(readBackup(increment, disk)).toMatchObject({ mode: 'incremental' });
      expect(readBackup(increment, disk).content.equals(second)).toBe(true);
      expect(readBackup(increment, raw).mode).toBe('full');
      expect(readBackup(increment, raw).content.toString('latin1', 0, 4)).toBe('raw\n');
      await guest.vmctl('backups', 'restore', folder, '--name', 'restored');
      const found = await site.api.json('GET', '/vms?search=name%3Drestored');
      const id = found.json<{ vm: { id: string }[] }>().vm[0]?.id;
      const attached = await site.api.json('GET', `/vms/${id}/diskattachments`);
      const disks = attached.json<{ disk_attachment: { id: string }[] }>().disk_attachment;
      const contents = disks.map((one) => guest.readImage(one.id));
      expect(contents.some((one) => one.equals(second))).toBe(true);
    },
    guestTimeout,
  );

  it(
    'contain exactly the changes, also after a restart of the server and while the guest writes',
    async () => {
      const { disk, site } = guest;
      const before = guest.listImages();
      const first = await guest.machine.backUp([disk]);
      expect(deliveryOf(first, disk).whole.equals(guest.image)).toBe(true);
      const none = await guest.machine.backUp([disk], first.checkpoint);
      expect(deliveryOf(none, disk)).toMatchObject({ mode: 'incremental' });
      expect(countBlocks(deliveryOf(none, disk))).toBe(0);
      await guest.write('four', 180, 3);
      await site.server.stop();
      await guest.restartServer();
      const next = await guest.machine.backUp([disk], none.checkpoint);
      expect(deliveryOf(next, disk).mode).toBe('incremental');
      expect(countBlocks(deliveryOf(next, disk))).toBe(3);
      let rebuilt = rebuild(deliveryOf(next, disk), deliveryOf(none, disk).whole);
      expect(rebuilt.equals(guest.image)).toBe(true);
      // An older checkpoint has the changes of several periods.
      const older = await guest.machine.backUp([disk], first.checkpoint);
      expect(countBlocks(deliveryOf(older, disk))).toBe(3);

      await guest.beginWriter();
      let { checkpoint } = older;
      for (let number = 0; number < 4; number += 1) {
        const busy = await guest.machine.backUp([disk], checkpoint);
        expect(deliveryOf(busy, disk).mode).toBe('incremental');
        rebuilt = rebuild(deliveryOf(busy, disk), rebuilt);
        expect(rebuilt.equals(deliveryOf(busy, disk).whole)).toBe(true);
        ({ checkpoint } = busy);
      }
      await guest.endWriter();
      const last = await guest.machine.backUp([disk], checkpoint);
      rebuilt = rebuild(deliveryOf(last, disk), rebuilt);
      expect(rebuilt.equals(deliveryOf(last, disk).whole)).toBe(true);
      // The copies are removed. Each of the nine checkpoints has at most one bitmap.
      const left = guest.listImages().filter((name) => !before.includes(name));
      expect(left.length).toBeLessThanOrEqual(9);
    },
    guestTimeout,
  );
});
