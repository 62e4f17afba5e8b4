/**
 * A site as it is at one moment, to be read while the site goes on. The database is copied; images keep
 * a second name (a hard link), because everything that makes an image anew puts another file in its
 * place. Only uploads write into the file itself: one that begins gets the frozen image copied first.
 */

import { closeSync, fstatSync, linkSync, mkdirSync, openSync, readSync, rmSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { dataSeek } from '../../extents/file-extents.ts';
import { causeOf, FolderError, FolderInUse } from '../files/access.ts';
import { systemError } from '../files/system-error.ts';
import { frozenPrefix } from '../folder/aside.ts';
import { copySparse } from '../images/copy-sparse.ts';
import type { DiskFiles } from '../images/disk-files.ts';
import type { ImageRecord } from '../store/image-list.ts';
import type { Store } from '../store/store.ts';
import { BackupWriter, databaseEntry, type Piece, pieceLength } from './format.ts';

/** Milliseconds after which a backup that nobody reads on is given up. */
const patience = 10 * 60_000;

/** Bytes of zeros that are passed over before others get their turn. */
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
   * Freezes a site. What is kept in `folder`, which has to be on the file system of the images, goes away
   * with `end`.
   */
  static async freeze(folder: string, store: Store, files: DiskFiles): Promise<FrozenSite> {
    if (files.backup) throw new FolderInUse('Another backup of this site is in progress.');
    const calls = await dataSeek().catch(() => undefined);
    const copyTo = await store.prepareCopy();
    const own = join(folder, `${frozenPrefix}${process.pid}-${Date.now()}`);
    try {
      mkdirSync(own, { mode: 0o700 });
      // From here to the last link nothing else has a turn: all of it is of one moment.
      copyTo(join(own, databaseEntry));
      const images = link(own, files, needed(store));
      const nextData = calls && ((file: number, from: number) => calls.nextData(file, from));
      const site = new FrozenSite(own, files, images, nextData);
      files.backup = site;
      return site;
    } catch (error) {
      rmSync(own, { recursive: true, force: true });
      const { path } = systemError(error);
      const where = path === undefined ? '' : `${path}: `;
      throw new FolderError(
        `Cannot copy the site: ${where}${causeOf(error)}.`,
        'run vmctl serve --check on its folder',
        error,
      );
    }
  }

  /** The backup, piece by piece. What is kept for it goes away when that ends, however it ends. */
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
    this.#watch = setTimeout(() => this.end(), patience);
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
    const size = known ?? sizeOf(file);
    yield writer.entry({ path, size });
    yield* this.#pieces(writer, file, size);
    yield writer.endOfEntry();
  }

  *#pieces(writer: BackupWriter, path: string, size: number): Generator<Buffer> {
    const zeros = Buffer.alloc(pieceLength);
    let passed = 0;
    for (let offset = 0; offset < size; ) {
      // Opened each time: an upload that begins meanwhile puts a copy in its place.
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
      // This file system does not tell; everything counts as data.
      return from;
    }
  }

  /** Gives the backup a copy of its own of an image, before that is written into. */
  async detach(id: string): Promise<void> {
    if (!this.#images.has(id) || this.#detached.has(id)) return;
    const path = this.#path(id);
    const copied = copySparse(path, `${path}.own`).then(() => rename(`${path}.own`, path));
    await copied.catch((error: NodeJS.ErrnoException) => {
      // The backup has ended meanwhile.
      if (error.code !== 'ENOENT') throw error;
    });
    this.#detached.add(id);
  }

  #path(id: string): string {
    return join(this.#folder, id);
  }

  /** Lets the site go. */
  end(): void {
    clearTimeout(this.#watch);
    if (this.#files.backup === this) this.#files.backup = undefined;
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Images that have to be there and that something needs. */
function needed(store: Store): readonly ImageRecord[] {
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

function sizeOf(path: string): number {
  const file = openSync(path, 'r');
  try {
    return fstatSync(file).size;
  } finally {
    closeSync(file);
  }
}
