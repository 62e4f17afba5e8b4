/** Source of an upload, wherever its bytes come from. */
import type { Extent } from '../extents/file-extents.ts';
import type { Range } from '../extents/range-set.ts';
import type { ImageFormat } from '../formats/image-head.ts';
import type { Piece } from './blocks.ts';
import type { FileIdentity } from './journal.ts';

export interface Source {
  /** What messages and the journal call it: an absolute path, an address, `standard input`. */
  readonly path: string;
  readonly identity: FileIdentity;
  readonly content: ImageFormat;
  /** Bytes of the image, unpacked. */
  readonly size: number;
  /** Bytes that its data may take where it is stored; less than `size` where it has holes. */
  readonly storedSize: number;
  /** A later run finds the same bytes again, so that it can go on with the upload. */
  readonly repeatable: boolean;
  /** Where it has data; to be asked for once. */
  extents(): Promise<AsyncIterable<Extent>>;
  /** Fills the buffer with the bytes at an offset; behind the end with zeros. */
  read(range: Range, buffer: Buffer): Promise<void>;
  /** Told that a piece will not be read again. */
  release?(piece: Piece): void;
  /** Ends the reading after a failure, also while it waits for bytes. */
  abandon?(): void;
  /** Throws when it is no longer what it was when it was opened. */
  requireUnchanged(): Promise<void>;
  close(): Promise<void>;
}
