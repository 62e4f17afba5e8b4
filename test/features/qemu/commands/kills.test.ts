/** Kills of the server and of VMs at random moments: no process, disk or state is lost. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findInstallation } from '../../../../src/features/qemu/installation.ts';
import { findProcesses } from '../../../../src/features/qemu/processes.ts';
import { seededRandom } from '../../../../src/server/core/random.ts';
import { RawApi } from '../../../support/raw.ts';
import { type ServerProcess, startServerProcess } from '../../../support/server.ts';

const cycles = 20;
const timeout = 300_000;
const obstacle =
  process.env['VMCTL_TEST_STORE'] === 'postgres'
    ? 'the store is PostgreSQL'
    : (await findInstallation()) === undefined
      ? 'QEMU is not installed'
      : undefined;
const note = obstacle === undefined ? '' : ` (skipped: ${obstacle})`;

interface Vm {
  readonly id: string;
  readonly status: string;
}

let data: string;
let server: ServerProcess;
let api: RawApi;
/** Ids of VMs and of their disks. */
const vms: string[] = [];
const disks = new Map<string, Buffer>();

async function startServer(): Promise<void> {
  server = await startServerProcess(['--hypervisor', 'qemu', '--data', data]);
  api = await RawApi.signIn(server);
}

async function add(path: string, body: object): Promise<string> {
  const answer = await api.json('POST', path, body);
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.json<{ id: string }>().id;
}

async function createVm(index: number): Promise<void> {
  const id = await add('/vms', {
    name: `vm${index}`,
    cluster: { name: 'Default' },
    template: { name: 'Blank' },
    memory: 2 ** 27,
    bios: { type: 'q35_sea_bios' },
    high_availability: { enabled: index === 0 },
  });
  const disk = await add(`/vms/${id}/diskattachments`, {
    ...{ bootable: true, interface: 'virtio', active: true },
    disk: {
      ...{ name: `disk${index}`, provisioned_size: 2 ** 20, format: 'raw' },
      storage_domains: { storage_domain: [{ name: 'data1' }] },
    },
  });
  await api.until(`/disks/${disk}`, (answer) => answer.json()['status'] === 'ok');
  const content = Buffer.alloc(2 ** 20, `content of disk ${index} `);
  // No boot sector: the firmware only reads.
  writeFileSync(join(data, 'images', disk), content);
  vms.push(id);
  disks.set(disk, content);
}

async function listVms(): Promise<readonly Vm[]> {
  const answer = await api.json('GET', '/vms?search=name%3Dvm*');
  return answer.json<{ vm: Vm[] }>().vm.filter(({ id }) => vms.includes(id));
}

/** Ids of VMs with a process. */
function listProcesses(): readonly string[] {
  return [...findProcesses(join(data, 'vms')).keys()].sort();
}

/** Waits until each VM is up or down, and exactly the VMs that are up have a process. */
async function waitForConsistency(): Promise<readonly Vm[]> {
  for (;;) {
    const all = await listVms();
    const isSettled = all.every(({ status }) => status === 'up' || status === 'down');
    const up = all.filter(({ status }) => status === 'up').map(({ id }) => id);
    if (isSettled && up.sort().join() === listProcesses().join()) return all;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe.skipIf(obstacle !== undefined)(`with QEMU${note}`, () => {
  beforeAll(async () => {
    data = mkdtempSync(join(tmpdir(), 'vmctl-kills-'));
    await startServer();
    for (const index of [0, 1, 2]) await createVm(index);
  }, timeout);
  afterAll(async () => {
    await server.stop();
    rmSync(data, { recursive: true, force: true });
  });

  it(
    `${cycles} kills of server and VMs leave no other process, and states that are correct`,
    async () => {
      const random = seededRandom(20_261_129);
      const choose = <T>(all: readonly T[]) => all[Math.floor(random() * all.length)];
      for (let cycle = 0; cycle < cycles; cycle++) {
        const before = await waitForConsistency();
        // Requests may be refused or interrupted.
        for (const { id, status } of before) {
          const action = status === 'down' ? 'start' : choose(['stop', 'reset', 'reboot']);
          if (random() < 0.8) api.json('POST', `/vms/${id}/${action}`, {}).catch(() => undefined);
        }
        await new Promise((resolve) => setTimeout(resolve, random() * 1_500));
        const killed = choose(['server', 'VM', 'both']);
        if (killed !== 'VM') await server.kill();
        if (killed !== 'server') killProcess(choose(listProcesses()));
        if (killed !== 'VM') await startServer();
      }
      await stopAll();
      for (const [disk, content] of disks) {
        expect(readFileSync(join(data, 'images', disk)).equals(content)).toBe(true);
      }
    },
    timeout,
  );
});

function killProcess(vm: string | undefined): void {
  const pid = vm === undefined ? undefined : findProcesses(join(data, 'vms')).get(vm);
  try {
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

/** Stops the VMs. A highly available one may still restart after its kill. */
async function stopAll(): Promise<void> {
  for (;;) {
    const all = await waitForConsistency();
    const running = all.filter(({ status }) => status === 'up');
    if (running.length === 0) return;
    for (const { id } of running) await api.json('POST', `/vms/${id}/stop`, {});
  }
}
