/** Failed and interrupted backups of running VMs of QEMU: no later backup misses a change. */
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rebuild } from '../../../support/backed-up.ts';
import { BackedUpGuest, deliveryOf } from '../support/backed-up-guest.ts';
import { findSkipReason, guestTimeout } from '../support/guest-site.ts';

const obstacle = findSkipReason();
const note = obstacle === undefined ? '' : ` (skipped: ${obstacle})`;

let guest: BackedUpGuest;

describe.skipIf(obstacle !== undefined)(`interrupted backups of a running VM${note}`, () => {
  beforeAll(async () => {
    guest = await BackedUpGuest.create();
  }, guestTimeout);
  afterAll(() => guest?.remove(), guestTimeout);

  it(
    'continue after kills of the server while the guest writes',
    async () => {
      const { disk, site } = guest;
      const first = await guest.machine.backUp([disk]);
      let rebuilt = deliveryOf(first, disk).whole;
      let { checkpoint } = first;
      await guest.beginWriter();
      for (const milliseconds of [0, 40, 120]) {
        const answer = await site.api.json('POST', `/vms/${site.vm}/backups`, {
          disks: { disk: [{ id: disk }] },
          from_checkpoint_id: checkpoint,
        });
        expect(answer.status, answer.text).toBeLessThan(300);
        const { id } = answer.json<{ id: string }>();
        await wait(milliseconds);
        await site.server.kill();
        await guest.restartServer();
        const here = `/vms/${site.vm}/backups/${id}`;
        const ready = await site.api.until(here, (one) => one.json()['phase'] === 'ready');
        const mode = (await guest.machine.modes(id)).get(disk) ?? 'full';
        const delivered = await guest.machine.deliver(disk, id, mode);
        rebuilt = rebuild(delivered, rebuilt);
        expect(rebuilt.equals(delivered.whole)).toBe(true);
        await guest.machine.end(id);
        checkpoint = ready.json<{ to_checkpoint_id: string }>().to_checkpoint_id;
      }
      await guest.endWriter();
      const last = deliveryOf(await guest.machine.backUp([disk], checkpoint), disk);
      guest.image = rebuild(last, rebuilt);
      expect(guest.image.equals(last.whole)).toBe(true);
    },
    guestTimeout,
  );

  it(
    'fail with the VM without a trace, and are full after a new start',
    async () => {
      const { disk, raw, site, machine } = guest;
      const first = await machine.backUp([disk]);
      const before = guest.listImages();
      const { id, phase } = await machine.begin([disk, raw], first.checkpoint);
      expect(phase).toBe('ready');
      expect(guest.listImages().length).toBeGreaterThan(before.length + 1);
      await guest.write('five', 100, 2);
      await site.act('stop', { force: true });
      await site.waitForStatus('down');
      const failed = await site.api.json('GET', `/vms/${site.vm}/backups/${id}`);
      expect(failed.json()['phase']).toBe('failed');
      for (const one of [disk, raw]) await machine.free(one);
      expect(guest.readImage(disk).equals(guest.image)).toBe(true);
      const down = await machine.backUp([disk], first.checkpoint);
      expect(deliveryOf(down, disk).mode).toBe('full');
      await guest.start();
      await guest.write('six', 200, 2);
      const next = await machine.backUp([disk], down.checkpoint);
      expect(deliveryOf(next, disk).mode).toBe('full');
      expect(deliveryOf(next, disk).whole.equals(guest.image)).toBe(true);
    },
    guestTimeout,
  );

  it(
    'are full after a migration, and consistent only with a guest agent',
    async () => {
      const { disk, site, machine } = guest;
      const consistent = await machine.backUp([disk], undefined, '?require_consistency=true');
      await site.act('migrate');
      await site.waitForStatus('up');
      await guest.openShell();
      await guest.write('eight', 210, 2);
      const moved = await machine.backUp([disk], consistent.checkpoint);
      const base = deliveryOf(moved, disk);
      expect(base.mode).toBe('full');
      expect(base.whole.equals(guest.image)).toBe(true);
      await guest.run('killall qemu-ga');
      const { phase } = await machine.begin([disk], undefined, '?require_consistency=true');
      expect(phase).toBe('failed');
      // The failed backup does not hide a change.
      await guest.write('nine', 220, 2);
      const next = deliveryOf(await machine.backUp([disk], moved.checkpoint), disk);
      expect(rebuild(next, base.whole).equals(guest.image)).toBe(true);
      const active = await site.api.json('POST', `/vms/${site.vm}/backups?use_active=true`, {
        disks: { disk: [{ id: disk }] },
      });
      expect(active.status).toBe(409);
    },
    guestTimeout,
  );
});
