/** The files that hold the bytes of disks: one per disk, named by its id. */
import {
  closeSync,
  constants,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { type FileHandle, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { DiskImages, ImageForm } from '../rules/context.ts';
import { type Part, partsOf, sizeInside, writeImage } from './qcow2.ts';

const blockSize = 512;
const pieceSize = 2 ** 20;

export class DiskFiles implements DiskImages {
  readonly #folder: string;

  /** Keeps the images in a folder, which is made if it is missing. */
  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  /** Path of the image of a disk. Ids are made by the server, never by clients. */
  path(id: string): string {
    if (!/^[0-9a-f-]{36}$/.test(id)) throw new Error(`"${id}" is not the id of a disk.`);
    return join(this.#folder, id);
  }

  create(id: string, size: number): void {
    const file = openSync(this.path(id), 'wx', 0o600);
    try {
      ftruncateSync(file, size);
    } finally {
      closeSync(file);
    }
  }

  resize(id: string, size: number): void {
    const file = openSync(this.path(id), constants.O_RDWR | constants.O_CREAT, 0o600);
    try {
      ftruncateSync(file, size);
    } finally {
      closeSync(file);
    }
  }

  write(id: string, content: Uint8Array, size: number): void {
    const file = openSync(this.path(id), 'w', 0o600);
    try {
      writeSync(file, content);
      ftruncateSync(file, size);
    } finally {
      closeSync(file);
    }
  }

  /** Makes the image of a disk that has never been written: generated inventories make none. */
  ensure(id: string, size: number): void {
    if (!existsSync(this.path(id))) this.create(id, size);
  }

  /** Copies onto itself, too: the zeros of the image become holes. */
  async copy(from: string, to: string): Promise<void> {
    const target = this.path(to);
    if (!existsSync(this.path(from))) {
      // What was never written has no file yet, and its copy has none either.
      rmSync(target, { force: true });
      return;
    }
    await replace(target, (partial) => copySparse(this.path(from), partial));
  }

  async convert(from: string, to: string, form: ImageForm): Promise<void> {
    const target = this.path(to);
    const size = statSync(this.path(from), { throwIfNoEntry: false })?.size ?? 0;
    if (size === 0 && !(form.whole && form.to === 'cow')) {
      rmSync(target, { force: true });
      return;
    }
    const source = size === 0 ? undefined : this.path(from);
    await replace(target, (partial) => convertImage(source, partial, form));
  }

  /**
   * Makes sure that an image is a qcow2 image of at least `size` bytes, so that the disk in it can
   * be written. What was never written gets an empty one, and so does what is no qcow2 image.
   */
  async ensureQcow2(id: string, size: number, version: 2 | 3): Promise<void> {
    const head = existsSync(this.path(id)) ? this.head(id, 32) : new Uint8Array();
    const now = sizeInside(head);
    if (now === undefined) this.remove(id);
    if (now === undefined || now < size) {
      await this.convert(id, id, { from: 'cow', to: 'cow', size, version, whole: true });
    }
  }

  remove(id: string): void {
    rmSync(this.path(id), { force: true });
  }

  sizes(id: string): { allocated: number; length: number } {
    const found = statSync(this.path(id), { throwIfNoEntry: false });
    return found
      ? { allocated: found.blocks * blockSize, length: found.size }
      : { allocated: 0, length: 0 };
  }

  head(id: string, length: number): Uint8Array {
    const bytes = new Uint8Array(length);
    const file = openSync(this.path(id), 'r');
    try {
      return bytes.subarray(0, readSync(file, bytes, 0, length, 0));
    } finally {
      closeSync(file);
    }
  }

  /** Removes files that no disk owns: what a crash between file and database left. */
  sweep(owned: (id: string) => boolean): void {
    for (const name of readdirSync(this.#folder)) {
      if (!owned(name)) rmSync(join(this.#folder, name), { force: true });
    }
  }
}

/** Puts a new file in the place of another one once it is whole; a part of it is not left behind. */
async function replace(target: string, write: (partial: string) => Promise<void>): Promise<void> {
  const partial = `${target}.partial`;
  try {
    await write(partial);
    await rename(partial, target);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
}

/** Writes an image in another form; without one, an image that is all zeros. Durable when it resolves. */
async function convertImage(from: string | undefined, to: string, form: ImageForm): Promise<void> {
  const source = await open(from ?? '/dev/null', 'r');
  const target = await open(to, 'w', 0o600);
  try {
    const parts = from && form.from === 'cow' ? partsOf(source) : piecesOf(source);
    if (form.to === 'cow') {
      await writeImage(target, form.size, form.version ?? 3, parts);
    } else {
      for await (const { offset, bytes } of parts) {
        await target.write(bytes, 0, bytes.length, offset);
      }
      await target.truncate(form.size);
    }
    await target.sync();
  } finally {
    await Promise.all([source.close(), target.close()]);
  }
}

/** A raw image piece by piece; those that are all zeros are left out. */
async function* piecesOf(source: FileHandle): AsyncGenerator<Part> {
  const { size } = await source.stat();
  const zeros = Buffer.alloc(pieceSize);
  for (let offset = 0; offset < size; offset += pieceSize) {
    const piece = Buffer.alloc(Math.min(pieceSize, size - offset));
    await source.read(piece, 0, piece.length, offset);
    if (!piece.equals(zeros.subarray(0, piece.length))) yield { offset, bytes: piece };
  }
}

/** Copies a file; pieces that are all zeros become holes. Durable when it resolves. */
async function copySparse(from: string, to: string): Promise<void> {
  const source = await open(from, 'r');
  const target = await open(to, 'w', 0o600);
  try {
    const { size, blocks } = await source.stat();
    const piece = Buffer.allocUnsafe(pieceSize);
    const zeros = Buffer.alloc(pieceSize);
    // A file without blocks is nothing but a hole.
    for (let offset = blocks === 0 ? size : 0; offset < size; ) {
      const { bytesRead } = await source.read(piece, 0, pieceSize, offset);
      if (bytesRead === 0) break;
      const part = piece.subarray(0, bytesRead);
      if (!part.equals(zeros.subarray(0, bytesRead))) {
        await target.write(part, 0, bytesRead, offset);
      }
      offset += bytesRead;
    }
    await target.truncate(size);
    await target.sync();
  } finally {
    await Promise.all([source.close(), target.close()]);
  }
}
