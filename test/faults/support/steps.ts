/**
 * Small steps that cover all kinds of changes, for fault injection, and a comparison of
 * acknowledged changes with the state after a crash.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { type RawAnswer, requestToken, send } from '../../support/raw.ts';
import type { FolderSite, KnownDisk } from './site.ts';

const size = 64 * 1024;
const storage = { storage_domains: { storage_domain: [{ name: 'data1' }] } };

export interface Step {
  readonly name: string;
  /** Prepares the step without faults; resolves with the function under test. */
  readonly prepare: () => Promise<() => Promise<unknown>>;
}

/** Acknowledged changes, since the last check and before. */
interface Acknowledged {
  readonly bookmarks: string[];
  readonly disks: KnownDisk[];
  readonly deleted: string[];
}

interface Upload {
  readonly id: string;
  readonly path: string;
  readonly url: string;
}

export class Changes {
  readonly #site: FolderSite;
  readonly acknowledged: Acknowledged = { bookmarks: [], disks: [], deleted: [] };
  /** Number of refused requests. */
  faults = 0;
  #names = 0;
  #source: KnownDisk | undefined;

  constructor(site: FolderSite) {
    this.#site = site;
  }

  get count(): number {
    const { bookmarks, disks, deleted } = this.acknowledged;
    return bookmarks.length + disks.length + deleted.length;
  }

  readonly steps: readonly Step[] = [
    { name: 'a bookmark', prepare: async () => () => this.bookmark() },
    { name: 'a disk', prepare: async () => () => this.#addDisk() },
    {
      name: 'the beginning of an upload',
      prepare: async () => {
        const id = await this.#blank();
        return async () => {
          const upload = await this.#begin(id);
          // The result does not matter: the upload is not needed any longer.
          if (upload) await this.#site.api.json('POST', `${upload.path}/cancel`, {});
        };
      },
    },
    {
      name: 'the bytes of an upload',
      prepare: async () => {
        const upload = await this.#begun();
        const bytes = randomBytes(size);
        return async () => {
          if (await this.#send(upload, bytes)) await this.#finish(upload, bytes);
        };
      },
    },
    {
      name: 'the end of an upload',
      prepare: async () => {
        const upload = await this.#begun();
        const bytes = randomBytes(size);
        await this.#send(upload, bytes);
        return () => this.#finish(upload, bytes);
      },
    },
    {
      name: 'a copy',
      prepare: async () => {
        const source = await this.#ready();
        return () => this.#copy(source);
      },
    },
    {
      name: 'a removal',
      prepare: async () => {
        const id = await this.#blank();
        return async () => {
          const gone = await this.#attempt(() => this.#site.api.json('DELETE', `/disks/${id}`));
          if (gone) this.acknowledged.deleted.push(id);
        };
      },
    },
    {
      name: 'a sign-in',
      prepare: async () => async () => {
        const signed = await requestToken(this.#site.server);
        expect([200, 400, 503], signed.text).toContain(signed.status);
        if (signed.status !== 200) this.faults += 1;
      },
    },
  ];

  /** Whether a change succeeds. */
  async bookmark(): Promise<boolean> {
    const name = this.#name('b');
    const { api } = this.#site;
    const made = await this.#attempt(() => api.json('POST', '/bookmarks', { name, value: 'x' }));
    if (made) this.acknowledged.bookmarks.push(name);
    return made !== undefined;
  }

  #name(letter: string): string {
    this.#names += 1;
    return `${letter}${this.#names}`;
  }

  /** Sends a request that may be refused with a reason. */
  async #attempt(work: () => Promise<RawAnswer>): Promise<RawAnswer | undefined> {
    const answer = await work();
    if (answer.status < 300) return answer;
    this.faults += 1;
    // Consequences of an earlier failure are refused with these statuses.
    expect([404, 409, 403, 503, 500, 507], answer.text).toContain(answer.status);
    expect(answer.text).toMatch(/detail|disk|image|space|error|no free files/i);
    expect(answer.text).not.toContain('The server failed to answer; see its log.');
    return undefined;
  }

  async #addDisk(): Promise<void> {
    const name = this.#name('d');
    const body = { name, format: 'raw', provisioned_size: size, sparse: true, ...storage };
    const added = await this.#attempt(() => this.#site.api.json('POST', '/disks', body));
    if (!added) return;
    const id = String(added.json()['id']);
    const status = await this.#settled(`/disks/${id}`, 'status', /^(?!locked)/);
    if (status === 'ok') this.acknowledged.disks.push({ id, name, bytes: Buffer.alloc(size) });
  }

