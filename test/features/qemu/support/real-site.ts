/** A site with a VM that boots Linux in QEMU, for tests of running VMs. */
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type RawAnswer, RawApi } from '../../../support/raw.ts';
import { type ServerProcess, startServerProcess } from '../../../support/server.ts';
import { buildGuest, guestBoot, guestFiles } from './guest.ts';
import { SerialConsole } from './serial-console.ts';

/** Milliseconds between commands that wait for the guest. */
const pollMs = 100;

export class RealSite {
  readonly data = mkdtempSync(join(tmpdir(), 'vmctl-qemu-'));
  #server: ServerProcess | undefined;
  #api: RawApi | undefined;
  /** Id of the VM. */
  vm = '';

  /** Starts a server, and creates a VM without disks and NICs. */
  async begin(biosType: 'q35_sea_bios' | 'i440fx_sea_bios'): Promise<void> {
    mkdirSync(this.isoFolder);
    for (const name of guestFiles)
      copyFileSync(join(buildGuest(), name), join(this.isoFolder, name));
    await this.startServer();
    this.vm = await this.add('/vms', {
      ...{ name: 'guest', cluster: { name: 'Default' }, template: { name: 'Blank' } },
      ...{ memory: 2 ** 28, bios: { type: biosType } },
      os: { ...guestBoot, boot: { devices: { device: ['hd', 'cdrom'] } } },
    });
  }

  get isoFolder(): string {
    return join(this.data, 'iso');
  }

  get api(): RawApi {
    if (!this.#api) throw new Error('The server has not started.');
    return this.#api;
  }

  async startServer(): Promise<void> {
    const server = await startServerProcess(['--hypervisor', 'qemu', '--data', this.data]);
    this.#server = server;
    this.#api = await RawApi.signIn(server);
  }

  /** Ends the server without a shutdown, and starts another one. */
  async restartServer(): Promise<void> {
    await this.#server?.kill();
    await this.startServer();
  }

  /** Stops the VM and the server, and removes all files. */
  async end(): Promise<void> {
    await this.api.json('POST', `/vms/${this.vm}/stop`, {});
    await this.waitForStatus('down');
    await this.#server?.stop();
    rmSync(this.data, { recursive: true, force: true });
  }

  /** Sends a request, which must succeed. */
  async send(method: string, path: string, body?: object): Promise<RawAnswer> {
    const answer = await this.api.json(method, path, body);
    expect(answer.status, answer.text).toBeLessThan(300);
    return answer;
  }

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

  async waitForStatus(status: string): Promise<void> {
    await this.api.until(`/vms/${this.vm}`, (answer) => answer.json()['status'] === status);
  }

  /** Starts the VM, and waits until its shell responds. */
  async boot(): Promise<void> {
    await this.send('POST', `/vms/${this.vm}/start`, {});
    await this.waitForStatus('up');
    await this.inGuest('true');
  }

  /** Runs a command in the guest, and returns its output. */
  async inGuest(command: string): Promise<string> {
    const shell = await SerialConsole.connect(join(this.data, 'vms', this.vm, 'serial'));
    try {
      return await shell.run(command);
    } finally {
      shell.close();
    }
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
