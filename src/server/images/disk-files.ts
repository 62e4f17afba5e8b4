/** Disk image files: one per disk, named by its id. */
import {
  closeSync,
  constants,
  existsSync,
  ftruncateSync,
  openSync,
  readSync,
  rmSync,
  statSync,
} from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { readVirtualSize } from '../../formats/qcow2.ts';
import { type ByteRange, createBitmapFile, isBitmapFile } from '../../images/index.ts';
import { ImageLost } from '../core/failure-cause.ts';
import type { DiskImages, ImageForm } from '../core/ports.ts';
import { recordReplaced, recordUnknown } from '../inventory/dirty-bitmaps.ts';
import type { ImageRecord } from '../store/image-list.ts';
import { type Store, StoreError } from '../store/store.ts';
import type { BitmapOfPeriod } from '../store/stored-members.ts';
import { addToBitmap } from './bitmap-records.ts';
import { checkFile, convertImage } from './convert-image.ts';
import { cloneOrCopy, copySparse, imageError, runOnImage } from './copy-sparse.ts';
import { removeFile } from './remove-file.ts';
import { linkOrCopy, makeDurable, replaceImageFile, syncPath } from './replace-file.ts';

const blockSize = 512;

/**
 * The store lists each file before its first byte, and until after its deletion. An unlisted file
 * is therefore foreign, and a listed file that is missing was lost.
 */
export class DiskFiles implements DiskImages {
  readonly #folder: string;
  readonly #store: Store;
  /** Removed files that the store still lists. */
  readonly #removed = new Set<string>();
  /** The running backup, which must be notified before an image is written. */
  backup: { detach(id: string): Promise<void> } | undefined;

  /** Stores the images in an existing folder, and their list in the store. */
  constructor(folder: string, store: Store) {
    this.#folder = folder;
    this.#store = store;
  }

