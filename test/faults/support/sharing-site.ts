/** Site that shares storage with another one. */
import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import type { RawAnswer } from '../../support/raw.ts';
import { FolderSite, MiB } from './site.ts';

/** An object of the API. */
export type StoredObject = Record<string, unknown> & { readonly id: string };

/** A site with storage domains in a folder that other sites use as well. */
export class SharingSite extends FolderSite {
  readonly #shared: string;
  cluster = '';
  dataCenter = '';

  constructor(shared: string) {
    super();
    this.#shared = shared;
  }

  /** Starts the server. */
  async begin(): Promise<void> {
    await this.start('--shared-storage', this.#shared);
    this.cluster = (await this.all('/clusters'))[0]?.id ?? '';
    this.dataCenter = (await this.all('/datacenters'))[0]?.id ?? '';
  }

  async all(path: string): Promise<StoredObject[]> {
    const [found] = Object.values(
      (await this.api.json('GET', path)).json<Record<string, StoredObject[]>>(),
    );
    return found ?? [];
  }

  async get(path: string): Promise<StoredObject> {
    const answer = await this.api.json('GET', path);
    expect(answer.status, `${path} ${answer.text}`).toBe(200);
    return answer.json<StoredObject>();
  }

  post(path: string, body: object): Promise<StoredObject> {
    return this.#send('POST', path, body);
  }

  put(path: string, body: object): Promise<StoredObject> {
    return this.#send('PUT', path, body);
  }

  async #send(method: string, path: string, body: object): Promise<StoredObject> {
    const answer = await this.api.json(method, path, body);
    expect(answer.status, `${path} ${answer.text}`).toBeLessThan(300);
    return answer.json<StoredObject>();
  }

  /** Sends a request that must fail; resolves with status and detail. */
  async refusal(method: string, path: string, body?: object): Promise<[number, string]> {
    const answer = await this.api.json(method, path, body);
    return [answer.status, String(answer.json()['detail'])];
  }

  domain(more: object = {}) {
    const storage = { type: 'nfs', address: 'filer.example.com', path: '/exports/travel' };
    return { type: 'data', host: { name: 'host1' }, storage, ...more };
  }

  attached(id: string): string {
    return `/datacenters/${this.dataCenter}/storagedomains/${id}`;
  }

  async attach(id: string): Promise<void> {
    await this.post(`/datacenters/${this.dataCenter}/storagedomains`, { id });
    await this.until(id, 'active');
  }

  until(id: string, status: string): Promise<RawAnswer> {
    return this.api.until(this.attached(id), (answer) => answer.json()['status'] === status);
  }

  async detach(id: string): Promise<void> {
    await this.post(`${this.attached(id)}/deactivate`, {});
    await this.until(id, 'maintenance');
    const answer = await this.api.json('DELETE', this.attached(id));
    expect(answer.status, answer.text).toBeLessThan(300);
    await this.api.until(this.attached(id), ({ status }) => status === 404);
  }

  async importDomain(): Promise<string> {
    return (await this.post('/storagedomains', this.domain({ import: true }))).id;
  }

  async unregistered(domain: string, what: string): Promise<StoredObject[]> {
    return await this.all(`/storagedomains/${domain}/${what}?unregistered=true`);
  }

  async register(domain: string, what: string, id: string, more: object = {}): Promise<void> {
    const body = { cluster: { id: this.cluster }, ...more };
    await this.post(`/storagedomains/${domain}/${what}/${id}/register`, body);
  }

  /** Creates a disk with random bytes on a domain. */
  async full(domain: string, name: string, format: 'raw' | 'cow'): Promise<[string, Buffer]> {
    const { id } = await this.post('/disks', {
      ...{ name, format, provisioned_size: 4 * MiB, sparse: true },
      storage_domains: { storage_domain: [{ id: domain }] },
    });
    const bytes = Buffer.concat([randomBytes(MiB), Buffer.alloc(2 * MiB), randomBytes(MiB)]);
    await this.write(id, bytes, 'raw');
    return [id, bytes];
  }
}
