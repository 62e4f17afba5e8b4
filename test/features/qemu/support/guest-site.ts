/** Server with QEMU and one VM, which boots a real Linux, for tests in a temporary folder. */
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { findProcesses } from '../../../../src/features/qemu/processes.ts';
import { type Home, makeHome } from '../../../support/command.ts';
import { type RawAnswer, RawApi } from '../../../support/raw.ts';
import { type ServerProcess, startServerProcess } from '../../../support/server.ts';
import { buildGuest, findObstacle, guestBoot, guestFiles } from './guest.ts';
import { SerialConsole } from './serial-console.ts';

/** Milliseconds between commands that wait for the guest. */
const pollMs = 100;

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
  /** Additional options of the server. */
  #options: readonly string[] = [];

  /** Starts the server, and creates the VM with a raw disk of 16 MiB and a NIC. */
  static async create(bios = 'q35_sea_bios'): Promise<GuestSite> {
    const site = await GuestSite.createBare({ bios: { type: bios } });
    site.disk = await site.addDisk('root', { bootable: true });
    await site.addNic('nic1');
    return site;
  }

  /**
   * Starts the server, and creates the VM without disk and NIC. `members` are added to the VM,
   * `options` to those of the server.
   */
  static async createBare(
    members: object = {},
    options: readonly string[] = [],
  ): Promise<GuestSite> {
    const site = new GuestSite();
    site.#options = options;
    await site.startServer();
    for (const name of guestFiles) {
      copyFileSync(join(buildGuest(), name), join(site.isoFolder, name));
    }
    site.vm = await site.add('/vms', {
      ...{ name: 'guest', cluster: { name: 'Default' }, template: { name: 'Blank' } },
      ...{ memory: 2 ** 28, bios: { type: 'q35_sea_bios' } },
      os: { ...guestBoot, boot: { devices: { device: ['hd', 'cdrom'] } } },
      ...members,
    });
    return site;
  }

  get isoFolder(): string {
    return join(this.data, 'iso');
  }

  /** Working folder of the VM. */
  get folder(): string {
    return join(this.data, 'vms', this.vm);
  }

  async startServer(): Promise<void> {
    const words = ['--hypervisor', 'qemu', '--data', this.data, ...this.#options];
    this.server = await startServerProcess(words);
    this.home?.remove();
    this.home = makeHome(this.server);
    this.api = await RawApi.signIn(this.server);
  }

  /** Kills the server, and starts another one. */
  async restartServer(): Promise<void> {
    await this.server.kill();
    await this.startServer();
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

  /** Sends a request, which must succeed. */
  async send(method: string, path: string, body?: object): Promise<RawAnswer> {
    const answer = await this.api.json(method, path, body);
    expect(answer.status, answer.text).toBeLessThan(300);
    return answer;
  }

  /** Adds an object, and returns its id. */
  async add(path: string, body: object): Promise<string> {
    return (await this.send('POST', path, body)).json<{ id: string }>().id;
  }

  /** Adds a disk of 16 MiB with its attachment. */
  async addDisk(name: string, members: object = {}, disk: object = {}): Promise<string> {
    const id = await this.add(`/vms/${this.vm}/diskattachments`, {
      ...{ interface: 'virtio', active: true, ...members },
      disk: {
        ...{ name, format: 'raw', provisioned_size: 2 ** 24 },
        storage_domains: { storage_domain: [{ name: 'data1' }] },
        ...disk,
      },
    });
    await this.waitForDisk(id);
    return id;
  }

  async addNic(name: string): Promise<string> {
    const found = await this.send('GET', '/vnicprofiles');
    const profiles = found.json<{ vnic_profile: { id: string; name: string }[] }>().vnic_profile;
    const profile = profiles.find((one) => one.name === 'mgmt')?.id;
    return this.add(`/vms/${this.vm}/nics`, { name, vnic_profile: { id: profile } });
  }

  async waitForDisk(id: string): Promise<void> {
    await this.api.until(`/disks/${id}`, (answer) => answer.json()['status'] === 'ok');
  }

  async waitForStatus(status: string): Promise<Record<string, unknown>> {
    const met = (answer: { json(): Record<string, unknown> }) => answer.json()['status'] === status;
    return (await this.api.until(`/vms/${this.vm}`, met)).json();
  }

  async act(action: string, body: object = {}): Promise<void> {
    await this.send('POST', `/vms/${this.vm}/${action}`, body);
  }

  /** Starts the VM, and waits until its shell responds. `body` is that of the request. */
  async start(body: object = {}): Promise<void> {
    await this.act('start', body);
    await this.waitForStatus('up');
    await this.inGuest('true');
  }

  async stop(): Promise<void> {
    await this.act('stop');
    await this.waitForStatus('down');
    expect(existsSync(this.folder)).toBe(false);
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
    const shell = await SerialConsole.connect(join(this.folder, 'serial'));
    try {
      return await shell.run(command);
    } finally {
      shell.close();
    }
  }

  /** Sends a command to the serial console of the guest, without waiting for it. */
  async sendToGuest(command: string): Promise<void> {
    const shell = await SerialConsole.connect(join(this.folder, 'serial'));
    shell.send(command);
    shell.close();
  }

  /** Repeats a command in the guest until its output is as expected. */
  async untilGuest(command: string, expected: string): Promise<void> {
    while ((await this.inGuest(command)) !== expected) {
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
  }

  /** Content of an image file. */
  readImage(id: string): Buffer {
    return readFileSync(join(this.data, 'images', id));
  }
}
