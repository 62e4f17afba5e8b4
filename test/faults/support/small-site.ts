/** In-process server with a few VMs and disks, driven by commands and read back completely. */
import { Agent } from 'node:https';
import { startServer, type TestServer } from '../../../src/testkit/testkit.ts';
import { decodeList } from '../../../src/wire/index.ts';
import { type RawAnswer, send } from '../../support/raw.ts';
import type { Answered, Command, Disk, Machine, Outcome, State } from './site-model.ts';

type Thing = Record<string, unknown>;

/** Id without an object. */
export const unknownId = '00000000-0000-4000-8000-00000000dead';

const KiB = 1024;

/** Results by status: most refusals are 409, some are 400 in the product. */
const outcomes: Readonly<Record<number, Outcome>> = {
  400: 'refused',
  404: 'missing',
  409: 'refused',
};

export class SmallSite {
  readonly #server: TestServer;
  readonly #agents: readonly Agent[];
  readonly #reader: string;
  /** Permissions by VM. */
  readonly #permissions = new Map<string, string>();

  readonly #domains: ReadonlyMap<string, string>;

  /** @param domains names of storage domains, by id */
  private constructor(server: TestServer, reader: string, domains: ReadonlyMap<string, string>) {
    this.#server = server;
    this.#reader = reader;
    this.#domains = domains;
    this.#agents = [0, 1, 2].map(
      () => new Agent({ keepAlive: true, ca: server.ca, maxSockets: 1 }),
    );
  }

  static async start(): Promise<SmallSite> {
    const server = await startServer({ speed: 0 });
    const site = new SmallSite(server, '', new Map());
    const users = await site.#list('/users', 'user');
    const jane = users.find(({ user_name }) => String(user_name).startsWith('jane'));
    const domains = await site.#list('/storagedomains', 'storage_domain');
    const named = domains.map(({ id, name }) => [String(id), String(name)] as const);
    return new SmallSite(server, String(jane?.['id']), new Map(named));
  }

  async stop(): Promise<void> {
    for (const agent of this.#agents) agent.destroy();
    await this.#server.stop();
  }

  #call(method: string, path: string, body?: object, client = 0, more: Thing = {}) {
    const { apiUrl, username, password } = this.#server;
    const { user = username, accept = 'application/json' } = more;
    const agent = this.#agents[client % this.#agents.length] as Agent;
    return send(`${apiUrl}${path}`, {
      ...{ method, agent },
      headers: {
        authorization: `Basic ${Buffer.from(`${String(user)}:${password}`).toString('base64')}`,
        accept: String(accept),
        'content-type': 'application/json',
        ...(user === username ? {} : { filter: 'true' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  async #list(path: string, type: string, more: Thing = {}): Promise<readonly Thing[]> {
    const answer = await this.#call('GET', path, undefined, 0, more);
    if (answer.status !== 200) throw new Error(`GET ${path}: ${answer.status} ${answer.text}`);
    const media = more['accept'] === 'application/xml' ? 'application/xml' : 'application/json';
    return decodeList(media, answer.bytes, type) as readonly Thing[];
  }

  /** Sends a command as one of the clients. */
  async run(command: Command, client: number): Promise<Answered> {
    const answer = await this.#send(command, client);
    const { status, text } = answer;
    const outcome = status < 300 ? 'done' : outcomes[status];
    if (!outcome) throw new Error(`${JSON.stringify(command)} was answered ${status}: ${text}`);
    const makes = outcome === 'done' && command.kind.startsWith('add');
    const { id } = outcome === 'done' && text !== '' ? answer.json<{ id: string }>() : { id: '' };
    if (command.kind === 'permit' && outcome === 'done') this.#permissions.set(command.vm, id);
    return { command, outcome, ...(makes ? { id } : {}) };
  }

  #send(command: Command, client: number): Promise<RawAnswer> {
    const post = (path: string, body: object = {}) => this.#call('POST', path, body, client);
    const remove = (path: string) => this.#call('DELETE', path, undefined, client);
    switch (command.kind) {
      case 'add machine':
        return post('/vms', {
          ...{ name: command.name, memory: 64 * KiB * KiB, cluster: { name: 'Default' } },
          ...{ template: { name: 'Blank' }, os: { boot: { devices: { device: ['cdrom'] } } } },
        });
      case 'add disk':
        return post('/disks', {
          ...{ name: command.name, provisioned_size: KiB * KiB, format: 'cow' },
          storage_domains: { storage_domain: [{ name: 'data1' }] },
        });
      case 'remove machine':
        return remove(`/vms/${command.vm}`);
      case 'start':
      case 'stop':
        return post(`/vms/${command.vm}/${command.kind}`);
      case 'snapshot':
        return post(`/vms/${command.vm}/snapshots`, { description: 'one more' });
      case 'permit':
        return post(`/vms/${command.vm}/permissions`, {
          ...{ role: { name: 'UserRole' }, user: { id: this.#reader } },
        });
      case 'forbid':
        return remove(
          `/vms/${command.vm}/permissions/${this.#permissions.get(command.vm) ?? unknownId}`,
        );
      case 'attach':
        return post(`/vms/${command.vm}/diskattachments`, {
          ...{ active: true, interface: 'virtio', disk: { id: command.disk } },
        });
      case 'detach':
        return remove(`/vms/${command.vm}/diskattachments/${command.disk}`);
      case 'remove disk':
        return remove(`/disks/${command.disk}`);
      case 'move':
        return post(`/disks/${command.disk}/move`, { storage_domain: { name: command.to } });
    }
  }

  /**
   * Reads the state after all operations, in JSON. Throws if XML differs, or if the reader sees
   * other VMs than permitted.
   */
  async read(): Promise<State> {
    for (;;) {
      const path = '/vms?follow=disk_attachments,snapshots,permissions&search=name%3Dvm-m%2A';
      const [vms, disks] = [
        await this.#list(path, 'vm'),
        await this.#list('/disks?search=name%3Dm-d%2A', 'disk'),
      ];
      if (
        JSON.stringify([vms, disks]).match(
          /"(locked|wait_for_launch|powering_up|powering_down|image_locked|reboot_in_progress)"/,
        )
      ) {
        await new Promise((resolve) => setImmediate(resolve));
        continue;
      }
      const inXml = [
        await this.#list(path, 'vm', { accept: 'application/xml' }),
        await this.#list('/disks?search=name%3Dm-d%2A', 'disk', { accept: 'application/xml' }),
      ];
      requireEqual('XML and JSON', inXml, [vms, disks]);
      const state = this.#createState(vms, disks);
      const seen = await this.#list('/vms?search=name%3Dvm-m%2A', 'vm', { user: 'jane@internal' });
      const permitted = Object.values(state.machines).filter((one) => one.permitted);
      requireEqual(
        'what the reader sees and may see',
        seen.map(({ name }) => name).sort(),
        permitted.map(({ name }) => name).sort(),
      );
      return state;
    }
  }

  /** Removes all objects created by commands. */
  async clear(): Promise<void> {
    const { machines } = await this.read();
    for (const vm of Object.keys(machines)) await this.run({ kind: 'stop', vm }, 0);
    const rest = await this.read();
    for (const vm of Object.keys(rest.machines)) await this.run({ kind: 'remove machine', vm }, 0);
    for (const disk of Object.keys(rest.disks)) await this.run({ kind: 'remove disk', disk }, 0);
    const left = await this.read();
    if (Object.keys({ ...left.machines, ...left.disks }).length > 0)
      throw new Error('some is left');
  }

  #createState(vms: readonly Thing[], disks: readonly Thing[]): State {
    return {
      machines: Object.fromEntries(vms.map((vm) => [String(vm['id']), this.#createMachine(vm)])),
      disks: Object.fromEntries(disks.map((disk) => [String(disk['id']), this.#createDisk(disk)])),
      busy: [],
    };
  }

  #createDisk({ name, storage_domains }: Thing): Disk {
    const [domain] = storage_domains as readonly { id: string }[];
    return { name: String(name), domain: this.#domains.get(String(domain?.id)) ?? 'another' };
  }

  #createMachine(vm: Thing): Machine {
    const permissions = (vm['permissions'] ?? []) as readonly { user?: { id: string } }[];
    return {
      name: String(vm['name']),
      status: vm['status'] as Machine['status'],
      disks: listIds(vm['disk_attachments']),
      snapshots: ((vm['snapshots'] ?? []) as readonly Thing[])
        .filter((one) => one['snapshot_type'] === 'regular')
        .map(() => []),
      permitted: permissions.some(({ user }) => user?.id === this.#reader),
    };
  }
}

function listIds(list: unknown): readonly string[] {
  return ((list ?? []) as readonly Thing[]).map(({ id }) => String(id)).sort();
}

/** Throws if two values differ, ignoring the order of members. */
export function requireEqual(what: string, first: unknown, second: unknown): void {
  const [one, other] = [sorted(first), sorted(second)];
  if (one !== other) throw new Error(`${what} differ:\n${one}\n${other}`);
}

function sorted(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'bigint'
      ? String(inner)
      : typeof inner === 'object' && inner !== null && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
        : inner,
  );
}
