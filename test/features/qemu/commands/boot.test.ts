/** VMs that boot: `vmctl serve --hypervisor qemu` with QEMU and a Linux guest of Debian. */
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { findProcesses } from '../../../../src/features/qemu/processes.ts';
import { type Home, makeHome } from '../../../support/command.ts';
import { RawApi } from '../../../support/raw.ts';
import { type ServerProcess, startServerProcess } from '../../../support/server.ts';
import { buildGuest, findObstacle, guestBoot, guestFiles, guestName } from '../support/guest.ts';
import { SerialConsole } from '../support/serial-console.ts';

const timeout = 180_000;
const obstacle =
  process.env['VMCTL_TEST_STORE'] === 'postgres' ? 'the store is PostgreSQL' : findObstacle();
const note = obstacle === undefined ? '' : ` (skipped: ${obstacle})`;

let data: string;
let server: ServerProcess;
let home: Home;
let api: RawApi;
/** Ids of the VM and its disk. */
let vm: string;
let disk: string;

async function startServer(): Promise<void> {
  server = await startServerProcess(['--hypervisor', 'qemu', '--data', data]);
  home = makeHome(server);
  api = await RawApi.signIn(server);
}

async function run(...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await home.run(words);
  expect(code, stderr).toBe(0);
  return stdout;
}

async function waitForVm(met: (vm: Record<string, unknown>) => boolean) {
  const found = await api.until(`/vms/${vm}`, (answer) => met(answer.json()));
  return found.json();
}

function waitForStatus(status: string) {
  return waitForVm((one) => one['status'] === status);
}

async function listEvents(): Promise<string[]> {
  const found = await api.json('GET', `/events?search=${encodeURIComponent(`vm.id=${vm}`)}`);
  return found.json<{ event: { description: string }[] }>().event.map((one) => one.description);
}

function findPid(): number | undefined {
  return findProcesses(join(data, 'vms')).get(vm);
}

/** Runs commands on the serial console of the guest. */
async function inGuest<T>(talk: (shell: SerialConsole) => Promise<T>): Promise<T> {
  const shell = await SerialConsole.connect(join(data, 'vms', vm, 'serial'));
  try {
    return await talk(shell);
  } finally {
    shell.close();
  }
}

async function createVm(): Promise<void> {
  await run(
    ...['vms', 'create', '--name', 'guest', '--cluster', 'Default', '--template', 'Blank'],
    ...['--memory', '256MiB', '--set', 'bios.type=q35_sea_bios'],
    ...['--set', `os.kernel=${guestBoot.kernel}`, '--set', `os.initrd=${guestBoot.initrd}`],
    ...['--set', `os.cmdline=${guestBoot.cmdline}`],
  );
  await run(
    ...['diskattachments', 'create', '--vm', 'guest', '--new-disk-name', 'root'],
    ...['--new-disk-size', '16MiB', '--new-disk-format', 'raw', '--interface', 'virtio'],
    ...['--new-disk-storage-domain', 'data1', '--bootable'],
  );
  await run('nics', 'create', '--vm', 'guest', '--name', 'nic1', '--vnic-profile', 'mgmt');
  const found = await api.json('GET', '/vms?search=name%3Dguest');
  vm = found.json<{ vm: { id: string }[] }>().vm[0]?.id ?? '';
  const attached = await api.json('GET', `/vms/${vm}/diskattachments`);
  disk = attached.json<{ disk_attachment: { id: string }[] }>().disk_attachment[0]?.id ?? '';
}

