/**
 * VM that is backed up like by backup tools, with the expected content of its disks. Rebuilds the
 * disks from the backups and compares them.
 */
import { randomBytes, randomInt } from 'node:crypto';
import { type RawApi, send } from './raw.ts';

/** Site with the VM. */
export interface BackupSite {
  readonly api: RawApi;
  /** Ends a transfer by its path. */
  finish(path: string): Promise<void>;
}

export interface DirtyExtent {
  readonly start: number;
  readonly length: number;
  readonly dirty?: boolean;
  readonly zero: boolean;
}

/** Data of a disk in a backup. */
export interface Delivered {
  readonly mode: 'full' | 'incremental';
  readonly size: number;
  /** Downloaded pieces: of an incremental backup only changed ones; zeros have no bytes. */
  readonly pieces: readonly { start: number; length: number; bytes?: Buffer }[];
  /**
   * Complete content of the disk, read through the same backup: the expected result of a rebuild.
   */
  readonly whole: Buffer;
}

export interface BackedUp {
  readonly id: string;
  readonly checkpoint: string | undefined;
  readonly disks: ReadonlyMap<string, Delivered>;
}

/** Content of a disk from its backup, and from the previous content for an incremental one. */
export function rebuild({ mode, size, pieces }: Delivered, before?: Buffer): Buffer {
  const disk = Buffer.alloc(size);
  if (mode === 'incremental') {
    if (!before) throw new Error('An incremental backup needs an earlier backup.');
    before.copy(disk);
  }
  for (const { start, length, bytes } of pieces) {
    if (bytes) bytes.copy(disk, start);
    else disk.fill(0, start, start + length);
  }
  return disk;
}

export class Machine {
  readonly site: BackupSite;
  readonly id: string;
  readonly path: string;

  constructor(site: BackupSite, id: string) {
    this.site = site;
    this.id = id;
    this.path = `/vms/${id}`;
  }

  static async create(site: BackupSite, name: string): Promise<Machine> {
    const { id } = await posted(site, '/vms', {
      ...{ name, cluster: { name: 'Default' }, template: { name: 'Blank' } },
    });
    return new Machine(site, id);
  }

  /** Adds a disk; resolves with its id. */
  async addDisk(size: number, format: 'cow' | 'raw' = 'cow'): Promise<string> {
    const { id } = await posted(this.site, `${this.path}/diskattachments`, {
      ...{ interface: 'virtio', active: true },
      disk: {
        ...{ format, provisioned_size: size, sparse: true },
        ...(format === 'cow' ? { backup: 'incremental' } : {}),
        storage_domains: { storage_domain: [{ name: 'data1' }] },
      },
    });
    await this.free(id);
    return id;
  }

  /** Waits until a disk is unlocked. */
  async free(disk: string): Promise<void> {
    await this.site.api.until(`/disks/${disk}`, (answer) => answer.json()['status'] === 'ok');
  }

  /** Creates a transfer of guest data; resolves with its path and URL when it is ready. */
  async transfer(disk: string, direction: 'upload' | 'download', backup?: string) {
    const { id } = await posted(this.site, '/imagetransfers', {
      ...{ disk: { id: disk }, direction, format: 'raw' },
      ...(backup === undefined ? {} : { backup: { id: backup } }),
    });
    const path = `/imagetransfers/${id}`;
    const ready = await this.site.api.until(path, (one) => one.json()['phase'] !== 'initializing');
    return { path, url: String(ready.json()['transfer_url']) };
  }

  /** Writes random ranges to a disk and to its expected content. */
  async scribble(disk: string, image: Buffer, writes: number): Promise<void> {
    const { path, url } = await this.transfer(disk, 'upload');
    for (let number = 0; number < writes; number += 1) {
      const length = randomInt(1, randomInt(2) === 0 ? 5_000 : 300_000);
      const start = randomInt(0, image.length - length);
      if (randomInt(3) === 0) {
        await this.put(url, { op: 'zero', offset: start, size: length, flush: randomInt(2) === 0 });
        image.fill(0, start, start + length);
      } else {
        const bytes = randomBytes(length);
        await this.put(url, bytes, start);
        bytes.copy(image, start);
      }
    }
    await this.site.finish(path);
    await this.free(disk);
  }

  /** Writes bytes at an offset, or requests zeros. */
  async put(url: string, what: Buffer | object, start = 0): Promise<void> {
    const { agent } = this.site.api;
    const answer = Buffer.isBuffer(what)
      ? await send(`${url}?flush=${randomInt(3) === 0 ? 'y' : 'n'}`, {
          ...{ method: 'PUT', body: what, agent },
          headers: { 'Content-Range': `bytes ${start}-${start + what.length - 1}/*` },
        })
      : await send(url, { method: 'PATCH', body: JSON.stringify(what), agent });
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
  }

