/**
 * File systems of hosts, for OVA archives: a folder for each host that contains the paths in
 * requests.
 */

import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
} from 'node:fs';
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, normalize, sep } from 'node:path';
import { FormatError } from '../../formats/format-error.ts';
import { HEAD_LENGTH } from '../../formats/image-head.ts';
import { type TarEntry, tarEnd, tarEntries, tarHeader, tarPadding } from '../../formats/tar.ts';
import type { HostArchives, HostPath, ImageForm, PackedDisk } from '../core/ports.ts';
import type { DiskFiles } from './disk-files.ts';
import { makeReadable, requireWhole } from './readable-image.ts';

const pieceSize = 4 * 2 ** 20;
/** Maximum bytes of a document. */
const largestDocument = 16 * 2 ** 20;

export class HostFiles implements HostArchives {
  readonly #folder: string;
  readonly #images: DiskFiles;

  /** Stores host files in a folder, which is created on demand. */
  constructor(folder: string, images: DiskFiles) {
    this.#folder = folder;
    this.#images = images;
  }

  document(host: string | undefined, path: string): { host: string; text: string } | undefined {
    for (const name of host === undefined ? this.#hosts() : [host]) {
      const file = this.#path({ host: name, path });
      if (!existsSync(file)) continue;
      const handle = openSync(this.#inside(file), 'r');
      try {
        return { host: name, text: readDocument(handle) };
      } finally {
        closeSync(handle);
      }
    }
    return undefined;
  }

  async pack(archive: HostPath, document: string, disks: readonly PackedDisk[]): Promise<void> {
    const target = this.#path(archive);
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
    // The name depends on the document: a retry after a crash overwrites the partial file.
    const name = createHash('sha256').update(document).digest('hex').slice(0, 16);
    const partial = join(this.#inside(dirname(target)), `.${name}.partial`);
    const time = new Date();
    try {
      const file = await open(partial, 'w', 0o600);
      try {
        const text = Buffer.from(document);
        let end = await append(
          file,
          0,
          tarHeader('vm.ovf', text.length, time),
          text,
          tarPadding(text.length),
        );
        for (const { image, member, form } of disks) {
          const disk = `${partial}.disk`;
          await this.#images.exportTo(image, disk, form);
          const { size } = await stat(disk);
          end = await append(file, end, tarHeader(member, size, time));
          await copyBytes(disk, 0, size, file, end);
          end = await append(file, end + size, tarPadding(size));
          await rm(disk);
        }
        await append(file, end, tarEnd());
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(partial, target);
    } catch (error) {
      for (const path of [partial, `${partial}.disk`]) await rm(path, { force: true });
      throw error;
    }
  }

  async unpack(archive: HostPath, member: string, to: string, form: ImageForm): Promise<void> {
    const path = this.#inside(this.#path(archive));
    const handle = openSync(path, 'r');
    let entry: TarEntry | undefined;
    try {
      entry = [...tarEntries(handle)].find(({ name }) => name.replace(/^\.\//, '') === member);
    } finally {
      closeSync(handle);
    }
    if (!entry) throw new FormatError(`The archive has no file ${member}.`);
    const { offset, size } = entry;
    // The name depends on the image, for the same reason.
    const raw = `${this.#images.path(to)}.unpacked`;
    try {
      await extract(path, offset, size, raw);
      const { path: plain, format } = await makeReadable(raw);
      await this.#images.importFrom(plain, to, { ...form, from: format });
    } finally {
      for (const left of [raw, `${raw}.qcow2`]) await rm(left, { force: true });
    }
  }

  #hosts(): string[] {
    return existsSync(this.#folder) ? readdirSync(this.#folder).sort() : [];
  }

  #path({ host, path }: HostPath): string {
    const name = host.replace(/[^\w.-]/g, '_').replace(/^\.+/, '_');
    return join(this.#folder, name, normalize(join(sep, path)));
  }

  /** The real path of a file or folder. Throws if links lead out of the folder. */
  #inside(path: string): string {
    const real = realpathSync(path);
    if (!real.startsWith(realpathSync(this.#folder) + sep)) {
      throw new FormatError('the path leaves the files of the host');
    }
    return real;
  }
}

/**
 * The first OVF document in an open archive. Throws without one, and if an image in the archive
 * depends on other files.
 */
function readDocument(file: number): string {
  let document: string | undefined;
  const read = (offset: number, length: number) => {
    const bytes = Buffer.alloc(length);
    return bytes.subarray(0, readSync(file, bytes, 0, length, offset));
  };
  for (const { name, offset, size } of tarEntries(file)) {
    if (!/\.ovf$/i.test(name)) requireWhole(read(offset, Math.min(size, HEAD_LENGTH)), name);
    else if (document === undefined) {
      if (size > largestDocument) throw new FormatError(`${name} in the archive is too large.`);
      document = read(offset, size).toString('utf8');
    }
  }
  if (document === undefined) throw new FormatError('The archive has no OVF document.');
  return document;
}

async function append(file: FileHandle, offset: number, ...parts: Buffer[]): Promise<number> {
  let end = offset;
  for (const part of parts) {
    await file.write(part, 0, part.length, end);
    end += part.length;
  }
  return end;
}

/** Copies a part of a file into another one; zeros become a hole. */
async function copyBytes(
  from: string,
  offset: number,
  size: number,
  target: FileHandle,
  ref: number,
): Promise<void> {
  const source = await open(from, 'r');
  try {
    const piece = Buffer.alloc(Math.min(pieceSize, Math.max(size, 1)));
    const zeros = Buffer.alloc(piece.length);
    for (let done = 0; done < size; ) {
      const length = Math.min(piece.length, size - done);
      const { bytesRead } = await source.read(piece, 0, length, offset + done);
      if (bytesRead === 0) throw new Error(`${from} is truncated.`);
      if (!piece.subarray(0, bytesRead).equals(zeros.subarray(0, bytesRead))) {
        await target.write(piece, 0, bytesRead, ref + done);
      }
      done += bytesRead;
    }
  } finally {
    await source.close();
  }
}

async function extract(from: string, offset: number, size: number, to: string): Promise<void> {
  const target = await open(to, 'w', 0o600);
  try {
    await copyBytes(from, offset, size, target, 0);
    await target.truncate(size);
  } finally {
    await target.close();
  }
}
