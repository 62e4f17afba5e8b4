/** Backend for images that an NBD server exports. */

import { getErrorCode } from '../../caught-errors.ts';
import { blockStatus } from '../nbd/block-status.ts';
import type { NbdAddress } from '../nbd/byte-reader.ts';
import { NbdClient } from '../nbd/client.ts';
import {
  ALLOCATION_DEPTH,
  Allocation,
  BASE_ALLOCATION,
  DIRTY,
  DIRTY_BITMAP,
  systemError,
} from '../nbd/protocol.ts';
import { UnalignedAccess } from '../nbd/unaligned-access.ts';
import type { Clock } from '../system/clock.ts';
import type { Backend, DirtyExtent, Extent } from './backend.ts';

export interface NbdImageOptions {
  address: NbdAddress;
  exportName: string;
  /** Size of the image. A smaller export reads as zeros after its end, and refuses data there. */
  size: number;
  writable: boolean;
  /** Whether zeroed ranges are deallocated. */
  sparse: boolean;
  /** Whether to request a dirty bitmap. */
  dirty: boolean;
  /** Clock for timeouts of the server. */
  clock?: Clock;
}

const ZEROS_LENGTH = 1 << 20;

let zeros: Buffer | undefined;

/**
 * Connects to an export. Rejects with the error of the system, with `EROFS` if a writable export is
 * required, and with `EPROTO` for a protocol violation.
 */
export async function openNbdImage(options: NbdImageOptions): Promise<Backend> {
  const image = new NbdImage(options);
  await image.connect();
  return image;
}

class NbdImage implements Backend {
  readonly #options: NbdImageOptions;
  #client: Promise<NbdClient> | undefined;
  #edges: UnalignedAccess | undefined;
  /** Whether there are writes after the last flush. */
  #isUnsafe = false;
  #canZero = true;

  constructor(options: NbdImageOptions) {
    this.#options = options;
  }

  /** Extents of the dirty bitmap, if the export has one. */
  dirtyExtents: (() => AsyncIterable<DirtyExtent>) | undefined;

  async connect(): Promise<NbdClient> {
    const { address, exportName, writable, dirty, clock } = this.#options;
    const contexts = [BASE_ALLOCATION, ALLOCATION_DEPTH, ...(dirty ? [DIRTY_BITMAP] : [])];
    this.#client = NbdClient.open({ address, exportName, contexts, ...(clock ? { clock } : {}) });
    try {
      const client = await this.#client;
      this.#edges = new UnalignedAccess(client);
      if (writable && client.isReadOnly) {
        await client.close();
        throw systemError('EROFS', 'the export is read-only');
      }
      const bitmap = [...client.info.contexts.keys()].find((name) => name.startsWith(DIRTY_BITMAP));
      this.dirtyExtents = bitmap === undefined ? undefined : () => this.#dirtyExtents(bitmap);
      return client;
    } catch (error) {
      this.#client = undefined;
      throw error;
    }
  }

  async read(offset: number, buffer: Buffer): Promise<void> {
    const client = await this.#ready();
    const available = Math.max(0, Math.min(buffer.length, client.info.size - offset));
    if (available > 0) {
      await this.#edges?.read(
        offset,
        available < buffer.length ? buffer.subarray(0, available) : buffer,
      );
    }
    buffer.fill(0, available);
  }

  async write(offset: number, buffer: Buffer): Promise<void> {
    const client = await this.#ready();
    if (offset + buffer.length > client.info.size) {
      throw systemError('ENOSPC', `the export ends at ${client.info.size}`);
    }
    await this.#change(async () => this.#edges?.write(offset, buffer));
  }

  async zero(offset: number, length: number): Promise<void> {
    const client = await this.#ready();
    // Bytes after the end of the export are zeros already.
    const available = Math.min(length, client.info.size - offset);
    if (available <= 0) return;
    if (this.#canZero && client.canZero) {
      try {
        await this.#change(async () => this.#edges?.zero(offset, available, !this.#options.sparse));
        return;
      } catch (error) {
        if (getErrorCode(error) !== 'ENOTSUP') throw error;
        this.#canZero = false;
      }
    }
    zeros ??= Buffer.alloc(ZEROS_LENGTH);
    for (let done = 0; done < available; done += ZEROS_LENGTH) {
      const part = zeros.subarray(0, Math.min(ZEROS_LENGTH, available - done));
      await this.write(offset + done, part);
    }
  }

  async flush(): Promise<void> {
    const client = await this.#ready();
    const wasUnsafe = this.#isUnsafe;
    // This flush does not cover later writes.
    this.#isUnsafe = false;
    try {
      await client.flush();
    } catch (error) {
      this.#isUnsafe ||= wasUnsafe;
      throw error;
    }
  }

  async *extents(): AsyncGenerator<Extent> {
    const client = await this.#ready();
    const { contexts, size } = client.info;
    const end = Math.min(size, this.#options.size);
    if (contexts.has(BASE_ALLOCATION)) {
      const names = [BASE_ALLOCATION, ALLOCATION_DEPTH];
      for await (const { start, length, flags } of blockStatus(client, names, end)) {
        const [allocation = 0, depth] = flags;
        const zero = (allocation & Allocation.zero) !== 0;
        // Explicit zeros hide the data of a backing file, so they are not holes.
        const isEmpty = depth === undefined ? (allocation & Allocation.hole) !== 0 : depth === 0;
        yield { start, length, zero, hole: zero && isEmpty };
      }
    } else if (end > 0) {
      yield { start: 0, length: end, zero: false, hole: false };
    }
    if (end < this.#options.size) {
      yield { start: end, length: this.#options.size - end, zero: true, hole: true };
    }
  }

  abandon(): void {
    this.#client?.then(
      (client) => client.abandon(),
      () => {},
    );
  }

  async close(): Promise<void> {
    const client = await this.#client?.catch(() => undefined);
    await client?.close();
  }

  async *#dirtyExtents(bitmap: string): AsyncGenerator<DirtyExtent> {
    const client = await this.#ready();
    const end = Math.min(client.info.size, this.#options.size);
    for await (const { start, length, flags } of blockStatus(
      client,
      [BASE_ALLOCATION, bitmap],
      end,
    )) {
      const [allocation = 0, changes = 0] = flags;
      const zero = (allocation & Allocation.zero) !== 0;
      yield { start, length, dirty: (changes & DIRTY) !== 0, zero };
    }
    if (end < this.#options.size) {
      yield { start: end, length: this.#options.size - end, dirty: false, zero: true };
    }
  }

  /** Runs a change. A flush that begins during the change does not cover it. */
  async #change(work: () => Promise<void>): Promise<void> {
    this.#isUnsafe = true;
    try {
      await work();
    } finally {
      this.#isUnsafe = true;
    }
  }

  /**
   * Current client. A lost client is replaced unless the server may have lost unflushed writes. In
   * this case, all later flushes fail.
   */
  async #ready(): Promise<NbdClient> {
    const found = this.#client;
    if (!found) return this.connect();
    const client = await found;
    if (client.alive) return client;
    if (this.#isUnsafe) {
      throw systemError('EIO', 'the NBD server was restarted and lost written data');
    }
    // Concurrent requests share one new connection.
    return this.#client === found ? this.connect() : this.#ready();
  }
}