describe.skipIf(obstacle !== undefined)(`a VM of QEMU${note}`, () => {
  beforeAll(async () => {
    data = mkdtempSync(join(tmpdir(), 'vmctl-qemu-'));
    mkdirSync(join(data, 'iso'));
    for (const name of guestFiles) copyFileSync(join(buildGuest(), name), join(data, 'iso', name));
    await startServer();
    await createVm();
  }, timeout);
  afterEach(async () => {
    await run('vms', 'stop', 'guest');
    expect(findPid()).toBeUndefined();
  }, timeout);
  afterAll(async () => {
    await server.stop();
    home.remove();
    rmSync(data, { recursive: true, force: true });
  });

  it(
    'boots Linux, reports by the guest agent, writes to its disk, and reboots',
    async () => {
      await run('vms', 'start', 'guest');
      const text = await inGuest(async (shell) => {
        await shell.run('echo written by the guest > /dev/vda; sync; touch /run/boot');
        return shell.run('cat /sys/class/net/eth0/address; uname -s');
      });
      expect(text).toMatch(/^([0-9a-f]{2}:){5}[0-9a-f]{2}\s+Linux$/);
      const [mac] = text.split(/\s/);
      expect(await waitForVm((one) => one['fqdn'] !== undefined)).toMatchObject({
        fqdn: guestName,
      });
      const devices = await api.json('GET', `/vms/${vm}/reporteddevices`);
      expect(devices.json()).toMatchObject({
        reported_device: [{ name: 'eth0', mac: { address: mac } }],
      });
      expect(devices.text).toContain('"address":"10.0.2.15"');
      const screen = await api.call('POST', `/vms/${vm}/screenshot`, {
        headers: { Accept: 'image/png' },
      });
      expect(screen.bytes.subarray(1, 4).toString()).toBe('PNG');
      const pid = findPid();
      await run('vms', 'reboot', 'guest');
      await waitForStatus('up');
      // The file was in the memory of the guest.
      expect(await inGuest((shell) => shell.run('ls /run'))).not.toContain('boot');
      expect(findPid()).toBe(pid);
      await run('vms', 'stop', 'guest');
      const content = readFileSync(join(data, 'images', disk));
      expect(content).toHaveLength(16 * 2 ** 20);
      expect(content.toString('latin1', 0, 20)).toBe('written by the guest');
    },
    timeout,
  );

  it(
    'shuts down on request, and when the guest powers off',
    async () => {
      for (const request of ['server', 'guest']) {
        await run('vms', 'start', 'guest');
        await inGuest((shell) => shell.run('true'));
        if (request === 'server') await run('vms', 'shutdown', 'guest');
        else await inGuest(async (shell) => shell.send('poweroff -f'));
        await waitForStatus('down');
        expect(findPid()).toBeUndefined();
      }
      expect((await listEvents())[0]).toMatch(/is down\. Exit message: the guest shut down\.$/);
    },
    timeout,
  );

  it(
    'survives a kill of the server',
    async () => {
      await run('vms', 'start', 'guest');
      const pid = findPid();
      await server.kill();
      expect(findPid()).toBe(pid);
      await startServer();
      expect(await waitForStatus('up')).toBeDefined();
      expect(await inGuest((shell) => shell.run('uname -s'))).toBe('Linux');
      await server.kill();
      process.kill(pid ?? 0, 'SIGKILL');
      await startServer();
      await waitForStatus('down');
      expect((await listEvents())[0]).toMatch(/the QEMU process ended unexpectedly\.$/);
    },
    timeout,
  );

  it(
    'restarts after a kill of QEMU if it is highly available',
    async () => {
      await run('vms', 'update', 'guest', '--set', 'high_availability.enabled=true');
      await run('vms', 'start', 'guest');
      const pid = findPid() ?? 0;
      process.kill(pid, 'SIGKILL');
      await api.until('/events?max=20', (answer) => answer.text.includes('was restarted on host'));
      await waitForStatus('up');
      expect(findPid()).not.toBe(pid);
      expect(await inGuest((shell) => shell.run('uname -s'))).toBe('Linux');
    },
    timeout,
  );

  it(
    'restores a snapshot of the running VM',
    async () => {
      await run('vms', 'start', 'guest');
      await inGuest((shell) => shell.run('echo first > /dev/vda; sync'));
      await run('snapshots', 'create', '--vm', 'guest', '--description', 'first');
      await inGuest((shell) => shell.run('echo second > /dev/vda; sync'));
      await run('vms', 'stop', 'guest');
      await run('snapshots', 'restore', 'first', '--vm', 'guest', '--yes');
      expect(readFileSync(join(data, 'images', disk)).toString('latin1', 0, 5)).toBe('first');
    },
    timeout,
  );
});
