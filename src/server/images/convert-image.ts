/** Conversion of images between raw and qcow2. */
import { type FileHandle, open } from 'node:fs/promises';
import { devNull } from 'node:os';
import { checkImage, type Part, readParts, writeImage } from '../../formats/qcow2.ts';
import { Qcow2Error } from '../../formats/qcow2-header.ts';
import { writeAll } from '../../formats/write-all.ts';
import type { ImageForm } from '../core/ports.ts';

const pieceSize = 2 ** 20;

/** Converts an image; without a source, creates an image of zeros. Durable on resolution. */
export async function convertImage(
  from: string | undefined,
  to: string,
  form: ImageForm,
): Promise<void> {
  const source = await open(from ?? devNull, 'r');
  const target = await open(to, 'w', 0o600);
  try {
    const parts = from && form.from === 'cow' ? readParts(source, form.size) : readPieces(source);
    if (form.to === 'cow') {
      await writeImage(target, form.size, form.version ?? 3, parts);
    } else {
      for await (const { offset, bytes } of parts) {
        await writeAll(target, bytes, offset);
      }
      await target.truncate(form.size);
    }
    await target.sync();
  } finally {
    await Promise.all([source.close(), target.close()]);
  }
}

/**
 * Validates the qcow2 image in a file, which may have a virtual size of at most `maxSize` bytes.
 * Rejects with a `Qcow2Error`.
 */
export async function checkFile(path: string, maxSize: number): Promise<void> {
  const file = await open(path, 'r');
  try {
    const { virtualSize } = await checkImage(file);
    if (virtualSize > maxSize) {
      throw new Qcow2Error(`the virtual size is ${virtualSize} bytes; the disk has ${maxSize}`);
    }
  } finally {
    await file.close();
  }
}

/** Pieces of a raw image, without pieces of zeros. */
async function* readPieces(source: FileHandle): AsyncGenerator<Part> {
  const { size } = await source.stat();
  const zeros = Buffer.alloc(pieceSize);
  for (let offset = 0; offset < size; offset += pieceSize) {
    const piece = Buffer.alloc(Math.min(pieceSize, size - offset));
    await source.read(piece, 0, piece.length, offset);
    if (!piece.equals(zeros.subarray(0, piece.length))) yield { offset, bytes: piece };
  }
}
