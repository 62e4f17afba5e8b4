/** Site in a data folder, with disks of known content, for fault tests. */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeHome, type Outcome } from '../../support/command.ts';
import { type RawAnswer, RawApi, send } from '../../support/raw.ts';
import { type ServerProcess, startServerProcess } from '../../support/server.ts';

export const MiB = 2 ** 20;

export interface KnownDisk {
  readonly id: string;
  readonly name: string;
  readonly bytes: Buffer;
}

export class FolderSite {
  readonly parent = mkdtempSync(join(tmpdir(), 'vmctl-site-'));
  /** Path of the data folder. */
  readonly data: string;
  /** Additional environment variables of the server. */
  env: NodeJS.ProcessEnv = {};
  #server: ServerProcess | undefined;
  api!: RawApi;

  constructor(data?: string) {
    this.data = data ?? join(this.parent, 'data');
  }

  get database(): string {
    return join(this.data, 'vmctl.db');
  }

  get images(): string {
    return join(this.data, 'images');
  }

  image({ id }: Pick<KnownDisk, 'id'>): string {
    return join(this.images, id);
  }

  get server(): ServerProcess {
    if (!this.#server) throw new Error('The server was not started.');
    return this.#server;
  }

  /** Starts a server on the folder. */
  async start(...options: readonly string[]): Promise<void> {
    const base = ['--data', this.data, '--speed', '0', '--inventory', 'small'];
    this.#server = await startServerProcess([...base, ...options], this.env);
    this.api = await RawApi.signIn(this.#server);
  }

  /** Starts a server that must fail; resolves with its output. */
  async refused(...options: readonly string[]): Promise<Outcome> {
    const home = makeHome();
    try {
      const words = ['serve', '--data', this.data, '--listen', '127.0.0.1:0'];
      const run = [...words, '--images-listen', '127.0.0.1:0', ...options, '--', 'true'];
      return await home.run(run, { VMCTL_SERVE_PASSWORD: 'not-a-secret' });
    } finally {
      home.remove();
    }
  }

  async stop(): Promise<number | null> {
    const code = await this.server.stop();
    this.#server = undefined;
    return code;
  }

  async kill(): Promise<void> {
    await this.#server?.kill();
    this.#server = undefined;
  }

  async remove(): Promise<void> {
    await this.kill();
    rmSync(this.parent, { recursive: true, force: true });
  }

  /** Creates an empty raw disk. */
  async add(name: string, size = MiB, format = 'raw'): Promise<string> {
    const added = await this.api.json('POST', '/disks', {
      ...{ name, format, provisioned_size: size, sparse: true },
      storage_domains: { storage_domain: [{ name: 'data1' }] },
    });
    if (added.status >= 300) throw new Error(added.text);
    return String(added.json()['id']);
  }

  /** Creates a raw disk with random bytes. */
  async disk(name: string, size = MiB): Promise<KnownDisk> {
    const id = await this.add(name, size);
    const bytes = randomBytes(size);
    await this.write(id, bytes);
    return { id, name, bytes };
  }

  /** Creates a transfer; resolves with its path and data URL. */
  async transfer(id: string, direction: 'upload' | 'download', format?: 'cow' | 'raw') {
    const body = { disk: { id }, direction, ...(format ? { format } : {}) };
    const made = await this.api.json('POST', '/imagetransfers', body);
    if (made.status >= 300) throw new Error(made.text);
    const path = `/imagetransfers/${String(made.json()['id'])}`;
    const isReady = (answer: RawAnswer) => answer.json()['phase'] === 'transferring';
    const ready = await this.api.until(path, isReady);
    return { path, url: String(ready.json()['transfer_url']) };
  }

  /** Writes the bytes of a disk through a transfer; with `raw`, the guest data of its image. */
  async write(id: string, bytes: Buffer, format?: 'raw'): Promise<void> {
    const { path, url } = await this.transfer(id, 'upload', format);
    const sent = await send(url, { method: 'PUT', body: bytes, ca: this.server.ca });
    if (sent.status !== 200) throw new Error(sent.text);
    await this.finish(path);
  }

  /** Reads the bytes of a disk through a transfer; with `raw`, the guest data of its image. */
  async read(id: string, format?: 'raw'): Promise<Buffer> {
    const { path, url } = await this.transfer(id, 'download', format);
    const got = await send(url, { ca: this.server.ca });
    if (got.status !== 200) throw new Error(got.text);
    await this.finish(path);
    return got.bytes;
  }

  async finish(path: string): Promise<void> {
    await this.api.json('POST', `${path}/finalize`, {});
    await this.api.until(path, (answer) => String(answer.json()['phase']).startsWith('finished'));
  }

  async status(id: string): Promise<unknown> {
    return (await this.api.json('GET', `/disks/${id}`)).json()['status'];
  }

  /** Descriptions of the events with a code, newest first. */
  async events(code: number): Promise<string[]> {
    const found = await this.api.json('GET', `/events?search=type%3D${code}`);
    const list = found.json<{ event?: { description: string }[] }>().event ?? [];
    return list.map(({ description }) => description);
  }

  /** Whether the disk exists, is usable, and has its bytes. */
  async holds(disk: KnownDisk): Promise<boolean> {
    if ((await this.status(disk.id)) !== 'ok' || !existsSync(this.image(disk))) return false;
    return (await this.read(disk.id)).equals(disk.bytes);
  }
}