  /** Creates an empty disk without faults. */
  async #blank(): Promise<string> {
    const id = await this.#site.add(this.#name('n'), size);
    await this.#settled(`/disks/${id}`, 'status', /^(?!locked)/);
    return id;
  }

  /** Starts an upload without faults. */
  async #begun(): Promise<Upload> {
    const upload = await this.#begin(await this.#blank());
    if (!upload) throw new Error('An upload did not begin.');
    return upload;
  }

  async #begin(id: string): Promise<Upload | undefined> {
    const body = { disk: { id }, direction: 'upload' };
    const { api } = this.#site;
    const made = await this.#attempt(() => api.json('POST', '/imagetransfers', body));
    if (!made) return undefined;
    const path = `/imagetransfers/${String(made.json()['id'])}`;
    if ((await this.#settled(path, 'phase', phases)) !== 'transferring') return undefined;
    return { id, path, url: String((await api.json('GET', path)).json()['transfer_url']) };
  }

  async #send({ url }: Upload, body: Buffer): Promise<boolean> {
    const { ca } = this.#site.server;
    return (await this.#attempt(() => send(url, { method: 'PUT', body, ca }))) !== undefined;
  }

  async #finish({ id, path }: Upload, bytes: Buffer): Promise<void> {
    const { api } = this.#site;
    const ended = await this.#attempt(() => api.json('POST', `${path}/finalize`, {}));
    if (!ended) return;
    const phase = await this.#settled(path, 'phase', /^(paused|finished)/);
    if (phase === 'finished_success') this.acknowledged.disks.push({ id, name: id, bytes });
  }

  /** A disk with data that can be copied. */
  async #ready(): Promise<KnownDisk> {
    const { id } = this.#source ?? {};
    const status = id && (await this.#settled(`/disks/${id}`, 'status', /^(?!locked)/));
    if (!this.#source || status !== 'ok') {
      this.#source = await this.#site.disk(this.#name('s'), size);
    }
    return this.#source;
  }

  async #copy({ id, bytes }: KnownDisk): Promise<void> {
    const { api } = this.#site;
    const name = this.#name('c');
    const body = { disk: { name }, async: false, storage_domain: { name: 'data1' } };
    const copied = await this.#attempt(() => api.json('POST', `/disks/${id}/copy`, body));
    const list = (await api.json('GET', `/disks?search=name%3D${name}`)).json<DiskList>();
    for (const disk of list.disk ?? []) {
      const status = await this.#settled(`/disks/${disk.id}`, 'status', /^(?!locked)/);
      if (copied && status === 'ok') this.acknowledged.disks.push({ id: disk.id, name, bytes });
    }
  }

  /** Final value of a member of an object; undefined if no change is possible. */
  async #settled(path: string, member: string, final: RegExp): Promise<string | undefined> {
    for (let turn = 1; ; turn++) {
      const value = (await this.#site.api.json('GET', path)).json()[member];
      if (typeof value !== 'string') return undefined;
      if (final.test(value)) return value;
      if (turn % 20 === 0 && !(await this.bookmark())) return undefined;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  /**
   * Acknowledged changes that are missing. Compares image files directly, so that frequent checks
   * are fast.
   */
  async lost(): Promise<string[]> {
    const { api } = this.#site;
    const marks = (await api.json('GET', '/bookmarks')).json<{ bookmark?: { name: string }[] }>();
    const names = new Set((marks.bookmark ?? []).map(({ name }) => name));
    const missing = this.acknowledged.bookmarks.filter((name) => !names.has(name));
    // A refused copy may have started anyway, and locks its source.
    const ours = new Set(this.acknowledged.disks.map(({ id }) => id));
    const listDisks = (answer: RawAnswer) => answer.json<DiskList>().disk ?? [];
    const list = await api.until('/disks', (answer) =>
      listDisks(answer).every(({ id, status }) => !ours.has(id) || status !== 'locked'),
    );
    const found = listDisks(list);
    const statuses = new Map(found.map(({ id, status }) => [id, status]));
    for (const { id, bytes } of this.acknowledged.disks) {
      const file = this.#site.image({ id });
      const isThere = statuses.get(id) === 'ok' && existsSync(file);
      if (!isThere || !readFileSync(file).equals(bytes)) missing.push(`disk ${id}`);
    }
    for (const id of this.acknowledged.deleted) {
      if (statuses.has(id)) missing.push(`deleted ${id}`);
      if (existsSync(this.#site.image({ id }))) missing.push(`file of ${id}`);
    }
    return missing;
  }
}

const phases = /^(transferring|paused|finished)/;

interface DiskList {
  readonly disk?: readonly { readonly id: string; readonly status: string }[];
}
