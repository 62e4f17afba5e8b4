/** Buffer pool for image bytes: one fixed region in pieces. */

/** Bytes of a large piece, which a transfer uses if one is free. */
export const LARGE_PIECE = 1 << 20;
/** Bytes of a small piece. Each connection can have one. */
export const SMALL_PIECE = 64 << 10;
const LARGE_COUNT = 32;
/** Maximum connections, and number of small pieces. */
export const CONNECTIONS = 512;

interface WasmMemory {
  readonly buffer: SharedArrayBuffer;
}
interface Limits {
  readonly initial: number;
  readonly maximum: number;
  readonly shared: true;
}
interface WasmMemoryHost {
  WebAssembly?: { Memory: new (limits: Limits) => WasmMemory };
}

/**
 * Pool of pieces of a 64 MiB region for all transfers. The first transfers use the large pieces
 * (32 MiB). The remainder is one small piece for each connection, so that a transfer without a large
 * piece does not wait for slow clients. The system allocates the pages of a piece on its first use.
 */
export class PieceMemory {
  readonly #large: Buffer[] = [];
  readonly #small: Buffer[] = [];
  /** Maximum connections. Each runs one request at a time, which can have a small piece. */
  readonly connections: number;

  constructor(large = LARGE_COUNT, small = CONNECTIONS) {
    this.connections = small;
    const region = allocate(large * LARGE_PIECE + small * SMALL_PIECE);
    // Two stacks: the pool reuses the latest piece first, so that few pages are allocated.
    for (let i = large - 1; i >= 0; i--) {
      this.#large.push(Buffer.from(region, i * LARGE_PIECE, LARGE_PIECE));
    }
    for (let i = small - 1; i >= 0; i--) {
      const offset = large * LARGE_PIECE + i * SMALL_PIECE;
      this.#small.push(Buffer.from(region, offset, SMALL_PIECE));
    }
  }

  /** Numbers of free pieces. */
  get free(): { large: number; small: number } {
    return { large: this.#large.length, small: this.#small.length };
  }

  /**
   * Takes a piece for `wanted` bytes: a large one if they exceed a small one and it is free. Throws
   * `ENOMEM` if no piece is free, for example while a disk hangs and blocks earlier requests.
   */
  take(wanted: number): Buffer {
    const piece = (wanted > SMALL_PIECE ? this.#large.pop() : undefined) ?? this.#small.pop();
    if (piece) return piece;
    throw Object.assign(new Error('no free memory for images'), { code: 'ENOMEM' });
  }

  /** Takes a second, large piece for reading ahead. `undefined` if none is free. */
  takeSpare(): Buffer | undefined {
    return this.#large.pop();
  }

  /** Returns a piece to the pool. No operation may still use it. */
  release(piece: Buffer): void {
    (piece.length === LARGE_PIECE ? this.#large : this.#small).push(piece);
  }
}

/**
 * Allocates a page-aligned region outside the garbage-collected heap, shared with other threads.
 * Reading files into WebAssembly memory is measurably the fastest. It reserves much address space,
 * which a limit of the system can refuse.
 */
function allocate(bytes: number): SharedArrayBuffer {
  // The types of Node.js do not declare it.
  const { WebAssembly } = globalThis as WasmMemoryHost;
  const pages = Math.ceil(bytes / 65_536);
  try {
    if (WebAssembly) {
      return new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true }).buffer;
    }
  } catch {}
  return new SharedArrayBuffer(bytes);
}
