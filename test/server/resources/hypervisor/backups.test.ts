/** Backups of VMs that a hypervisor runs. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { HypervisorSite } from '../../support/hypervisor-site.ts';

let site: HypervisorSite;
let disk: string;

beforeEach(async () => {
  site = await HypervisorSite.create();
  disk = await site.addDisk({ format: 'cow', backup: 'incremental' });
  await site.waitForDisk(disk);
  await site.start();
});
afterEach(() => site.stopServer());

/** Begins a backup. Resolves with it in its next settled phase. */
async function begin(from?: string): Promise<Record<string, unknown>> {
  const id = await site.add(`/vms/${site.vm}/backups`, {
    disks: { disk: [{ id: disk }] },
    ...(from === undefined ? {} : { from_checkpoint_id: from }),
  });
  const found = await site.api.until(`/vms/${site.vm}/backups/${id}`, (answer) =>
    /ready|failed/.test(String(answer.json()['phase'])),
  );
  return found.json();
}

async function end({ id }: Record<string, unknown>): Promise<void> {
  const here = `/vms/${site.vm}/backups/${String(id)}`;
  expect((await site.api.json('POST', `${here}/finalize`, {})).status).toBe(200);
  await site.waitForDisk(disk);
}

async function readMode({ id }: Record<string, unknown>): Promise<unknown> {
  const found = await site.api.json('GET', `/vms/${site.vm}/backups/${String(id)}/disks`);
  return found.json<{ disk: { backup_mode: string }[] }>().disk[0]?.backup_mode;
}

it('begin periods of recorded writes, and are full if the hypervisor does not store them', async () => {
  const first = await begin();
  expect(first['phase']).toBe('ready');
  await end(first);
  const second = await begin(String(first['to_checkpoint_id']));
  expect(await readMode(second)).toBe('full');
  await end(second);
  const [one, two] = site.hypervisor.deviceChanges;
  if (one?.change !== 'copy_disks' || two?.change !== 'copy_disks') throw new Error('no copies');
  const begun = one.copies[0]?.recording;
  expect(begun?.ends).toEqual([]);
  expect(two.copies[0]?.recording?.ends).toEqual([{ id: begun?.begins, size: 2 ** 20 }]);
});

it('fail with the hypervisor, and leave no checkpoint', async () => {
  site.hypervisor.deviceFailures.set('copy_disks', 'storage is full');
  const failed = await begin();
  expect(failed).toMatchObject({ phase: 'failed' });
  expect(failed['to_checkpoint_id']).toBeUndefined();
  await site.waitForDisk(disk);
  expect((await site.api.json('GET', `/vms/${site.vm}/checkpoints`)).json()).toEqual({
    checkpoint: [],
  });
});
