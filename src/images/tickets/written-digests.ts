/**
 * Digests of the blocks of an image that were written whole, made from the bytes as they came: what has one
 * need not be read again for a checksum. Whatever changes a block takes its digest away.
 */
import { type DigestRun, DigestTable } from '../../hash/digest-table.ts';

/** Bytes of a block; the last one of an image may be shorter. It is the usual block of a checksum. */
export const BLOCK = 4 * 2 ** 20;

/** Bytes that are being written or zeroed. */
export interface Change {
  /** Notes the digest of a block that this change has written whole. */
  note(block: number, algorithm: string, digest: Uint8Array): void;
  /** Has to be called when nothing is written any more. */
  end(): void;
}

const NO_DIGESTS: DigestRun = { count: 0, digests: new Uint8Array(0) };

/** Of one image, shared by all that write it through this daemon. */
export class WrittenDigests {
  /** The blocks of changes under way, and whether nothing else has changed one of them meanwhile. */
  readonly #changes = new Set<{ readonly first: number; readonly last: number; alone: boolean }>();
  #algorithm: string | undefined;
  #table: DigestTable | undefined;

  /**
   * Begins a change of the bytes from `start` to before `end`: the digests of their blocks are gone. When
   * changes overlap nobody knows whose bytes stay: none of them notes digests from then on.
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

  /** Digests, by an algorithm, of the block and of those that follow it, to before `end` at most. */
  run(algorithm: string, block: number, end: number): DigestRun {
    if (algorithm !== this.#algorithm) return NO_DIGESTS;
    return this.#table?.run(block, end) ?? NO_DIGESTS;
  }

  /** The first algorithm that is used for the image stays that of its digests. */
  #note(block: number, algorithm: string, digest: Uint8Array): void {
    this.#algorithm ??= algorithm;
    this.#table ??= new DigestTable(digest.length);
    if (algorithm === this.#algorithm) this.#table.set(block, digest);
  }
}
