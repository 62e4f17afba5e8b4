/** Interface of image backends: reading, writing, zeroing, flushing, extents. */

/** A run of bytes of one kind. */
export interface Extent {
  start: number;
  length: number;
  /** Reads as zeros. */
  zero: boolean;
  /** Takes no space. */
  hole: boolean;
}

/** A run of bytes that are, or are not, different from what they were at a backup. */
export interface DirtyExtent {
  start: number;
  length: number;
  dirty: boolean;
  /** Reads as zeros. */
  zero: boolean;
}

/**
 * One open image of a known size, shared by all requests of a ticket. Operations may overlap; the
 * caller keeps offsets and lengths inside the image and a buffer untouched until its call settles.
 * Rejections carry the system's error code (`EIO`, `ENOSPC`, ...) where there is one.
 */
export interface Backend {
  /** Fills the whole buffer with the bytes at `offset`. */
  read(offset: number, buffer: Buffer): Promise<void>;
  /** Writes the whole buffer at `offset`; durable only after a later `flush`. */
  write(offset: number, buffer: Buffer): Promise<void>;
  /** Makes the range read as zeros; whether it still takes space is the backend's affair. */
  zero(offset: number, length: number): Promise<void>;
  /** Resolves when everything written before the call is on stable storage. */
  flush(): Promise<void>;
  /** The image from 0 to its size in ascending order, without gaps; neighbours may be alike. */
  extents(): AsyncIterable<Extent>;
  /** As `extents`, for what has changed; missing where that is not known. */
  dirtyExtents?: (() => AsyncIterable<DirtyExtent>) | undefined;
  /** Makes operations fail that do not end by themselves; where that is not possible it is missing. */
  abandon?(): void;
  /** Called once, after the last operation has settled. */
  close(): Promise<void>;
}
