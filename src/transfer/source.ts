/** Interface of upload sources. */
import type { Extent } from '../extents/file-extents.ts';
import type { Range } from '../extents/range-set.ts';
import type { ImageFormat } from '../formats/image-head.ts';
import type { Piece } from './blocks.ts';
import type { FileIdentity } from './journal.ts';

export interface Source {
  /** Name in messages and in the journal: an absolute path, an address, `standard input`. */
  readonly path: string;
  readonly identity: FileIdentity;
  readonly content: ImageFormat;
  /** Bytes of the uncompressed image. */
  readonly size: number;
  /** Maximum bytes of its data on storage, less than `size` if it has holes. */
  readonly storedSize: number;
  /** Whether a later run finds the same bytes, so that it can resume the upload. */
  readonly repeatable: boolean;
  /** Data extents. Called once. */
  extents(): Promise<AsyncIterable<Extent>>;
  /** Reads bytes at an offset. Bytes after the end are zeros. */
  read(range: Range, buffer: Buffer): Promise<void>;
  /** Called when a piece will not be read again. */
  release?(piece: Piece): void;
  /** Stops reading after a failure, also while it waits for data. */
  abandon?(): void;
  /** Throws if the source has changed since it was opened. */
  requireUnchanged(): Promise<void>;
  close(): Promise<void>;
}
