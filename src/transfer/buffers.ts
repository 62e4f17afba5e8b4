/** The memory that image bytes pass through: a fixed number of blocks, lent out one by one. */
import { BLOCK } from './blocks.ts';

export class Buffers {
  readonly #free: Buffer[] = [];
  readonly #waiting: ((buffer: Buffer) => void)[] = [];

  constructor(count: number) {
    // Shared with the thread that hashes what is in it.
    const region = new SharedArrayBuffer(count * BLOCK);
    for (let index = count - 1; index >= 0; index -= 1) {
      this.#free.push(Buffer.from(region, index * BLOCK, BLOCK));
    }
  }

  /** A buffer of the size of a block, as soon as one is free. What is in it is anything. */
  async take(): Promise<Buffer> {
    return this.#free.pop() ?? (await new Promise((resolve) => this.#waiting.push(resolve)));
  }

  /** Takes a buffer back that nothing reads or writes any more. */
  give(buffer: Buffer): void {
    const next = this.#waiting.shift();
    if (next) next(buffer);
    else this.#free.push(buffer);
  }
}
