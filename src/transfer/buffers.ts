/** The memory that image bytes pass through: a fixed number of blocks, lent out one by one. */
import { BLOCK } from './blocks.ts';

interface WasmMemory {
  readonly buffer: ArrayBuffer;
}
interface WasmHost {
  readonly WebAssembly?: {
    readonly Memory: new (limits: { initial: number; maximum: number }) => WasmMemory;
  };
}

const PAGE = 65_536;

export class Buffers {
  readonly #free: Buffer[] = [];
  readonly #waiting: ((buffer: Buffer) => void)[] = [];

  constructor(count: number) {
    const region = allocate(count * BLOCK);
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

/** Memory that the garbage collector never moves or counts is the cheapest to read files into. */
function allocate(bytes: number): ArrayBuffer {
  const { WebAssembly } = globalThis as WasmHost;
  const pages = Math.ceil(bytes / PAGE);
  try {
    if (WebAssembly) return new WebAssembly.Memory({ initial: pages, maximum: pages }).buffer;
  } catch {
    // A limit on address space; ordinary memory does as well.
  }
  return new ArrayBuffer(bytes);
}
