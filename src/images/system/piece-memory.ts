/** Memory for image bytes: one fixed region, lent out in pieces. */

/** Size of the pieces that transfers work in while memory is plentiful. */
export const LARGE_PIECE = 1 << 20;
/** Size of the pieces that are always to be had. */
export const SMALL_PIECE = 64 << 10;
const LARGE_COUNT = 32;
/** Connections there is memory for: each has one small piece. */
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
 * Lends pieces of a 64 MiB region, whatever the number of transfers. 32 MiB of it are large pieces
 * for whoever comes first, the rest is one small piece for every connection: a transfer that finds
 * no large piece free goes on with its small one instead of waiting for slow clients to let go.
 * The pages are only taken from the system when a piece is first used.
 */
export class PieceMemory {
  readonly #large: Buffer[] = [];
  readonly #small: Buffer[] = [];
  /** Connections it suffices for: each runs one request at a time, which can have a small piece. */
  readonly connections: number;

  constructor(large = LARGE_COUNT, small = CONNECTIONS) {
    this.connections = small;
    const region = allocate(large * LARGE_PIECE + small * SMALL_PIECE);
    // Two stacks: what was used last is lent first, so that few pages are ever touched.
    for (let i = large - 1; i >= 0; i--) {
      this.#large.push(Buffer.from(region, i * LARGE_PIECE, LARGE_PIECE));
    }
    for (let i = small - 1; i >= 0; i--) {
      const offset = large * LARGE_PIECE + i * SMALL_PIECE;
      this.#small.push(Buffer.from(region, offset, SMALL_PIECE));
    }
  }

  /** Pieces that nobody holds now. */
  get free(): { large: number; small: number } {
    return { large: this.#large.length, small: this.#small.length };
  }

  /**
   * A piece for `wanted` bytes, large if that is useful and one is free, else small. Throws
   * `ENOMEM` when there is none, as when a disk hangs and clients that left still wait for it.
   */
  take(wanted: number): Buffer {
    const piece = (wanted > SMALL_PIECE ? this.#large.pop() : undefined) ?? this.#small.pop();
    if (piece) return piece;
    throw Object.assign(new Error('no free memory for images'), { code: 'ENOMEM' });
  }

  /** A second piece, for working ahead: large or none at all. */
  takeSpare(): Buffer | undefined {
    return this.#large.pop();
  }

  /** Takes back a piece that nothing reads or writes any more. */
  release(piece: Buffer): void {
    (piece.length === LARGE_PIECE ? this.#large : this.#small).push(piece);
  }
}

/**
 * A page-aligned region outside the garbage-collected heap, which other threads see, too. WebAssembly
 * memory is measurably the cheapest to read files into; it reserves much address space, which a limit
 * may refuse.
 */
function allocate(bytes: number): SharedArrayBuffer {
  const { WebAssembly } = globalThis as WasmMemoryHost;
  const pages = Math.ceil(bytes / 65_536);
  try {
    if (WebAssembly) {
      return new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true }).buffer;
    }
  } catch {}
  return new SharedArrayBuffer(bytes);
}