  /** Path of the image of a disk. Only the server generates ids. */
  path(id: string): string {
    if (!/^[0-9a-f-]{36}$/.test(id)) throw new Error(`"${id}" is not a disk id.`);
    return join(this.#folder, id);
  }

  create(id: string, size: number): void {
    runOnImage(id, () => {
      const path = this.path(id);
      const file = openSync(path, 'wx', 0o600);
      try {
        ftruncateSync(file, size);
      } catch (error) {
        rmSync(path, { force: true });
        throw error;
      } finally {
        closeSync(file);
      }
    });
  }

  resize(id: string, size: number): void {
    runOnImage(id, () => {
      const file = openSync(this.path(id), constants.O_RDWR | constants.O_CREAT, 0o600);
      try {
        ftruncateSync(file, size);
      } finally {
        closeSync(file);
      }
    });
  }

  write(id: string, content: Uint8Array, size: number): Promise<void> {
    return this.#replace(id, async (partial) => {
      const file = await open(partial, 'w', 0o600);
      try {
        await file.writeFile(content);
        await file.truncate(size);
        await file.sync();
      } finally {
        await file.close();
      }
    });
  }

  /**
   * Prepares an image for reading. Creates a missing file if it was never written (generated
   * inventories create none). Throws if a file with data is missing.
   */
  async toRead(id: string, size: number): Promise<void> {
    const record = this.#record(id);
    if (record?.written) this.#requireWhole(record);
    else if (!existsSync(this.path(id))) {
      if (!record) await this.#store.write((tx) => tx.images.blank(id, size));
      this.create(id, size);
    }
  }

  /** The same for writing. The store lists the image as written from now on. */
  async toWrite(id: string, size: number): Promise<void> {
    await this.backup?.detach(id);
    await this.#store.durable();
    const record = this.#record(id);
    if (record?.written) {
      this.#requireWhole(record);
      if (record.lost) await this.#store.write((tx) => tx.images.setLost(id, false));
      return;
    }
    if (!existsSync(this.path(id))) this.create(id, size);
    await makeDurable(this.path(id));
    await this.#store.write((tx) => tx.images.written(id, this.sizes(id).length));
  }

  #record(id: string): ImageRecord | undefined {
    return this.#store.read((tx) => tx.images.get(id));
  }

  #requireWhole(record: ImageRecord): void {
    if (this.isWhole(record)) return;
    const state = existsSync(this.path(record.id)) ? 'is shorter than before' : 'is missing';
    throw new ImageLost(`The image file ${this.path(record.id)} ${state}.`);
  }

  /** Whether an expected file exists with at least its recorded length. */
  isWhole({ id, length }: ImageRecord): boolean {
    const found = statSync(this.path(id), { throwIfNoEntry: false });
    return found?.isFile() === true && found.size >= length;
  }

  /** Supports a copy onto itself, which turns zeros into holes. */
  async copy(from: string, to: string): Promise<void> {
    this.#requireSource(from);
    if (!existsSync(this.path(from))) {
      // An image that was never written has no file, and neither has its copy.
      await this.#empty(to, from === to);
      return;
    }
    const make = from === to ? copySparse : cloneOrCopy;
    await this.#replace(to, (partial) => make(this.path(from), partial), from === to);
  }

  async copyTogether(
    copies: readonly { readonly from: string; readonly to: string }[],
  ): Promise<void> {
    for (const { from } of copies) this.#requireSource(from);
    const isThere = ({ from }: { readonly from: string }) => existsSync(this.path(from));
    const partial = (id: string) => `${this.path(id)}.partial`;
    const copied = copies.filter(isThere);
    const emptied = copies.filter((copy) => !isThere(copy));
    try {
      for (const { from, to } of copied) {
        await cloneOrCopy(this.path(from), partial(to)).catch((error: unknown) => {
          throw imageError(to, error);
        });
      }
      // The store lists the targets before they exist, like single images. They change only after
      // this.
      await this.#store.write((tx) => {
        for (const { to } of copied) tx.images.blank(to, 0);
        for (const { to } of emptied) tx.images.emptied(to);
        for (const { to } of copies) recordReplaced(tx, to);
      });
    } catch (error) {
      for (const { to } of copied) removeFile(partial(to));
      throw error;
    }
    for (const { to } of copied) await rename(partial(to), this.path(to));
    for (const { to } of emptied) runOnImage(to, () => removeFile(this.path(to)));
    await syncPath(this.#folder);
    await this.#store.write((tx) => {
      for (const { to } of copied) tx.images.written(to, this.sizes(to).length);
    });
  }

  async convert(from: string, to: string, form: ImageForm): Promise<void> {
    const source = this.#findSource(from, form.from);
    if (source === undefined && !(form.whole && form.to === 'cow')) {
      await this.#empty(to, from === to);
      return;
    }
    await this.#replace(to, (partial) => convertImage(source, partial, form), from === to);
  }

  async check(id: string, size: number): Promise<void> {
    this.#requireSource(id);
    await checkFile(this.path(id), size);
  }

  /** Converts an image to a new file outside of the image folder. */
  async exportTo(id: string, path: string, form: ImageForm): Promise<void> {
    await convertImage(this.#findSource(id, form.from), path, form);
  }

  /** Creates or replaces an image with the converted content of another file. */
  async importFrom(path: string, id: string, form: ImageForm): Promise<void> {
    await this.#replace(id, (partial) => convertImage(path, partial, form));
  }

  /**
   * Replaces a file outside of the image folder with an image: a hard link if possible, else a
   * copy. The image must not be written during the copy.
   */
  async linkTo(id: string, path: string): Promise<void> {
    this.#requireSource(id);
    // Renaming a hard link over another one of the same file has no effect.
    rmSync(path, { force: true });
    await replaceImageFile(
      path,
      (partial) => linkOrCopy(this.path(id), partial),
      () => Promise.resolve(),
    );
  }

  /** Creates an image from a file outside of the image folder, in the same way. */
  async linkFrom(path: string, id: string): Promise<void> {
    removeFile(this.path(id));
    await this.#replace(id, (partial) => linkOrCopy(path, partial));
  }

  /** Removes the data of an image. Its file is recreated on demand. */
  async #empty(id: string, isSame: boolean): Promise<void> {
    const isKnown = this.#record(id) !== undefined;
    if (isKnown || !isSame) {
      await this.#store.write((tx) => {
        if (isKnown) tx.images.emptied(id);
        if (!isSame) recordReplaced(tx, id);
      });
    }
    runOnImage(id, () => removeFile(this.path(id)));
  }

  /**
   * The file with the data of an image; undefined without data: the file of a new qcow2 disk has no
   * header yet.
   */
  #findSource(id: string, form: ImageForm['from']): string | undefined {
    this.#requireSource(id);
    const path = this.path(id);
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    if (size === 0) return undefined;
    const isNew = form === 'cow' && !this.#record(id)?.written;
    return isNew && this.head(id, 32).every((byte) => byte === 0) ? undefined : path;
  }

  /** Requires an existing source: a lost file must not be copied as zeros. */
  #requireSource(id: string): void {
    const record = this.#record(id);
    if (record?.written) this.#requireWhole(record);
  }

  /**
   * Ensures that an image is a qcow2 image of at least `size` bytes for writes to its disk.
   * Replaces an unwritten file, and one in another format, with an empty qcow2 image.
   */
  async ensureQcow2(id: string, size: number, version: 2 | 3): Promise<void> {
    const record = this.#record(id);
    if (record?.written) this.#requireWhole(record);
    const head = existsSync(this.path(id)) ? this.head(id, 32) : new Uint8Array();
    const now = readVirtualSize(head);
    if (now !== undefined && now >= size) return this.toWrite(id, 0);
    const form = { from: 'cow', to: 'cow', size, version, whole: true } as const;
    const source = now === undefined ? undefined : this.path(id);
    const isSame = source !== undefined || head.length === 0;
    await this.#replace(id, (partial) => convertImage(source, partial, form), isSame);
  }

  /**
   * Replaces an image after its new file is complete. Unless `isSame`, records the change of the
   * disk content first.
   */
  async #replace(
    id: string,
    make: (partial: string) => Promise<void>,
    isSame = false,
  ): Promise<void> {
    const target = this.path(id);
    try {
      await replaceImageFile(target, make, async () => {
        // The store lists the file before it exists: a crash must not leave an unlisted file.
        await this.#store.write((tx) => {
          tx.images.blank(id, 0);
          if (!isSame) recordReplaced(tx, id);
        });
      });
      await syncPath(this.#folder);
    } catch (error) {
      throw imageError(id, error);
    }
    const { length } = this.sizes(id);
    await this.#store.write((tx) => tx.images.written(id, length));
  }

  hasBitmap(id: string, size: number): boolean {
    return isBitmapFile(this.path(id), size);
  }

  /**
   * Prepares the dirty bitmap of a period for writing and resolves with its path. Undefined if
   * recording has ended: the period was removed, or its bitmap was lost and the entire disk counts
   * as changed.
   */
  async toTrack({ id, size }: BitmapOfPeriod): Promise<string | undefined> {
    const record = this.#record(id);
    if (!record) return undefined;
    if (!record.written) await this.#replace(id, (partial) => createBitmapFile(partial, size));
    else if (!this.hasBitmap(id, size)) {
      await this.#store.write((tx) => recordUnknown(tx, id));
      return undefined;
    }
    await this.backup?.detach(id);
    return this.path(id);
  }

  /**
   * Adds writes to the dirty bitmap of a period, all or none; undefined if they are unknown. Ignores
   * a removed period.
   */
  async recordWrites(
    { id, size }: BitmapOfPeriod,
    ranges: readonly ByteRange[] | undefined,
  ): Promise<void> {
    const record = this.#record(id);
    if (!record) return;
    const before = record.written ? this.path(id) : undefined;
    if (!ranges || (before !== undefined && !this.hasBitmap(id, size))) {
      await this.#store.write((tx) => recordUnknown(tx, id));
      return;
    }
    await this.#replace(id, (partial) => addToBitmap(before, partial, size, ranges));
  }

  /** Path of the dirty bitmap of a period; undefined if it has no writes. */
  findBitmapPath({ id }: BitmapOfPeriod): string | undefined {
    const record = this.#record(id);
    if (!record) throw new StoreError(`The dirty bitmap ${id} is missing.`);
    return record.written ? this.path(id) : undefined;
  }

  remove(id: string): void {
    runOnImage(id, () => removeFile(this.path(id)));
    this.#removed.add(id);
  }

  sizes(id: string): { allocated: number; length: number } {
    const found = statSync(this.path(id), { throwIfNoEntry: false });
    return found
      ? { allocated: found.blocks * blockSize, length: found.size }
      : { allocated: 0, length: 0 };
  }

  head(id: string, length: number): Uint8Array {
    return runOnImage(id, () => {
      const bytes = new Uint8Array(length);
      const file = openSync(this.path(id), 'r');
      try {
        return bytes.subarray(0, readSync(file, bytes, 0, length, 0));
      } finally {
        closeSync(file);
      }
    });
  }

  /**
   * Removes unneeded files of the store, which a crash between a change and its effects left. Never
   * touches unlisted files.
   */
  async sweep(): Promise<void> {
    const unneeded = this.#store.read((tx) => tx.images.unneeded());
    await this.#store.durable();
    for (const id of unneeded) {
      this.remove(id);
      removeFile(`${this.path(id)}.partial`);
    }
    await this.forgetRemoved();
  }

  /** Removes deleted files from the list after their deletion is durable. */
  async forgetRemoved(): Promise<void> {
    const ids = [...this.#removed].filter((id) => !existsSync(this.path(id)));
    this.#removed.clear();
    if (ids.length === 0) return;
    await syncPath(this.#folder);
    await this.#store.write((tx) => {
      for (const id of ids) tx.images.forget(id);
    });
  }
}
