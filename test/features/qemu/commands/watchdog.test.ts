/** Watchdog, memory balloon, sound card and disk statistics of VMs of QEMU with a guest. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findSkipReason, GuestSite, guestTimeout } from '../support/guest-site.ts';

const obstacle = findSkipReason();
const note = obstacle === undefined ? '' : ` (skipped: ${obstacle})`;

let site: GuestSite;

/** Lets the watchdog card expire, without its driver. */
const expire = [
  'for d in /sys/bus/pci/devices/*; do grep -q 0x25ab $d/device && w=$d; done',
  'echo 1 > $w/enable; b=$(head -n 1 $w/resource | cut -d " " -f 1)',
  'printf "\\007\\000" | dd of=$w/config bs=2 seek=48 conv=notrunc 2> /dev/null',
  'unlock() { devmem $((b + 12)) 16 0x80; devmem $((b + 12)) 16 0x86; }',
  'unlock; devmem $b 32 0x100; unlock; devmem $((b + 4)) 32 0x100',
  'printf "\\002" | dd of=$w/config bs=1 seek=104 conv=notrunc 2> /dev/null',
].join('; ');

describe.skipIf(obstacle !== undefined)(`built-in devices of a VM of QEMU${note}`, () => {
  beforeAll(async () => {
    site = await GuestSite.create();
    await site.run(
      ...['watchdogs', 'create', '--vm', 'guest', '--model', 'i6300esb', '--action', 'pause'],
    );
    await site.run('vms', 'start', 'guest');
  }, guestTimeout);
  afterAll(() => site.remove());

  it(
    'include a balloon and a sound card, and measure the disk',
    async () => {
      const models = await site.inGuest('cat /sys/bus/pci/devices/*/device');
      expect(models.split(/\s+/)).toEqual(
        // Virtio balloon, HDA of ICH9, watchdog.
        expect.arrayContaining(['0x1002', '0x293e', '0x25ab']),
      );
      await site.inGuest('head -c 4194304 /dev/zero > /dev/vda; sync');
      const found = await site.api.until(`/disks/${site.disk}/statistics`, (answer) => {
        const { statistic } = answer.json<{
          statistic: { name: string; values: { value: { datum?: number }[] } }[];
        }>();
        const writes = statistic.find(({ name }) => name === 'data.current.write_ops');
        return (writes?.values.value[0]?.datum ?? 0) > 0;
      });
      expect(found.text).toContain('disk.write.latency');
    },
    guestTimeout,
  );

  it(
    'pause the VM when the watchdog expires, and continue it',
    async () => {
      await site.inGuest(`(sleep 1; ${expire}) > /dev/null 2>&1 & true`);
      await site.waitForStatus('paused');
      expect((await site.listEvents())[0]).toBe(
        'The watchdog of VM guest expired. Its action is pause.',
      );
      await site.run('vms', 'start', 'guest');
      await site.waitForStatus('up');
      expect(await site.inGuest('uname -s')).toBe('Linux');
    },
    guestTimeout,
  );
});
