/** Server whose hypervisor a test controls, with a VM of that hypervisor. */
import { expect } from 'vitest';
import { type RawAnswer, RawApi } from '../../support/raw.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { FakeHypervisor } from './fake-hypervisor.ts';

export class HypervisorSite {
  readonly hypervisor: FakeHypervisor;
  readonly #server: TestServer;
  readonly api: RawApi;
  /** Id of the VM. */
  vm = '';

  private constructor(server: TestServer, api: RawApi, hypervisor: FakeHypervisor) {
    this.#server = server;
    this.api = api;
    this.hypervisor = hypervisor;
  }

  /** Starts a server, and creates a VM without disks, which boots from its CD drive. */
  static async create(): Promise<HypervisorSite> {
    const site = await HypervisorSite.#start('0');
    site.vm = await site.add('/vms', {
      ...{ name: 'real', cluster: { name: 'Default' }, template: { name: 'Blank' } },
      os: { boot: { devices: { device: ['hd', 'cdrom'] } } },
    });
    return site;
  }

  /**
   * Starts a server with a VM of its inventory that is down. Its timers are so slow that they would
   * end no transition during a test.
   */
  static async createSlow(): Promise<HypervisorSite> {
    const site = await HypervisorSite.#start('1000');
    const found = await site.send('GET', '/vms?search=status%3Ddown');
    site.vm = found.json<{ vm: { id: string }[] }>().vm[0]?.id ?? '';
    return site;
  }

  static async #start(speed: string): Promise<HypervisorSite> {
    const hypervisor = new FakeHypervisor();
    const server = await startTestServer(['--speed', speed], { hypervisor: () => hypervisor });
    return new HypervisorSite(server, await RawApi.signIn(server), hypervisor);
  }

  async stopServer(): Promise<void> {
    await this.#server.stop();
  }

  send(method: string, path: string, body?: object): Promise<RawAnswer> {
    return this.api.json(method, path, body);
  }

  /** Adds an object, and returns its id. */
  async add(path: string, body: object): Promise<string> {
    const answer = await this.send('POST', path, body);
    expect(answer.status, answer.text).toBeLessThan(300);
    return answer.json<{ id: string }>().id;
  }

  /** Adds a disk of 1 MiB with its attachment. */
  addDisk(disk: object = {}, attachment: object = {}): Promise<string> {
    return this.add(`/vms/${this.vm}/diskattachments`, {
      ...{ interface: 'virtio', active: true, ...attachment },
      disk: {
        ...{ name: 'root', format: 'raw', provisioned_size: 2 ** 20 },
        storage_domains: { storage_domain: [{ name: 'data1' }] },
        ...disk,
      },
    });
  }

  async waitForDisk(id: string): Promise<void> {
    await this.api.until(`/disks/${id}`, (answer) => answer.json()['status'] === 'ok');
  }

  /** Runs an action of the VM, which must be accepted. */
  async act(action: string, body: object = {}): Promise<void> {
    const answer = await this.send('POST', `/vms/${this.vm}/${action}`, body);
    expect(answer.status, answer.text).toBe(200);
  }

  async waitForStatus(status: string): Promise<Record<string, unknown>> {
    const met = (answer: RawAnswer) => answer.json()['status'] === status;
    return (await this.api.until(`/vms/${this.vm}`, met)).json();
  }

  async start(): Promise<void> {
    await this.act('start');
    await this.waitForStatus('up');
  }

  /** Descriptions of the events of the VM, the newest first. */
  async listEvents(): Promise<string[]> {
    const search = encodeURIComponent(`vm.id=${this.vm}`);
    const found = await this.send('GET', `/events?search=${search}`);
    const { event = [] } = found.json<{ event?: { description: string }[] }>();
    return event.map((one) => one.description);
  }
}
