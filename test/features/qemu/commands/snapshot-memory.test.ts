/** Snapshots of VMs of QEMU with their memory, with a Linux guest. */
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findSkipReason, GuestSite, guestTimeout } from '../support/guest-site.ts';

const obstacle = findSkipReason();
const note = obstacle === undefined ? '' : ` (skipped: ${obstacle})`;

let site: GuestSite;
/** Folder with the memories, and the path of the snapshot in the API. */
let folder: string;
let path: string;

describe.skipIf(obstacle !== undefined)(`the memory of a snapshot of a VM of QEMU${note}`, () => {
  beforeAll(async () => {
    site = await GuestSite.create();
    folder = join(site.data, 'vms', '.snapshots');
    await site.run('vms', 'start', 'guest');
  }, guestTimeout);
  afterAll(() => site.remove());

  const change = (mark: string) =>
    site.inGuest(`echo ${mark} > /run/mark; echo ${mark} > /dev/vda; sync`);

  /** The marks in the memory and on the disk, and whether the process of the guest exists. */
  const readMarks = () =>
    site.inGuest(
      'echo 3 > /proc/sys/vm/drop_caches; cat /run/mark; head -n 1 /dev/vda; pidof sleep > /dev/null && echo sleeping',
    );

  async function act(place: string, action: string, body: object = {}): Promise<void> {
    const answer = await site.api.json('POST', `${place}/${action}`, body);
    expect(answer.status, answer.text).toBeLessThan(300);
  }

  async function stop(): Promise<void> {
    await act(`/vms/${site.vm}`, 'stop');
    await site.waitForStatus('down');
  }

  /** Requests a snapshot with memory, and returns its path. */
  async function request(description: string): Promise<string> {
    const body = { description, persist_memorystate: true };
    const answer = await site.api.json('POST', `/vms/${site.vm}/snapshots`, body);
    expect(answer.status, answer.text).toBeLessThan(300);
    return `/vms/${site.vm}/snapshots/${answer.json<{ id: string }>().id}`;
  }

  const waitForSnapshot = (one: string) =>
    site.api.until(one, (answer) => answer.json()['snapshot_status'] === 'ok');

  it(
    'and its disks are from the same point in time, and the guest continues',
    async () => {
      await change('first');
      await site.inGuest('(sleep 100000 &)');
      const pid = site.pid;
      path = await request('one');
      const found = await waitForSnapshot(path);
      expect(found.json()['persist_memorystate']).toBe(true);
      const [memory = ''] = readdirSync(folder);
      expect(statSync(join(folder, memory, 'memory')).mode & 0o777).toBe(0o600);
      await change('second');
      expect(await readMarks()).toMatch(/^second\s+second\s+sleeping$/);
      expect(site.pid).toBe(pid);
    },
    guestTimeout,
  );

  it(
    'is loaded by the start after a preview, once',
    async () => {
      await stop();
      const snapshot = { id: path.split('/').at(-1) };
      await act(`/vms/${site.vm}`, 'previewsnapshot', { snapshot, restore_memory: true });
      await site.waitForStatus('down');
      await site.run('vms', 'start', 'guest');
      await site.waitForStatus('up');
      expect(await readMarks()).toMatch(/^first\s+first\s+sleeping$/);
      await change('third');
      await stop();
      await site.run('vms', 'start', 'guest');
      await site.waitForStatus('up');
      expect(await readMarks()).toMatch(/^cat: .*\s+third$/);
      await stop();
      await act(`/vms/${site.vm}`, 'undosnapshot');
      await site.waitForStatus('down');
      const image = readFileSync(join(site.data, 'images', site.disk));
      expect(image.toString('latin1', 0, 6)).toBe('second');
    },
    guestTimeout,
  );

  it(
    'is loaded after a restore, also if the server is killed before its end',
    async () => {
      await act(path, 'restore', { restore_memory: true });
      await site.waitForStatus('down');
      expect((await site.api.json('POST', `/vms/${site.vm}/start`, {})).status).toBe(200);
      await site.server.kill();
      await site.startServer();
      await site.waitForStatus('up');
      expect(await readMarks()).toMatch(/^first\s+first\s+sleeping$/);
      expect(site.processes().size).toBe(1);
    },
    guestTimeout,
  );

  it(
    'is complete if the server is killed while it is saved',
    async () => {
      await change('fourth');
      const other = await request('two');
      await site.server.kill();
      await site.startServer();
      await waitForSnapshot(other);
      await change('fifth');
      expect(await readMarks()).toMatch(/^fifth\s+fifth\s+sleeping$/);
      await stop();
      await act(other, 'restore', { restore_memory: true });
      await site.waitForStatus('down');
      // A paused start loads it too.
      await act(`/vms/${site.vm}`, 'start', { pause: true });
      await site.waitForStatus('paused');
      await site.run('vms', 'start', 'guest');
      await site.waitForStatus('up');
      expect(await readMarks()).toMatch(/^fourth\s+fourth\s+sleeping$/);
    },
    guestTimeout,
  );

  it(
    'is deleted with its snapshot, and missing after a failure, while the guest continues',
    async () => {
      const pid = site.pid;
      for (const one of await listSnapshots()) {
        expect((await site.api.json('DELETE', one)).status).toBe(200);
        await site.api.until(one, (answer) => answer.status === 404);
      }
      await expect.poll(() => readdirSync(folder), { timeout: guestTimeout }).toEqual([]);
      rmSync(folder, { recursive: true });
      writeFileSync(folder, 'not a folder');
      const failed = await request('three');
      await site.api.until(failed, (answer) => answer.status === 404);
      rmSync(folder);
      expect((await site.listEvents())[0]).toMatch(/^Failed to complete snapshot 'three' creation/);
      expect(site.pid).toBe(pid);
      expect(await readMarks()).toMatch(/^fourth\s+fourth\s+sleeping$/);
    },
    guestTimeout,
  );

  it(
    'is not loaded by other hardware, and not required',
    async () => {
      path = await request('four');
      await waitForSnapshot(path);
      await stop();
      await act(path, 'restore', { restore_memory: true });
      await site.waitForStatus('down');
      await site.run('nics', 'create', '--vm', 'guest', '--name', 'nic2', '--vnic-profile', 'mgmt');
      await site.home.run(['vms', 'start', 'guest']);
      await site.waitForStatus('down');
      await expect
        .poll(async () => (await site.listEvents())[0], { timeout: guestTimeout })
        .toBe(
          'Failed to resume VM guest: its NICs must be as in the snapshot; restore the snapshot without its memory.',
        );
      expect(site.processes().size).toBe(0);
      await act(path, 'restore');
      await site.waitForStatus('down');
      await site.run('vms', 'start', 'guest');
      await site.waitForStatus('up');
      expect((await site.listEvents())[0]).toMatch(/^VM guest started /);
    },
    guestTimeout,
  );

  /** Paths of the snapshots of the user. */
  async function listSnapshots(): Promise<string[]> {
    const found = await site.api.json('GET', `/vms/${site.vm}/snapshots`);
    return found
      .json<{ snapshot: { id: string; snapshot_type: string }[] }>()
      .snapshot.filter((one) => one.snapshot_type === 'regular')
      .map(({ id }) => `/vms/${site.vm}/snapshots/${id}`);
  }
});
