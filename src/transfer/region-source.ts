/** Part of a local file as the source of an upload: an image in an archive. */
import { open } from 'node:fs/promises';
import type { Extent } from '../extents/file-extents.ts';
import type { Range } from '../extents/range-set.ts';
import { detectImageFormat, HEAD_LENGTH, type ImageFormat } from '../formats/image-head.ts';
import { FileSource } from './file-source.ts';
import type { FileIdentity } from './journal.ts';
import type { Source } from './source.ts';

/** Position of an image: `size` bytes from `offset`. */
export interface FileRegion {
  readonly path: string;
  readonly offset: number;
  readonly size: number;
}

export class RegionSource implements Source {
  readonly path: string;
  readonly content: ImageFormat;
  readonly size: number;
  /** Not resumable, because journals identify only files. */
  readonly repeatable = false;
  readonly #file: FileSource;
  readonly #offset: number;

  private constructor(file: FileSource, { offset, size }: FileRegion, name: string, head: Buffer) {
    this.path = `${file.path} (${name})`;
    this.content = detectImageFormat(head, size);
    this.size = size;
    this.#file = file;
    this.#offset = offset;
  }

  /**
   * Opens a part of a file, with `name` in messages. Throws usage errors if the file is not
   * readable.
   */
  static async open(region: FileRegion, name: string): Promise<RegionSource> {
    const file = await FileSource.open(region.path);
    try {
      return new RegionSource(file, region, name, await readImageHead(region));
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  get identity(): FileIdentity {
    return { ...this.#file.identity, size: this.size };
  }

  get storedSize(): number {
    return Math.min(this.size, this.#file.storedSize);
  }

  async extents(): Promise<AsyncIterable<Extent>> {
    return within(await this.#file.extents(), this.#offset, this.size);
  }

  async read({ start, end }: Range, buffer: Buffer): Promise<void> {
    const inside = Math.max(start, Math.min(end, this.size));
    const range = { start: start + this.#offset, end: inside + this.#offset };
    await this.#file.read(range, buffer.subarray(0, inside - start));
    // Bytes after the image do not belong to it.
    buffer.fill(0, inside - start, end - start);
  }

  async requireUnchanged(): Promise<void> {
    await this.#file.requireUnchanged();
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}

/** First bytes of an image in a file. */
export async function readImageHead({ path, offset, size }: FileRegion): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    const head = Buffer.alloc(Math.min(HEAD_LENGTH, size));
    const { bytesRead } = await file.read(head, 0, head.length, offset);
    return head.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

async function* within(
  extents: AsyncIterable<Extent>,
  offset: number,
  size: number,
): AsyncGenerator<Extent> {
  for await (const { start, end, zero } of extents) {
    const from = Math.max(start - offset, 0);
    const to = Math.min(end - offset, size);
    if (to > from) yield { start: from, end: to, zero };
  }
}
