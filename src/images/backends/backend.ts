/** Interface of image backends: read, write, zero, flush, extents. */

/** Byte range of one kind. */
export interface Extent {
  start: number;
  length: number;
  /** Whether it reads as zeros. */
  zero: boolean;
  /** Whether it is not allocated. */
  hole: boolean;
}

/** Byte range that has, or has not, changed since a backup. */
export interface DirtyExtent {
  start: number;
  length: number;
  dirty: boolean;
  /** Whether it reads as zeros. */
  zero: boolean;
}

/**
 * Open image of a known size, shared by all requests of a ticket. Operations can overlap. The
 * caller keeps offsets and lengths within the image, and does not modify a buffer until its call
 * settles. Errors have the code of the system (`EIO`, `ENOSPC`, ...) if any.
 */
export interface Backend {
  /** Fills the buffer with the bytes at `offset`. */
  read(offset: number, buffer: Buffer): Promise<void>;
  /** Writes the buffer at `offset`. Durable only after a later `flush`. */
  write(offset: number, buffer: Buffer): Promise<void>;
  /** Makes the range read as zeros. The backend decides whether it remains allocated. */
  zero(offset: number, length: number): Promise<void>;
  /** Resolves when all earlier writes are on stable storage. */
  flush(): Promise<void>;
  /**
   * Extents from 0 to the size of the image, in ascending order and without gaps. Adjacent extents
   * can be of the same kind.
   */
  extents(): AsyncIterable<Extent>;
  /** Same as `extents`, for changes. Absent if changes are unknown. */
  dirtyExtents?: (() => AsyncIterable<DirtyExtent>) | undefined;
  /** Fails operations that are stuck. Absent if the backend cannot do this. */
  abandon?(): void;
  /** Called once, after all operations have settled. */
  close(): Promise<void>;
}
