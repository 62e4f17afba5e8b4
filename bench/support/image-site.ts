/** Server with its images in a fast folder, and transfers for plain HTTP clients. */
import { existsSync, readFileSync, renameSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { startSite } from './site.ts';

export type Way = 'TLS' | 'unix';

type Json = Record<string, unknown>;

/** Open transfer. */
export interface Open {
  readonly id: string;
  readonly disk: string;
  readonly url: string;
}

export class ImageSite {
  readonly env: NodeJS.ProcessEnv;
  readonly pid: number;
  /** Path of the socket for clients on this computer. */
  readonly socket: string;
  readonly #apiUrl: string;
  readonly #agent: Agent;
  readonly #end: () => Promise<void>;
  #domain = '';

  private constructor(data: string, site: Awaited<ReturnType<typeof startSite>>) {
    this.env = site.env;
    this.pid = site.pid;
    this.#apiUrl = site.apiUrl;
    this.#end = site.stop;
    this.socket = join(data, 'images.sock');
    this.#agent = new Agent({ keepAlive: true, ca: readFileSync(this.caFile) });
  }

  static async start(data: string): Promise<ImageSite> {
    const site = new ImageSite(data, await startSite('--data', data, '--speed', '0'));
    const found = await site.api('GET', '/storagedomains?search=name%3Ddata1');
    site.#domain = (found['storage_domain'] as { id: string }[])[0]?.id ?? '';
    return site;
  }

  get caFile(): string {
    return String(this.env['VMCTL_CA_FILE']);
  }

  /** Shows or hides the socket. */
  takeWay(way: Way): void {
    const hidden = `${this.socket}.hidden`;
    const [from, to] = way === 'TLS' ? [this.socket, hidden] : [hidden, this.socket];
    if (existsSync(from)) renameSync(from, to);
  }

  /** Sends one API request. */
  api(method: string, path: string, body?: Json): Promise<Json> {
    const authorization = `Basic ${Buffer.from('admin@internal:bench').toString('base64')}`;
    const text = body === undefined ? undefined : JSON.stringify(body);
    const headers = {
      Accept: 'application/json',
      Authorization: authorization,
      ...(text === undefined
        ? {}
        : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }),
    };
    return new Promise((resolve, reject) => {
      const options = { agent: this.#agent, method, headers };
      const outgoing = request(`${this.#apiUrl}${path}`, options, (response) => {
        let answer = '';
        response.on('data', (piece: Buffer) => {
          answer += piece.toString();
        });
        response.on('end', () => {
          if ((response.statusCode ?? 500) < 300) resolve(JSON.parse(answer || '{}') as Json);
          else reject(new Error(`${method} ${path}: ${response.statusCode} ${answer}`));
        });
      });
      outgoing.on('error', reject);
      outgoing.end(text);
    });
  }

  async addDisk(size: number): Promise<string> {
    const added = await this.api('POST', '/disks', {
      name: `bench-${Math.random().toString(36).slice(2)}`,
      format: 'raw',
      sparse: true,
      provisioned_size: size,
      storage_domains: { storage_domain: [{ id: this.#domain }] },
    });
    return String(added['id']);
  }

  async diskNamed(name: string): Promise<string> {
    const found = await this.api('GET', `/disks?search=name%3D${name}`);
    return (found['disk'] as { id: string }[])[0]?.id ?? '';
  }

  async removeDisk(id: string): Promise<void> {
    await this.api('DELETE', `/disks/${id}`);
  }

  async begin(disk: string, direction: 'upload' | 'download'): Promise<Open> {
    const body = { direction, disk: { id: disk }, inactivity_timeout: 3600 };
    const id = String((await this.api('POST', '/imagetransfers', body))['id']);
    for (;;) {
      const now = await this.api('GET', `/imagetransfers/${id}`);
      if (now['phase'] === 'transferring') return { id, disk, url: String(now['transfer_url']) };
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  async finalize({ id }: Open): Promise<void> {
    await this.api('POST', `/imagetransfers/${id}/finalize`, {});
    for (;;) {
      const { phase } = await this.api('GET', `/imagetransfers/${id}`);
      if (phase === 'finished_success') return;
      if (/fail|cancel/.test(String(phase))) throw new Error(`The transfer is ${phase}.`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  async stop(): Promise<void> {
    this.#agent.destroy();
    this.takeWay('unix');
    await this.#end();
  }
}
