/**
 * Tracking of writes in a bitmap file, so that no crash can leave a changed block clean. Before the
 * first write into a region its mark is made durable; the bits stay in memory until the image is closed.
 * Then they are made durable, and the marks taken back. After any other end the marks are found, and all
 * of their regions count as dirty.
 */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { diskLimit } from '../system/disk-limit.ts';
import {
  type BitmapLayout,
  bitsOfRegion,
  type DirtyBitmap,
  isMarked,
  loadBitmap,
  REGION,
} from './bitmap.ts';

export class DirtyTracker {
  readonly #file: FileHandle;
  readonly #bitmap: DirtyBitmap;
  readonly #layout: BitmapLayout;
  /** What the marks of the file are, or are about to be. */
  readonly #marks: Buffer;
  /** Regions whose mark is on stable storage. */
  readonly #marked = new Set<number>();
  /** Regions that wait for their mark. */
  #wanted = new Set<number>();
  #tail: Promise<void> = Promise.resolve();
  #queued: Promise<void> | undefined;
  #failure: unknown;

  private constructor(
    file: FileHandle,
    { bitmap, layout, marks }: Awaited<ReturnType<typeof loadBitmap>>,
  ) {
    this.#file = file;
    this.#bitmap = bitmap;
    this.#layout = layout;
    this.#marks = marks;
    for (let region = 0; region < layout.regions; region++) {
      if (isMarked(marks, region)) this.#marked.add(region);
    }
  }

  /** Opens the file of a bitmap. Rejects with `BadBitmap`, or the system's error. */
  static async open(path: string): Promise<DirtyTracker> {
    const flags = constants.O_RDWR | (constants.O_NOFOLLOW ?? 0);
    const file = await diskLimit(() => open(path, flags));
    try {
      return new DirtyTracker(file, await diskLimit(() => loadBitmap(file)));
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /**
   * Notes that a range is about to be written. The write may go out when the promise has resolved, or
   * at once where none is returned. Rejects when that could not be made durable: then nothing may be
   * written.
   */
  mark(offset: number, length: number): Promise<void> | undefined {
    // What is written behind the end of the bitmap is dirty anyway.
    const end = Math.min(offset + length, this.#layout.size);
    if (end <= offset) return undefined;
    this.#bitmap.add(offset, length);
    let isSafe = true;
    const last = Math.floor((end - 1) / REGION);
    for (let region = Math.floor(offset / REGION); region <= last; region++) {
      if (this.#marked.has(region)) continue;
      isSafe = false;
      this.#wanted.add(region);
    }
    return isSafe ? undefined : this.#makeMarks();
  }

  /** Makes the bits durable and takes the marks back, after the last write has settled. */
  async close(): Promise<void> {
    await this.#tail;
    try {
      // After a failure nobody knows what is on the disk: the marks stay.
      if (this.#failure === undefined && this.#marked.size > 0) await this.#settle();
    } finally {
      await this.#file.close();
    }
  }

  /** Makes the marks that are wanted durable, as many as possible at a time. */
  #makeMarks(): Promise<void> {
    if (!this.#queued) {
      this.#queued = this.#tail.then(() => this.#writeMarks());
      this.#tail = this.#queued.catch(() => {});
    }
    return this.#queued;
  }

  async #writeMarks(): Promise<void> {
    this.#queued = undefined;
    if (this.#failure !== undefined) throw this.#failure;
    const regions = [...this.#wanted];
    this.#wanted = new Set();
    for (const region of regions) {
      this.#marks[region >> 3] = (this.#marks[region >> 3] ?? 0) | (1 << (region & 7));
    }
    try {
      await this.#write(this.#marks, this.#layout.marksAt);
      await diskLimit(() => this.#file.datasync());
    } catch (error) {
      // The system may report success for what it has dropped: the first failure is final.
      this.#failure = error;
      throw error;
    }
    for (const region of regions) this.#marked.add(region);
  }

  async #settle(): Promise<void> {
    const { bits } = this.#bitmap;
    for (const region of this.#marked) {
      const { start, end } = bitsOfRegion(this.#layout, region);
      await this.#write(bits.subarray(start, end), this.#layout.bitsAt + start);
    }
    await diskLimit(() => this.#file.datasync());
    await this.#write(Buffer.alloc(this.#marks.length), this.#layout.marksAt);
    await diskLimit(() => this.#file.datasync());
  }

  async #write(bytes: Buffer, at: number): Promise<void> {
    for (let done = 0; done < bytes.length; ) {
      const { bytesWritten } = await diskLimit(() =>
        this.#file.write(bytes, done, bytes.length - done, at + done),
      );
      done += bytesWritten;
    }
  }
}
