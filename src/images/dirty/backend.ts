/** Backends with change tracking: recording of writes in a bitmap, and extents of changes. */
import type { Backend, DirtyExtent, Extent } from '../backends/backend.ts';
import { DirtyBitmap, readBitmapFile } from './bitmap.ts';
import { DirtyTracker } from './tracker.ts';

/** Recorded changes of an image in a period. */
export interface Changes {
  /** File of the dirty bitmap. Absent if there were no writes. */
  readonly path?: string;
  /** Size of the image at the start of the period, in bytes. */
  readonly size: number;
}

/** Image that records each write in a bitmap file before it happens. */
export async function trackWrites(image: Backend, path: string): Promise<Backend> {
  return new TrackedImage(image, await DirtyTracker.open(path));
}

/** Forwards all calls to another image. */
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

/** Flushes need no addition, because marks are durable before each write. */
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
 * Image with the extents that changed in any of the periods. Data after the size of the image in a
 * period are newer.
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
