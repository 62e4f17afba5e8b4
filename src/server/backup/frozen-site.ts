/**
 * Frozen copy of a running site at one moment, for a consistent backup. The database is copied.
 * Images get a second hard link, because replacing an image creates another file. Only uploads
 * write to the file itself: before one begins, the frozen image is copied.
 */

import { closeSync, fstatSync, linkSync, mkdirSync, openSync, readSync, rmSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { dataSeek } from '../../extents/file-extents.ts';
import { describeCause, FolderError, FolderInUse } from '../files/access.ts';
import { systemError } from '../files/system-error.ts';
import { frozenPrefix } from '../folder/move-aside.ts';
import { copySparse } from '../images/copy-sparse.ts';
import type { DiskFiles } from '../images/disk-files.ts';
import type { ImageRecord } from '../store/image-list.ts';
import type { Store } from '../store/store.ts';
import { BackupWriter, databaseEntry, type Piece, pieceLength } from './format.ts';

/** Milliseconds after which a backup without a reader is abandoned. */
const abandonedAfterMs = 10 * 60_000;

/** Bytes of zeros that are skipped before other events run. */
const longHole = 16 * 2 ** 20;

export class FrozenSite {
  readonly #folder: string;
  readonly #files: DiskFiles;
  readonly #images: ReadonlyMap<string, number>;
  readonly #detached = new Set<string>();
  #watch: NodeJS.Timeout | undefined;
  readonly #nextData: ((file: number, from: number) => number | undefined) | undefined;

  private constructor(
    folder: string,
    files: DiskFiles,
    images: ReadonlyMap<string, number>,
    nextData: ((file: number, from: number) => number | undefined) | undefined,
  ) {
    this.#folder = folder;
    this.#files = files;
    this.#images = images;
    this.#nextData = nextData;
  }

  /**
   * Freezes a site. `folder` must be on the file system of the images. `end` removes the frozen
   * files.
   */
  static async freeze(folder: string, store: Store, files: DiskFiles): Promise<FrozenSite> {
    if (files.backup) throw new FolderInUse('Another backup of this site is in progress.');
    const calls = await dataSeek().catch(() => undefined);
    const copyTo = await store.prepareCopy();
    const own = join(folder, `${frozenPrefix}${process.pid}-${Date.now()}`);
    try {
      mkdirSync(own, { mode: 0o700 });
      // Synchronous up to the last link, so that all parts are from the same moment.
      copyTo(join(own, databaseEntry));
      const images = link(own, files, listNeeded(store));
      const nextData = calls && ((file: number, from: number) => calls.nextData(file, from));
      const site = new FrozenSite(own, files, images, nextData);
      files.backup = site;
      return site;
    } catch (error) {
      rmSync(own, { recursive: true, force: true });
      const { path } = systemError(error);
      const where = path === undefined ? '' : `${path}: `;
      throw new FolderError(
        `Cannot copy the site: ${where}${describeCause(error)}.`,
        'run vmctl serve --check on its folder',
        error,
      );
    }
  }

  /** The backup in pieces. Its end, normal or not, removes the frozen files. */
  read(): IterableIterator<Buffer> {
    const pieces = this.#all();
    const guarded = (step: () => IteratorResult<Buffer>) => {
      clearTimeout(this.#watch);
      try {
        const result = step();
        if (result.done) this.end();
        else this.#watchOver();
        return result;
      } catch (error) {
        this.end();
        throw error;
      }
    };
    this.#watchOver();
    return {
      next: () => guarded(() => pieces.next()),
      return: () => guarded(() => ({ done: true, value: undefined })),
      [Symbol.iterator]() {
        return this;
      },
    };
  }

  #watchOver(): void {
    this.#watch = setTimeout(() => this.end(), abandonedAfterMs);
    this.#watch.unref();
  }

  *#all(): Generator<Buffer> {
    const writer = new BackupWriter();
    yield writer.begin();
    const database = join(this.#folder, databaseEntry);
    yield* this.#entry(writer, databaseEntry, database, undefined);
    for (const [id, size] of this.#images) {
      yield* this.#entry(writer, `images/${id}`, this.#path(id), size);
    }
    yield writer.end();
  }

  *#entry(
    writer: BackupWriter,
    path: string,
    file: string,
    known: number | undefined,
  ): Generator<Buffer> {
    const size = known ?? measureFile(file);
    yield writer.entry({ path, size });
    yield* this.#pieces(writer, file, size);
    yield writer.endOfEntry();
  }

  *#pieces(writer: BackupWriter, path: string, size: number): Generator<Buffer> {
    const zeros = Buffer.alloc(pieceLength);
    let passed = 0;
    for (let offset = 0; offset < size; ) {
      // Opened for each piece: a starting upload replaces the file with a copy.
      const found = this.#next(path, offset, size);
      if (found === undefined) return;
      const { bytes } = found;
      offset = found.offset + bytes.length;
      if (!bytes.equals(zeros.subarray(0, bytes.length))) {
        passed = 0;
        yield writer.piece(found);
        continue;
      }
      passed += bytes.length;
      if (passed < longHole) continue;
      passed = 0;
      yield writer.piece({ offset, bytes: Buffer.alloc(0) });
    }
  }

  #next(path: string, from: number, size: number): Piece | undefined {
    const file = openSync(path, 'r');
    try {
      const offset = this.#dataFrom(file, from);
      if (offset === undefined || offset >= size) return undefined;
      const bytes = Buffer.allocUnsafe(Math.min(pieceLength, size - offset));
      const length = readSync(file, bytes, 0, bytes.length, offset);
      return length === 0 ? undefined : { offset, bytes: bytes.subarray(0, length) };
    } finally {
      closeSync(file);
    }
  }

  #dataFrom(file: number, from: number): number | undefined {
    if (!this.#nextData) return from;
    try {
      return this.#nextData(file, from);
    } catch {
      // The file system does not report holes; everything counts as data.
      return from;
    }
  }

  /** Copies the frozen image of a disk before the image is written. */
  async detach(id: string): Promise<void> {
    if (!this.#images.has(id) || this.#detached.has(id)) return;
    const path = this.#path(id);
    const copied = copySparse(path, `${path}.own`).then(() => rename(`${path}.own`, path));
    await copied.catch((error: NodeJS.ErrnoException) => {
      // The backup has ended in the meantime.
      if (error.code !== 'ENOENT') throw error;
    });
    this.#detached.add(id);
  }

  #path(id: string): string {
    return join(this.#folder, id);
  }

  /** Ends the backup and removes the frozen files. */
  end(): void {
    clearTimeout(this.#watch);
    if (this.#files.backup === this) this.#files.backup = undefined;
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Expected and needed images. */
function listNeeded(store: Store): readonly ImageRecord[] {
  return store.read((tx) => tx.images.needed().filter(({ lost }) => !lost));
}

function link(own: string, files: DiskFiles, records: readonly ImageRecord[]): Map<string, number> {
  const images = new Map<string, number>();
  for (const { id } of records) {
    linkSync(files.path(id), join(own, id));
    images.set(id, files.sizes(id).length);
  }
  return images;
}

function measureFile(path: string): number {
  const file = openSync(path, 'r');
  try {
    return fstatSync(file).size;
  } finally {
    closeSync(file);
  }
}
