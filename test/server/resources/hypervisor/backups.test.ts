/** Backups of VMs that a hypervisor runs. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { RawApi } from '../../../support/raw.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { FakeHypervisor } from '../../support/fake-hypervisor.ts';

let hypervisor: FakeHypervisor;
let server: TestServer;
let api: RawApi;
let vm: string;
let disk: string;

beforeEach(async () => {
  hypervisor = new FakeHypervisor();
  server = await startTestServer(['--speed', '0'], { hypervisor: () => hypervisor });
  api = await RawApi.signIn(server);
  vm = await add('/vms', {
    ...{ name: 'real', cluster: { name: 'Default' }, template: { name: 'Blank' } },
    os: { boot: { devices: { device: ['hd', 'cdrom'] } } },
  });
  disk = await add(`/vms/${vm}/diskattachments`, {
    ...{ interface: 'virtio', active: true },
    disk: {
      ...{ name: 'root', format: 'cow', backup: 'incremental', provisioned_size: 2 ** 20 },
      storage_domains: { storage_domain: [{ name: 'data1' }] },
    },
  });
  await waitForDisk();
  expect((await api.json('POST', `/vms/${vm}/start`, {})).status).toBe(200);
  await api.until(`/vms/${vm}`, (answer) => answer.json()['status'] === 'up');
});
afterEach(() => server.stop());

async function add(path: string, body: object): Promise<string> {
  const answer = await api.json('POST', path, body);
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.json<{ id: string }>().id;
}

async function waitForDisk(): Promise<void> {
  await api.until(`/disks/${disk}`, (answer) => answer.json()['status'] === 'ok');
}

/** Begins a backup. Resolves with it in its next settled phase. */
async function begin(from?: string): Promise<Record<string, unknown>> {
  const id = await add(`/vms/${vm}/backups`, {
    disks: { disk: [{ id: disk }] },
    ...(from === undefined ? {} : { from_checkpoint_id: from }),
  });
  const found = await api.until(`/vms/${vm}/backups/${id}`, (answer) =>
    /ready|failed/.test(String(answer.json()['phase'])),
  );
  return found.json();
}

async function end({ id }: Record<string, unknown>): Promise<void> {
  const here = `/vms/${vm}/backups/${String(id)}`;
  expect((await api.json('POST', `${here}/finalize`, {})).status).toBe(200);
  await waitForDisk();
}

async function readMode({ id }: Record<string, unknown>): Promise<unknown> {
  const found = await api.json('GET', `/vms/${vm}/backups/${String(id)}/disks`);
  return found.json<{ disk: { backup_mode: string }[] }>().disk[0]?.backup_mode;
}

it('begin periods of recorded writes, and are full if the hypervisor does not store them', async () => {
  const first = await begin();
  expect(first['phase']).toBe('ready');
  await end(first);
  const second = await begin(String(first['to_checkpoint_id']));
  expect(await readMode(second)).toBe('full');
  await end(second);
  const [one, two] = hypervisor.deviceChanges;
  if (one?.change !== 'copy_disks' || two?.change !== 'copy_disks') throw new Error('no copies');
  const begun = one.copies[0]?.recording;
  expect(begun?.ends).toEqual([]);
  expect(two.copies[0]?.recording?.ends).toEqual([{ id: begun?.begins, size: 2 ** 20 }]);
});

it('fail with the hypervisor, and leave no checkpoint', async () => {
  hypervisor.deviceFailures.set('copy_disks', 'storage is full');
  const failed = await begin();
  expect(failed).toMatchObject({ phase: 'failed' });
  expect(failed['to_checkpoint_id']).toBeUndefined();
  await waitForDisk();
  expect((await api.json('GET', `/vms/${vm}/checkpoints`)).json()).toEqual({ checkpoint: [] });
});