  /** Takes a snapshot; resolves with its id when it is complete. */
  async snapshot(description: string): Promise<string> {
    const { id } = await posted(this.site, `${this.path}/snapshots`, { description });
    await this.#settled(`${this.path}/snapshots/${id}`);
    return id;
  }

  async restore(snapshot: string): Promise<void> {
    const here = `${this.path}/snapshots/${snapshot}`;
    await acted(this.site, `${here}/restore`);
    await this.#settled(here);
  }

  async #settled(snapshot: string): Promise<void> {
    await this.site.api.until(snapshot, (one) => one.json()['snapshot_status'] === 'ok');
    await this.site.api.until(this.path, (one) => one.json()['status'] === 'down');
  }

  async extend(disk: string, size: number): Promise<void> {
    const here = `${this.path}/diskattachments/${disk}`;
    const answer = await this.site.api.json('PUT', here, { disk: { provisioned_size: size } });
    if (answer.status >= 300) throw new Error(answer.text);
    await this.free(disk);
  }

  /** Starts a backup; resolves with its id and checkpoint when it is ready. */
  async begin(disks: readonly string[], from?: string, query = '') {
    const { id } = await posted(this.site, `${this.path}/backups${query}`, {
      disks: { disk: disks.map((one) => ({ id: one })) },
      ...(from === undefined ? {} : { from_checkpoint_id: from }),
    });
    const ready = await this.site.api.until(`${this.path}/backups/${id}`, (one) =>
      /^(ready|failed)$/.test(String(one.json()['phase'])),
    );
    const checkpoint = ready.json()['to_checkpoint_id'] as string | undefined;
    return { id, checkpoint, phase: String(ready.json()['phase']) };
  }

  async end(backup: string): Promise<void> {
    const here = `${this.path}/backups/${backup}`;
    await acted(this.site, `${here}/finalize`);
    await this.site.api.until(here, (one) => one.json()['phase'] === 'succeeded');
  }

  /** Backup modes of the disks. */
  async modes(backup: string): Promise<Map<string, Delivered['mode']>> {
    const list = await this.site.api.json('GET', `${this.path}/backups/${backup}/disks`);
    type Disks = { disk: { id: string; backup_mode: Delivered['mode'] }[] };
    return new Map(list.json<Disks>().disk.map(({ id, backup_mode }) => [id, backup_mode]));
  }

  /** Backs disks up, completely or since a checkpoint. */
  async backUp(disks: readonly string[], from?: string, query = ''): Promise<BackedUp> {
    const { id, checkpoint } = await this.begin(disks, from, query);
    const modes = await this.modes(id);
    const delivered = new Map<string, Delivered>();
    for (const disk of disks) {
      delivered.set(disk, await this.deliver(disk, id, modes.get(disk) ?? 'full'));
    }
    await this.end(id);
    return { id, checkpoint, disks: delivered };
  }

  /** Reads a disk of a backup according to its mode, and completely. */
  async deliver(disk: string, backup: string, mode: Delivered['mode']): Promise<Delivered> {
    const { path, url } = await this.transfer(disk, 'download', backup);
    const { agent } = this.site.api;
    const context = mode === 'incremental' ? 'dirty' : 'zero';
    const listed = await send(`${url}/extents?context=${context}`, { agent });
    if (listed.status !== 200) throw new Error(`${listed.status} ${listed.text}`);
    const extents = listed.json<DirtyExtent[]>();
    const size = extents.reduce((sum, { length }) => sum + length, 0);
    const pieces = [];
    for (const { start, length, dirty, zero } of extents) {
      if (mode === 'incremental' && !dirty) continue;
      if (zero) {
        pieces.push({ start, length });
        continue;
      }
      const headers = { Range: `bytes=${start}-${start + length - 1}` };
      const { bytes } = await send(url, { headers, agent });
      if (bytes.length !== length) throw new Error(`${bytes.length} bytes instead of ${length}`);
      pieces.push({ start, length, bytes });
    }
    const { bytes: whole } = await send(url, { agent });
    await this.site.finish(path);
    return { mode, size, pieces, whole };
  }
}

async function posted(site: BackupSite, path: string, body: unknown): Promise<{ id: string }> {
  const answer = await site.api.json('POST', path, body);
  if (answer.status >= 300) throw new Error(`${answer.status} ${answer.text}`);
  return { id: String(answer.json()['id']) };
}

async function acted(site: BackupSite, path: string): Promise<void> {
  const answer = await site.api.json('POST', path, {});
  if (answer.status >= 300) throw new Error(`${answer.status} ${answer.text}`);
}
