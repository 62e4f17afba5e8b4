/**
 * Digests of completely written blocks, computed from the received bytes, so that a checksum need
 * not read them again. A change of a block removes its digest.
 */
import { type DigestRun, DigestTable } from '../../hash/digest-table.ts';

/** Bytes of a block, the default of checksums. The last block of an image can be shorter. */
export const BLOCK = 4 * 2 ** 20;

/** Byte range that is being written or zeroed. */
export interface Change {
  /** Records the digest of a completely written block. */
  note(block: number, algorithm: string, digest: Uint8Array): void;
  /** Must be called when no more bytes are written. */
  end(): void;
}

const NO_DIGESTS: DigestRun = { count: 0, digests: new Uint8Array(0) };

/** Digests of one image, shared by all its writers in this daemon. */
export class WrittenDigests {
  /** Running changes with their blocks. `alone` is false if another change overlapped. */
  readonly #changes = new Set<{ readonly first: number; readonly last: number; alone: boolean }>();
  #algorithm: string | undefined;
  #table: DigestTable | undefined;

  /**
   * Begins a change of the bytes from `start` up to `end`, and removes the digests of their blocks.
   * If changes overlap, the result is unknown, so none of them records further digests.
   */
  begin(start: number, end: number): Change {
    const first = Math.floor(start / BLOCK);
    const last = Math.ceil(end / BLOCK) - 1;
    const blocks = { first, last, alone: true };
    for (const other of this.#changes) {
      if (other.first > last || first > other.last) continue;
      other.alone = false;
      blocks.alone = false;
    }
    this.#changes.add(blocks);
    this.#table?.clear(first, last);
    return {
      note: (block, algorithm, digest) => {
        if (blocks.alone) this.#note(block, algorithm, digest);
      },
      end: () => {
        this.#changes.delete(blocks);
      },
    };
  }

  /** Digests of an algorithm for consecutive blocks from `block` up to `end`. */
  run(algorithm: string, block: number, end: number): DigestRun {
    if (algorithm !== this.#algorithm) return NO_DIGESTS;
    return this.#table?.run(block, end) ?? NO_DIGESTS;
  }

  /** The digests of an image have the first algorithm that is used for it. */
  #note(block: number, algorithm: string, digest: Uint8Array): void {
    this.#algorithm ??= algorithm;
    this.#table ??= new DigestTable(digest.length);
    if (algorithm === this.#algorithm) this.#table.set(block, digest);
  }
}
