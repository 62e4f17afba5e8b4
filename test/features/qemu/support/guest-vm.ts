/** Server with QEMU and one VM that boots the Linux guest. */
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type Home, makeHome } from '../../../support/command.ts';
import { RawApi } from '../../../support/raw.ts';
import { type ServerProcess, startServerProcess } from '../../../support/server.ts';
import { buildGuest, guestBoot, guestFiles } from './guest.ts';
import { SerialConsole } from './serial-console.ts';

export class RealSite {
  readonly data = mkdtempSync(join(tmpdir(), 'vmctl-real-'));
  /** Id of the VM. */
  vm = '';
  server!: ServerProcess;
  home!: Home;
  api!: RawApi;

  /** Starts a server with a VM that is down. `members` are added to the VM. */
  static async create(members: object = {}): Promise<RealSite> {
    const site = new RealSite();
    mkdirSync(join(site.data, 'iso'));
    for (const name of guestFiles) {
      copyFileSync(join(buildGuest(), name), join(site.data, 'iso', name));
    }
    await site.startServer();
    const answer = await site.api.json('POST', '/vms', {
      ...{ name: 'guest', cluster: { name: 'Default' }, template: { name: 'Blank' } },
      ...{ memory: 2 ** 28, bios: { type: 'q35_sea_bios' } },
      os: { ...guestBoot, boot: { devices: { device: ['cdrom', 'network'] } } },
      ...members,
    });
    expect(answer.status, answer.text).toBe(201);
    site.vm = answer.json<{ id: string }>().id;
    return site;
  }

  async startServer(): Promise<void> {
    this.server = await startServerProcess(['--hypervisor', 'qemu', '--data', this.data]);
    this.home = makeHome(this.server);
    this.api = await RawApi.signIn(this.server);
  }

  /** Working folder of the VM. */
  get folder(): string {
    return join(this.data, 'vms', this.vm);
  }

  async act(action: string, body: object = {}): Promise<void> {
    const answer = await this.api.json('POST', `/vms/${this.vm}/${action}`, body);
    expect(answer.status, answer.text).toBe(200);
  }

  async waitForStatus(status: string): Promise<Record<string, unknown>> {
    const found = await this.api.until(
      `/vms/${this.vm}`,
      (answer) => answer.json()['status'] === status,
    );
    return found.json();
  }

  async start(body: object = {}): Promise<void> {
    await this.act('start', body);
    await this.waitForStatus('up');
  }

  async stop(): Promise<void> {
    await this.act('stop');
    await this.waitForStatus('down');
    expect(existsSync(this.folder)).toBe(false);
  }

  /** Runs commands on the serial console of the guest. */
  async inGuest(...commands: readonly string[]): Promise<string[]> {
    const shell = await SerialConsole.connect(join(this.folder, 'serial'));
    const outputs: string[] = [];
    try {
      for (const command of commands) outputs.push(await shell.run(command));
      return outputs;
    } finally {
      shell.close();
    }
  }

  /** Stops the VM and the server, and removes the data folder. */
  async remove(): Promise<void> {
    await this.api.json('POST', `/vms/${this.vm}/stop`, { force: true });
    await this.waitForStatus('down');
    await this.server.stop();
    this.home.remove();
    rmSync(this.data, { recursive: true, force: true });
  }
}
