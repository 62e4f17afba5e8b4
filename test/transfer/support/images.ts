/** Image files for transfers, and their comparison. */

import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  statSync,
  writeSync,
} from 'node:fs';
import { qcow2Image } from '../../support/hostile-images.ts';

export const MiB = 2 ** 20;

const noise = randomBytes(MiB);

/**
 * Creates a file of `size` bytes with data in the given runs (offset and length), and holes
 * elsewhere. Every 4 KiB of data contain their offset, so that no two parts are equal.
 */
export function makeImage(
  path: string,
  size: number,
  runs: readonly (readonly [offset: number, length: number])[] = [[0, size]],
): void {
  const file = openSync(path, 'w');
  try {
    const piece = Buffer.alloc(MiB);
    for (const [offset, length] of runs) {
      for (let at = offset; at < offset + length; at += MiB) {
        noise.copy(piece);
        for (let mark = 0; mark + 8 <= MiB; mark += 4096) piece.writeDoubleBE(at + mark, mark);
        writeSync(file, piece, 0, Math.min(MiB, offset + length - at), at);
      }
    }
    ftruncateSync(file, size);
  } finally {
    closeSync(file);
  }
}

/**
 * First offset at which two files differ; a shorter file counts as zeros. `undefined` if they are
 * equal.
 */
export function difference(one: string, other: string): number | undefined {
  const files = [openSync(one, 'r'), openSync(other, 'r')] as const;
  try {
    const size = Math.max(...files.map((file) => fstatSync(file).size));
    const [a, b] = [Buffer.alloc(MiB), Buffer.alloc(MiB)];
    for (let at = 0; at < size; at += MiB) {
      a.fill(0, readSync(files[0], a, 0, MiB, at));
      b.fill(0, readSync(files[1], b, 0, MiB, at));
      if (!a.equals(b)) return at + a.findIndex((byte, index) => byte !== b[index]);
    }
    return undefined;
  } finally {
    for (const file of files) closeSync(file);
  }
}

/** Allocated bytes of a file. */
export function allocated(path: string): number {
  return statSync(path).blocks * 512;
}

/** An empty qcow2 image, followed by unused bytes: `length` bytes in total. */
export function qcow2(virtualSize: number, length = 400_000, backing = false): Buffer {
  const entries = Math.max(1, Math.ceil(virtualSize / (512 * MiB)));
  const image = qcow2Image({
    size: BigInt(virtualSize),
    l1: Array<bigint>(entries).fill(0n),
    backing: backing ? 'base.raw' : '',
  });
  if (length < image.length) throw new Error(`an image needs ${image.length} bytes`);
  return Buffer.concat([image, noise.subarray(0, length - image.length)], length);
}
