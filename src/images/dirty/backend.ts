/** Backends with change tracking: writes are recorded in a bitmap, changes can be read from one. */
import type { Backend, DirtyExtent, Extent } from '../backends/backend.ts';
import { DirtyBitmap, readBitmapFile } from './bitmap.ts';
import { DirtyTracker } from './tracker.ts';

/** What is known of the changes of an image in a period. */
export interface Changes {
  /** The file of the dirty bitmap; without one nothing was written. */
  readonly path?: string;
  /** Bytes of the image when the period began. */
  readonly size: number;
}

/** The image, with everything that is written noted in a bitmap file first. */
export async function trackWrites(image: Backend, path: string): Promise<Backend> {
  return new TrackedImage(image, await DirtyTracker.open(path));
}

/** Passes everything on to another image. */
class ForwardingImage implements Backend {
  protected readonly image: Backend;

  constructor(image: Backend) {
    this.image = image;
  }

  read(offset: number, buffer: Buffer): Promise<void> {
    return this.image.read(offset, buffer);
  }

  write(offset: number, buffer: Buffer): Promise<void> {
    return this.image.write(offset, buffer);
  }

  zero(offset: number, length: number): Promise<void> {
    return this.image.zero(offset, length);
  }

  flush(): Promise<void> {
    return this.image.flush();
  }

  extents(): AsyncIterable<Extent> {
    return this.image.extents();
  }

  abandon(): void {
    this.image.abandon?.();
  }

  close(): Promise<void> {
    return this.image.close();
  }
}

/** Flushes need nothing more: the marks are durable before anything is written. */
class TrackedImage extends ForwardingImage {
  readonly #tracker: DirtyTracker;

  constructor(image: Backend, tracker: DirtyTracker) {
    super(image);
    this.#tracker = tracker;
  }

  override async write(offset: number, buffer: Buffer): Promise<void> {
    await this.#tracker.mark(offset, buffer.length);
    await this.image.write(offset, buffer);
  }

  override async zero(offset: number, length: number): Promise<void> {
    await this.#tracker.mark(offset, length);
    await this.image.zero(offset, length);
  }

  override async close(): Promise<void> {
    await this.image.close();
    await this.#tracker.close();
  }
}

/**
 * The image, with extents of what has changed in any of the periods. Whatever lies behind the size
 * that it had in one of them has come since.
 */
export function withChanges(image: Backend, size: number, changes: readonly Changes[]): Backend {
  return new ChangedImage(image, size, changes);
}

class ChangedImage extends ForwardingImage {
  readonly #size: number;
  readonly #changes: readonly Changes[];

  constructor(image: Backend, size: number, changes: readonly Changes[]) {
    super(image);
    this.#size = size;
    this.#changes = changes;
  }

  async *dirtyExtents(): AsyncGenerator<DirtyExtent> {
    const runs = (await this.#union()).runs();
    let run = runs.next();
    for await (const { start, length, zero } of this.image.extents()) {
      const end = start + length;
      for (let position = start; position < end && !run.done; ) {
        const endOfRun = run.value.start + run.value.length;
        const stop = Math.min(end, endOfRun);
        yield { start: position, length: stop - position, dirty: run.value.dirty, zero };
        position = stop;
        if (stop === endOfRun) run = runs.next();
      }
    }
  }

  async #union(): Promise<DirtyBitmap> {
    const all = new DirtyBitmap(this.#size);
    for (const { path, size } of this.#changes) {
      all.merge(path === undefined ? new DirtyBitmap(size) : await readBitmapFile(path));
    }
    return all;
  }
}
