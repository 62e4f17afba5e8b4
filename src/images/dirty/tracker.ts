/**
 * Crash-safe tracking of writes in a bitmap file. Before the first write to a region, its mark
 * becomes durable. The bits remain in memory until the image is closed. Then the bits are written,
 * and the marks removed. After a crash, the marks remain, and their regions count as dirty.
 */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { diskLimit } from '../system/disk-limit.ts';
import {
  type BitmapLayout,
  type DirtyBitmap,
  getRegionBits,
  isMarked,
  loadBitmap,
  REGION,
} from './bitmap.ts';

export class DirtyTracker {
  readonly #file: FileHandle;
  readonly #bitmap: DirtyBitmap;
  readonly #layout: BitmapLayout;
  /** Marks in the file, or about to be written. */
  readonly #marks: Buffer;
  /** Regions with a durable mark. */
  readonly #marked = new Set<number>();
  /** Regions that wait for their mark. */
  #unmarked = new Set<number>();
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

  /** Opens the file of a bitmap. Rejects with `BadBitmap`, or the error of the system. */
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
   * Records a write in advance. The write may start when the promise resolves, or immediately if
   * none is returned. If it rejects, the mark is not durable, and the range must not be written.
   */
  mark(offset: number, length: number): Promise<void> | undefined {
    // Data after the end of the bitmap always count as dirty.
    const end = Math.min(offset + length, this.#layout.size);
    if (end <= offset) return undefined;
    this.#bitmap.add(offset, length);
    let isSafe = true;
    const last = Math.floor((end - 1) / REGION);
    for (let region = Math.floor(offset / REGION); region <= last; region++) {
      if (this.#marked.has(region)) continue;
      isSafe = false;
      this.#unmarked.add(region);
    }
    return isSafe ? undefined : this.#makeMarks();
  }

  /** Makes the bits durable and removes the marks, after the last write has settled. */
  async close(): Promise<void> {
    await this.#tail;
    try {
      // After a failure the state of the disk is unknown, so the marks remain.
      if (this.#failure === undefined && this.#marked.size > 0) await this.#settle();
    } finally {
      await this.#file.close();
    }
  }

  /** Makes all waiting marks durable in one batch. */
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
    const regions = [...this.#unmarked];
    this.#unmarked = new Set();
    for (const region of regions) {
      this.#marks[region >> 3] = (this.#marks[region >> 3] ?? 0) | (1 << (region & 7));
    }
    try {
      await this.#write(this.#marks, this.#layout.marksAt);
      await diskLimit(() => this.#file.datasync());
    } catch (error) {
      // The first failure is final, because the system can report success for dropped data.
      this.#failure = error;
      throw error;
    }
    for (const region of regions) this.#marked.add(region);
  }

  async #settle(): Promise<void> {
    const { bits } = this.#bitmap;
    for (const region of this.#marked) {
      const { start, end } = getRegionBits(this.#layout, region);
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
