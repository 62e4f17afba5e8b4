/** Access to any byte range of an export whose server supports only complete blocks. */
import type { NbdClient } from './client.ts';

/**
 * Reads and writes at any offset. Partial blocks at the start and the end are read and written
 * completely. Such writes never overlap, because the second one would restore old bytes.
 */
export class UnalignedAccess {
  readonly #client: NbdClient;
  readonly #block: number;
  #writing: Promise<unknown> = Promise.resolve();

  constructor(client: NbdClient) {
    this.#client = client;
    this.#block = client.info.minimumBlock;
  }

  async read(offset: number, buffer: Buffer): Promise<void> {
    const end = offset + buffer.length;
    if (this.#isWhole(offset, end)) return this.#client.read(offset, buffer);
    const [start, aligned] = this.#around(offset, end);
    // Rare: few servers have large blocks, and few clients request unaligned ranges.
    const blocks = Buffer.allocUnsafe(aligned - start);
    await this.#client.read(start, blocks);
    blocks.copy(buffer, 0, offset - start, end - start);
  }

  async write(offset: number, buffer: Buffer): Promise<void> {
    const end = offset + buffer.length;
    if (this.#isWhole(offset, end)) return this.#client.write(offset, buffer);
    await this.#alone(async () => {
      for (const part of this.#parts(offset, end)) {
        const bytes = buffer.subarray(part.start - offset, part.end - offset);
        if (part.isWhole) await this.#client.write(part.start, bytes);
        else await this.#patch(part, (block, at) => bytes.copy(block, at));
      }
    });
  }

  async zero(offset: number, length: number, keepSpace: boolean): Promise<void> {
    const end = offset + length;
    if (this.#isWhole(offset, end)) return this.#client.zero(offset, length, keepSpace);
    await this.#alone(async () => {
      for (const part of this.#parts(offset, end)) {
        const size = part.end - part.start;
        if (part.isWhole) await this.#client.zero(part.start, size, keepSpace);
        else await this.#patch(part, (block, at) => block.fill(0, at, at + size));
      }
    });
  }

  #isWhole(start: number, end: number): boolean {
    return start % this.#block === 0 && end % this.#block === 0;
  }

  #around(start: number, end: number): [number, number] {
    const block = this.#block;
    return [Math.floor(start / block) * block, Math.ceil(end / block) * block];
  }

  /**
   * Parts of a range: partial first block, complete blocks, partial last block. Empty parts are
   * omitted.
   */
  #parts(start: number, end: number): { start: number; end: number; isWhole: boolean }[] {
    const block = this.#block;
    const first = Math.min(end, Math.ceil(start / block) * block);
    const last = Math.max(first, Math.floor(end / block) * block);
    return [
      { start, end: first, isWhole: false },
      { start: first, end: last, isWhole: true },
      { start: last, end, isWhole: false },
    ].filter((part) => part.end > part.start);
  }

  async #patch(
    part: { start: number; end: number },
    change: (block: Buffer, at: number) => void,
  ): Promise<void> {
    const [start, end] = this.#around(part.start, part.end);
    const block = Buffer.allocUnsafe(end - start);
    await this.#client.read(start, block);
    change(block, part.start - start);
    await this.#client.write(start, block);
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#writing.then(work);
    this.#writing = result.catch(() => {});
    return result;
  }
}
