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
  /** Size of the image. A shorter file reads as zeros after its end. */
  size: number;
  writable: boolean;
  /** Whether zeroed ranges and written zeros are deallocated. */
  sparse: boolean;
  /** System calls for sparse files. Detected by default; `null` disables them. */
  calls?: SparseCalls | null;
}

const ZEROS_LENGTH = 1 << 20;
/** Minimum bytes to deallocate instead of writing zeros. */
const SMALLEST_HOLE = 64 << 10;

const zeros = Buffer.alloc(ZEROS_LENGTH);

/**
 * Opens an existing image file, which must be a regular file and not a symbolic link. Rejects with
 * the error of the system (`ENOENT`, `ELOOP`, `EACCES`, ...).
 */
export async function openFileImage(options: FileImageOptions): Promise<Backend> {
  const { O_RDONLY, O_RDWR, O_NOFOLLOW, O_NONBLOCK } = constants;
  // Without O_NONBLOCK, opening a named pipe would block a thread forever.
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
  /** One write at a time: systems lock the file for writes, and waiting threads cost time. */
  readonly #writing = pLimit(1);
  /**
   * Methods of zeroing that may work here, in order of preference. Writing zeros is the fallback.
   */
  #zeroMethods: ((offset: number, length: number) => Promise<boolean>)[];

  constructor(handle: FileHandle, size: number, sparse: boolean, calls: SparseCalls | undefined) {
    this.#handle = handle;
    this.#size = size;
    this.#sparse = sparse;
    this.#calls = calls;
    this.#zeroMethods = calls ? listZeroMethods(handle.fd, sparse, calls) : [];
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

  /** Most clients send holes as zeros, so deallocate these too. */
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
    for (const zeroMethod of this.#zeroMethods) {
      if (await diskLimit(() => zeroMethod(offset, length))) return this.#growTo(offset + length);
      // Ignore the error: if writing zeros fails too, it reports the reason.
      this.#zeroMethods = this.#zeroMethods.filter((other) => other !== zeroMethod);
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
    // Bytes after the end of the file are zeros already.
    const end = Math.min(offset + length, await this.#fileSize());
    for (let position = offset; position < end; position += ZEROS_LENGTH) {
      await this.#write(position, zeros.subarray(0, Math.min(ZEROS_LENGTH, end - position)));
    }
    await this.#growTo(offset + length);
  }

  /**
   * Extends a shorter file by writing its last byte. This byte is in the zeroed range, so that it
   * cannot destroy a concurrent write after it, as a truncation could.
   */
  async #growTo(size: number): Promise<void> {
    if ((await this.#fileSize()) < size) await this.#write(size - 1, Buffer.alloc(1));
  }

  async #fileSize(): Promise<number> {
    return (await diskLimit(() => this.#handle.stat())).size;
  }
}

/** Whether a buffer contains only zeros and is large enough to deallocate. */
function isZero(bytes: Buffer): boolean {
  return bytes.length >= SMALLEST_HOLE && bytes.equals(zeros.subarray(0, bytes.length));
}

function listZeroMethods(
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
