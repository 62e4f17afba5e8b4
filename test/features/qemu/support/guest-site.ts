/** Server with QEMU and one VM, which boots a real Linux, for tests in a temporary folder. */
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { findProcesses } from '../../../../src/features/qemu/processes.ts';
import { type Home, makeHome } from '../../../support/command.ts';
import { RawApi } from '../../../support/raw.ts';
import { type ServerProcess, startServerProcess } from '../../../support/server.ts';
import { buildGuest, findObstacle, guestBoot, guestFiles } from './guest.ts';
import { SerialConsole } from './serial-console.ts';

/** Milliseconds for a test with a guest on a slow computer. */
export const guestTimeout = 180_000;

/** The reason to skip tests with a guest; undefined if they can run. */
export function findSkipReason(): string | undefined {
  return process.env['VMCTL_TEST_STORE'] === 'postgres'
    ? 'the store is PostgreSQL'
    : findObstacle();
}

export class GuestSite {
  readonly data = mkdtempSync(join(tmpdir(), 'vmctl-qemu-'));
  server!: ServerProcess;
  home!: Home;
  api!: RawApi;
  /** Ids of the VM and its disk. */
  vm = '';
  disk = '';

  /** Starts the server, and creates the VM with a raw disk of 16 MiB and a NIC. */
  static async create(bios = 'q35_sea_bios'): Promise<GuestSite> {
    const site = new GuestSite();
    mkdirSync(join(site.data, 'iso'));
    for (const name of guestFiles) {
      copyFileSync(join(buildGuest(), name), join(site.data, 'iso', name));
    }
    await site.startServer();
    await site.#createVm(bios);
    return site;
  }

  async startServer(): Promise<void> {
    this.server = await startServerProcess(['--hypervisor', 'qemu', '--data', this.data]);
    this.home?.remove();
    this.home = makeHome(this.server);
    this.api = await RawApi.signIn(this.server);
  }

  /** Ends the VM and the server, and removes their files. */
  async remove(): Promise<void> {
    await this.home.run(['vms', 'stop', 'guest']);
    await this.server.stop();
    for (const pid of this.processes().values()) process.kill(pid, 'SIGKILL');
    this.home.remove();
    rmSync(this.data, { recursive: true, force: true });
  }

  /** Runs vmctl and requires success. */
  async run(...words: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.home.run(words);
    expect(code, stderr).toBe(0);
    return stdout;
  }

  async waitForStatus(status: string): Promise<Record<string, unknown>> {
    const met = (answer: { json(): Record<string, unknown> }) => answer.json()['status'] === status;
    return (await this.api.until(`/vms/${this.vm}`, met)).json();
  }

  /** Descriptions of the events of the VM, the newest first. */
  async listEvents(): Promise<string[]> {
    const search = encodeURIComponent(`vm.id=${this.vm}`);
    const found = await this.api.json('GET', `/events?search=${search}`);
    return found.json<{ event: { description: string }[] }>().event.map((one) => one.description);
  }

  /** Ids of processes by the name of their working folder. */
  processes(): ReadonlyMap<string, number> {
    return findProcesses(join(this.data, 'vms'));
  }

  get pid(): number | undefined {
    return this.processes().get(this.vm);
  }

  /** Runs a command on the serial console of the guest, and returns its output. */
  async inGuest(command: string): Promise<string> {
    const shell = await SerialConsole.connect(join(this.data, 'vms', this.vm, 'serial'));
    try {
      return await shell.run(command);
    } finally {
      shell.close();
    }
  }

  async #createVm(bios: string): Promise<void> {
    await this.run(
      ...['vms', 'create', '--name', 'guest', '--cluster', 'Default', '--template', 'Blank'],
      ...['--memory', '256MiB', '--set', `bios.type=${bios}`],
      ...['--set', `os.kernel=${guestBoot.kernel}`, '--set', `os.initrd=${guestBoot.initrd}`],
      ...['--set', `os.cmdline=${guestBoot.cmdline}`],
    );
    await this.run(
      ...['diskattachments', 'create', '--vm', 'guest', '--new-disk-name', 'root'],
      ...['--new-disk-size', '16MiB', '--new-disk-format', 'raw', '--interface', 'virtio'],
      ...['--new-disk-storage-domain', 'data1', '--bootable'],
    );
    await this.run('nics', 'create', '--vm', 'guest', '--name', 'nic1', '--vnic-profile', 'mgmt');
    const found = await this.api.json('GET', '/vms?search=name%3Dguest');
    this.vm = found.json<{ vm: { id: string }[] }>().vm[0]?.id ?? '';
    const attached = await this.api.json('GET', `/vms/${this.vm}/diskattachments`);
    this.disk = attached.json<{ disk_attachment: { id: string }[] }>().disk_attachment[0]?.id ?? '';
  }
}
