/** The files that hold the bytes of disks: one per disk, named by its id. */
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
import { createBitmapFile, isBitmapFile } from '../../images/index.ts';
import { ImageLost } from '../core/failure-cause.ts';
import type { DiskImages, ImageForm } from '../core/ports.ts';
import { noteReplaced, noteUnknown } from '../inventory/dirty-bitmaps.ts';
import type { ImageRecord } from '../store/image-list.ts';
import { type Store, StoreError } from '../store/store.ts';
import type { BitmapOfPeriod } from '../store/stored-members.ts';
import { checkFile, convertImage } from './convert-image.ts';
import { cloneOrCopy, copySparse, imageError, onImage } from './copy-sparse.ts';
import { removeFile } from './remove-file.ts';
import { linkOrCopy, onDisk, replace, syncPath } from './replace-file.ts';

const blockSize = 512;

/**
 * The store notes each file before it gets its first byte, and forgets it after it is gone: so a file
 * that is not known is not ours, and one that is known and missing was lost.
 */
export class DiskFiles implements DiskImages {
  readonly #folder: string;
  readonly #store: Store;
  /** Files that were removed since the store was told to forget some. */
  readonly #removed = new Set<string>();
  /** The backup that is being made: it wants to know before an image is written into. */
  backup: { detach(id: string): Promise<void> } | undefined;

  /** Keeps the images in a folder, which is there, and a list of them in the store. */
  constructor(folder: string, store: Store) {
    this.#folder = folder;
    this.#store = store;
  }

  /** Path of the image of a disk. Ids are made by the server, never by clients. */
  path(id: string): string {
    if (!/^[0-9a-f-]{36}$/.test(id)) throw new Error(`"${id}" is not a disk id.`);
    return join(this.#folder, id);
  }

  create(id: string, size: number): void {
    onImage(id, () => {
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
    onImage(id, () => {
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
   * Makes an image ready to be read: one that was never written is made where it is missing
   * (generated inventories make none). Throws where bytes were in it and it is gone.
   */
  async toRead(id: string, size: number): Promise<void> {
    const record = this.#record(id);
    if (record?.written) this.#requireWhole(record);
    else if (!existsSync(this.path(id))) {
      if (!record) await this.#store.write((tx) => tx.images.blank(id, size));
      this.create(id, size);
    }
  }

  /** The same for an image that is going to be written, which the store knows from now on. */
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
    await onDisk(this.path(id));
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

  /** Whether a file that has to be there is, and is not shorter than it has to be. */
  isWhole({ id, length }: ImageRecord): boolean {
    const found = statSync(this.path(id), { throwIfNoEntry: false });
    return found?.isFile() === true && found.size >= length;
  }

  /** Copies onto itself, too: the zeros of the image become holes. */
  async copy(from: string, to: string): Promise<void> {
    this.#requireSource(from);
    if (!existsSync(this.path(from))) {
      // What was never written has no file yet, and its copy has none either.
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
      // Known before they are there, as for one image. The targets change only after this.
      await this.#store.write((tx) => {
        for (const { to } of copied) tx.images.blank(to, 0);
        for (const { to } of emptied) tx.images.emptied(to);
        for (const { to } of copies) noteReplaced(tx, to);
      });
    } catch (error) {
      for (const { to } of copied) removeFile(partial(to));
      throw error;
    }
    for (const { to } of copied) await rename(partial(to), this.path(to));
    for (const { to } of emptied) onImage(to, () => removeFile(this.path(to)));
    await syncPath(this.#folder);
    await this.#store.write((tx) => {
      for (const { to } of copied) tx.images.written(to, this.sizes(to).length);
    });
  }

  async convert(from: string, to: string, form: ImageForm): Promise<void> {
    const source = this.#sourceOf(from, form.from);
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

  /** Writes what an image holds into a new file elsewhere, in another form. */
  async exportTo(id: string, path: string, form: ImageForm): Promise<void> {
    await convertImage(this.#sourceOf(id, form.from), path, form);
  }

  /** Puts what a file elsewhere holds into an image, which it makes or replaces as a whole. */
  async importFrom(path: string, id: string, form: ImageForm): Promise<void> {
    await this.#replace(id, (partial) => convertImage(path, partial, form));
  }

  /**
   * Puts an image into a file elsewhere, which it replaces: the same file under a second name where the
   * file system has that, else a copy. Nobody may write the image meanwhile.
   */
  async linkTo(id: string, path: string): Promise<void> {
    this.#requireSource(id);
    // Renaming one name of a file over another one of the same file does nothing.
    rmSync(path, { force: true });
    await replace(
      path,
      (partial) => linkOrCopy(this.path(id), partial),
      () => Promise.resolve(),
    );
  }

  /** Makes an image of a file elsewhere, in the same way. */
  async linkFrom(path: string, id: string): Promise<void> {
    removeFile(this.path(id));
    await this.#replace(id, (partial) => linkOrCopy(path, partial));
  }

  /** Nothing is left in an image; its file is made anew where it is needed. */
  async #empty(id: string, isSame: boolean): Promise<void> {
    const isKnown = this.#record(id) !== undefined;
    if (isKnown || !isSame) {
      await this.#store.write((tx) => {
        if (isKnown) tx.images.emptied(id);
        if (!isSame) noteReplaced(tx, id);
      });
    }
    onImage(id, () => removeFile(this.path(id)));
  }

  /**
   * The file with what an image holds; undefined where it holds nothing: the file of a new qcow2 disk has
   * no header yet.
   */
  #sourceOf(id: string, form: ImageForm['from']): string | undefined {
    this.#requireSource(id);
    const path = this.path(id);
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    if (size === 0) return undefined;
    const isNew = form === 'cow' && !this.#record(id)?.written;
    return isNew && this.head(id, 32).every((byte) => byte === 0) ? undefined : path;
  }

  /** Bytes that are gone are not copied as zeros. */
  #requireSource(id: string): void {
    const record = this.#record(id);
    if (record?.written) this.#requireWhole(record);
  }

