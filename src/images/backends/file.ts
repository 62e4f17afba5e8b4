/** Backend for images in regular files. */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import pLimit from 'p-limit';
import { fileExtents } from '../../extents/file-extents.ts';
import { diskLimit } from '../system/disk-limit.ts';
import { type SparseCalls, sparseCalls } from '../system/sparse-calls.ts';
import type { Backend, Extent } from './backend.ts';

export interface FileImageOptions {
  path: string;
  /** Size of the image; a shorter file reads as zeros up to it. */
  size: number;
  writable: boolean;
  /** Zeroing gives space back, and so do zeros that are written. */
  sparse: boolean;
  /** The system's calls for sparse files; found out when not given, `null` to do without. */
  calls?: SparseCalls | null;
}

const ZEROS_LENGTH = 1 << 20;
/** Bytes that are made a hole of rather than written. */
const SMALLEST_HOLE = 64 << 10;

const zeros = Buffer.alloc(ZEROS_LENGTH);

/**
 * Opens an image file. It must be a regular file and not a symbolic link; nothing is created.
 * Rejects with the system's error (`ENOENT`, `ELOOP`, `EACCES`, ...).
 */
export async function openFileImage(options: FileImageOptions): Promise<Backend> {
  const { O_RDONLY, O_RDWR, O_NOFOLLOW, O_NONBLOCK } = constants;
  // Without O_NONBLOCK, opening a pipe left in the image's place would hang a thread for good.
  const flags = (options.writable ? O_RDWR : O_RDONLY) | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0);
  const calls = options.calls === undefined ? await sparseCalls() : (options.calls ?? undefined);
  const handle = await diskLimit(() => open(options.path, flags));
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new Error('the image is not a regular file');
  } catch (error) {
    await handle.close();
    throw error;
  }
  return new FileImage(handle, options.size, options.sparse, calls);
}

class FileImage implements Backend {
  readonly #handle: FileHandle;
  readonly #size: number;
  readonly #sparse: boolean;
  readonly #calls: SparseCalls | undefined;
  /** Writes go one by one: systems let only one at a file, and threads that wait for it cost time. */
  readonly #writing = pLimit(1);
  /** Ways of zeroing that may work here, best first; the one that always works is not among them. */
  #zeroWays: ((offset: number, length: number) => Promise<boolean>)[];

  constructor(handle: FileHandle, size: number, sparse: boolean, calls: SparseCalls | undefined) {
    this.#handle = handle;
    this.#size = size;
    this.#sparse = sparse;
    this.#calls = calls;
    this.#zeroWays = calls ? zeroWays(handle.fd, sparse, calls) : [];
  }

  async read(offset: number, buffer: Buffer): Promise<void> {
    let filled = 0;
    while (filled < buffer.length) {
      const { bytesRead } = await diskLimit(() =>
        this.#handle.read(buffer, filled, buffer.length - filled, offset + filled),
      );
      if (bytesRead === 0) {
        buffer.fill(0, filled);
        return;
      }
      filled += bytesRead;
    }
  }

  /** Where zeroing gives space back, zeros do: most clients send holes like everything else. */
  async write(offset: number, buffer: Buffer): Promise<void> {
    if (this.#sparse && isZero(buffer)) await this.zero(offset, buffer.length);
    else await this.#write(offset, buffer);
  }

  #write(offset: number, buffer: Buffer): Promise<void> {
    return this.#writing(async () => {
      let written = 0;
      while (written < buffer.length) {
        const { bytesWritten } = await diskLimit(() =>
          this.#handle.write(buffer, written, buffer.length - written, offset + written),
        );
        written += bytesWritten;
      }
    });
  }

  async zero(offset: number, length: number): Promise<void> {
    if (length === 0) return;
    for (const way of this.#zeroWays) {
      if (await diskLimit(() => way(offset, length))) return this.#growTo(offset + length);
      // Whatever the reason was, writing zeros either works or names it.
      this.#zeroWays = this.#zeroWays.filter((other) => other !== way);
    }
    await this.#writeZeros(offset, length);
  }

  flush(): Promise<void> {
    return diskLimit(() => this.#handle.datasync());
  }

  async *extents(): AsyncGenerator<Extent> {
    const end = Math.min(this.#size, await this.#fileSize());
    if (this.#calls) {
      for await (const run of fileExtents(this.#calls, this.#handle.fd, end)) {
        const { start, zero } = run;
        yield { start, length: run.end - start, zero, hole: zero };
      }
    } else if (end > 0) yield { start: 0, length: end, zero: false, hole: false };
    if (end < this.#size) {
      yield { start: end, length: this.#size - end, zero: true, hole: true };
    }
  }

  close(): Promise<void> {
    return this.#handle.close();
  }

  async #writeZeros(offset: number, length: number): Promise<void> {
    // What lies past the end of the file reads as zeros already.
    const end = Math.min(offset + length, await this.#fileSize());
    for (let position = offset; position < end; position += ZEROS_LENGTH) {
      await this.#write(position, zeros.subarray(0, Math.min(ZEROS_LENGTH, end - position)));
    }
    await this.#growTo(offset + length);
  }

  /**
   * Grows a shorter file by writing its last byte. That byte belongs to the zeroed range, so a
   * writer beyond it cannot lose anything, as it could if the file were truncated to a size.
   */
  async #growTo(size: number): Promise<void> {
    if ((await this.#fileSize()) < size) await this.#write(size - 1, Buffer.alloc(1));
  }

  async #fileSize(): Promise<number> {
    return (await diskLimit(() => this.#handle.stat())).size;
  }
}

/** Whether there is nothing but zeros in as many bytes as a hole is worth its while for. */
function isZero(bytes: Buffer): boolean {
  return bytes.length >= SMALLEST_HOLE && bytes.equals(zeros.subarray(0, bytes.length));
}

function zeroWays(
  fd: number,
  sparse: boolean,
  calls: SparseCalls,
): ((offset: number, length: number) => Promise<boolean>)[] {
  if (sparse) return [(offset, length) => calls.punchHole(fd, offset, length)];
  return [
    (offset, length) => calls.zeroRange(fd, offset, length),
    async (offset, length) =>
      (await calls.punchHole(fd, offset, length)) && (await calls.allocate(fd, offset, length)),
  ];
}
