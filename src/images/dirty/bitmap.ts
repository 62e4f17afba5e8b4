// Which blocks of an image have changed: one bit for each.

/** Bytes of a block: the granularity at which changes are known. */
export const DIRTY_BLOCK = 64 << 10;

/** A run of bytes, all of them changed or none. */
export interface DirtyRun {
  readonly start: number;
  readonly length: number;
  readonly dirty: boolean;
}

/** The dirty bitmap of an image of so many bytes. Nothing is dirty at the beginning. */
export class DirtyBitmap {
  /** Bytes of the image. */
  readonly size: number;
  /** The bits; that of block 0 is the lowest of the first byte. */
  readonly bits: Buffer;

  /** @param bits taken over as they are, where they are known already */
  constructor(size: number, bits?: Buffer) {
    const length = Math.ceil(Math.ceil(size / DIRTY_BLOCK) / 8);
    if (bits && bits.length !== length) throw new RangeError('the bits do not fit the size');
    this.size = size;
    this.bits = bits ?? Buffer.alloc(length);
  }

  /** Marks every block that the range touches; what lies behind the end of the image is left out. */
  add(offset: number, length: number): void {
    const end = Math.min(offset + length, this.size);
    if (end <= offset) return;
    let block = Math.floor(offset / DIRTY_BLOCK);
    const last = Math.floor((end - 1) / DIRTY_BLOCK);
    for (; block <= last && block % 8 !== 0; block++) this.#set(block);
    const whole = Math.floor((last + 1) / 8);
    if (block % 8 === 0 && block / 8 < whole) {
      this.bits.fill(0xff, block / 8, whole);
      block = whole * 8;
    }
    for (; block <= last; block++) this.#set(block);
  }

  has(block: number): boolean {
    return ((this.bits[block >> 3] ?? 0) & (1 << (block & 7))) !== 0;
  }

  /** Adds what another one has, and whatever lies behind its end: the image has grown since. */
  merge(other: DirtyBitmap): void {
    const shared = Math.min(this.bits.length, other.bits.length);
    for (let i = 0; i < shared; i++) this.bits[i] = (this.bits[i] ?? 0) | (other.bits[i] ?? 0);
    if (other.size < this.size) this.add(other.size, this.size - other.size);
    else this.#clearBehindEnd();
  }

  /** The image from 0 to its size, as runs that are dirty and runs that are not, in turn. */
  *runs(): Generator<DirtyRun> {
    const blocks = Math.ceil(this.size / DIRTY_BLOCK);
    for (let block = 0; block < blocks; ) {
      const dirty = this.has(block);
      const end = this.#endOfRun(block, blocks, dirty);
      const start = block * DIRTY_BLOCK;
      yield { start, length: Math.min(end * DIRTY_BLOCK, this.size) - start, dirty };
      block = end;
    }
  }

  #endOfRun(from: number, blocks: number, dirty: boolean): number {
    const alike = dirty ? 0xff : 0;
    let block = from + 1;
    while (block < blocks) {
      if (block % 8 === 0 && this.bits[block >> 3] === alike) block += 8;
      else if (this.has(block) === dirty) block += 1;
      else break;
    }
    return Math.min(block, blocks);
  }

  #set(block: number): void {
    const at = block >> 3;
    this.bits[at] = (this.bits[at] ?? 0) | (1 << (block & 7));
  }

  /** Bits of blocks that the image does not have stay clear, so that equal bitmaps have equal bits. */
  #clearBehindEnd(): void {
    const used = Math.ceil(this.size / DIRTY_BLOCK) % 8;
    const last = this.bits.length - 1;
    if (used !== 0) this.bits[last] = (this.bits[last] ?? 0) & ((1 << used) - 1);
  }
}