  /**
   * Makes sure that an image is a qcow2 image of at least `size` bytes, so that the disk in it can
   * be written. What was never written gets an empty one, and so does what is no qcow2 image.
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
   * Puts a new file in the place of another one once it is whole. Where a disk sees other bytes then
   * (it is not the same), that is noted before.
   */
  async #replace(
    id: string,
    make: (partial: string) => Promise<void>,
    isSame = false,
  ): Promise<void> {
    const target = this.path(id);
    try {
      await replace(target, make, async () => {
        // Known before it is there: a crash must not leave a file that nobody knows.
        await this.#store.write((tx) => {
          tx.images.blank(id, 0);
          if (!isSame) noteReplaced(tx, id);
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
   * Makes the dirty bitmap of a period ready to be written; resolves with its path. Undefined where
   * nothing is to be noted any more: the period was forgotten, or its bitmap was lost and everything
   * counts as written.
   */
  async toTrack({ id, size }: BitmapOfPeriod): Promise<string | undefined> {
    const record = this.#record(id);
    if (!record) return undefined;
    if (!record.written) await this.#replace(id, (partial) => createBitmapFile(partial, size));
    else if (!this.hasBitmap(id, size)) {
      await this.#store.write((tx) => noteUnknown(tx, id));
      return undefined;
    }
    await this.backup?.detach(id);
    return this.path(id);
  }

  /** Where the dirty bitmap of a period is; undefined where nothing was written in it. */
  bitmapOf({ id }: BitmapOfPeriod): string | undefined {
    const record = this.#record(id);
    if (!record) throw new StoreError(`The dirty bitmap ${id} is missing.`);
    return record.written ? this.path(id) : undefined;
  }

  remove(id: string): void {
    onImage(id, () => removeFile(this.path(id)));
    this.#removed.add(id);
  }

  sizes(id: string): { allocated: number; length: number } {
    const found = statSync(this.path(id), { throwIfNoEntry: false });
    return found
      ? { allocated: found.blocks * blockSize, length: found.size }
      : { allocated: 0, length: 0 };
  }

  head(id: string, length: number): Uint8Array {
    return onImage(id, () => {
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
   * Removes the files that the store has made and does not need any more: what a crash left between a
   * change and its effects. Files that it does not know are left alone.
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

  /** Has the store forget what was removed, once that is durable. */
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
