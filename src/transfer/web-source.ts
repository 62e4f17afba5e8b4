/** An image on a web server that sends it in ranges, in any order. */
import { allData, type Extent, type Range } from './blocks.ts';
import { type ImageFormat, imageFormat } from './image-format.ts';
import type { FileIdentity } from './journal.ts';
import type { Source } from './source.ts';
import type { WebFile } from './web-file.ts';

export class WebSource implements Source {
  readonly #file: WebFile;
  readonly size: number;

  constructor(file: WebFile) {
    this.#file = file;
    this.size = file.size ?? 0;
  }

  get path(): string {
    return this.#file.path;
  }

  get identity(): FileIdentity {
    return { size: this.size, modified: this.#file.validator, inode: this.path };
  }

  get content(): ImageFormat {
    return imageFormat(this.#file.head, this.size);
  }

  get stored(): number {
    return this.size;
  }

  /** Without a version nobody can tell whether it is the same another time. */
  get lasting(): boolean {
    return this.#file.validator !== '';
  }

  async extents(): Promise<AsyncIterable<Extent>> {
    return allData(this.size);
  }

  async read({ start, end }: Range, buffer: Buffer): Promise<void> {
    const stop = Math.max(start, Math.min(end, this.size));
    if (stop > start) await this.#file.read({ start, end: stop }, buffer);
    buffer.fill(0, stop - start, end - start);
  }

  /** Every answer was of the same version. */
  async requireUnchanged(): Promise<void> {}

  async close(): Promise<void> {
    await this.#file.close();
  }
}
