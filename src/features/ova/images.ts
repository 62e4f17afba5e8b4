/** Disk images of a package: used directly, decompressed or converted. */
import { createReadStream } from 'node:fs';
import { open, rm, stat, writeFile } from 'node:fs/promises';
import type { CommandContext } from '../../cli/session/command-context.ts';
import { UsageError, VmctlError } from '../../client/errors.ts';
import {
  detectForeignImage,
  foreignHeadLength,
  isListOfFiles,
} from '../../formats/foreign-images.ts';
import { isComplete } from '../../formats/qcow2-completeness.ts';
import {
  copyError,
  decompressed,
  detectCompression,
  detectImageFormat,
  type FileRegion,
  FileSource,
  RegionSource,
  readImageHead,
  requireFormat,
  requireKnown,
  type Source,
} from '../../transfer/index.ts';
import { convertImage, readVirtualSize, requireConverter } from './convert.ts';
import type { Workspace } from './workspace.ts';

/** An image that can be uploaded to a disk. */
export interface PackedImage {
  /** Format of the disk for the image. */
  readonly format: 'raw' | 'cow';
  /** Virtual size in bytes. */
  readonly virtualSize: number;
  readonly open: () => Promise<Source>;
}

/**
 * Inspects an image; `name` is its name in messages. Throws before any change if the file is not a
 * valid image.
 */
export async function inspectImage(
  cli: CommandContext,
  region: FileRegion,
  name: string,
  workspace: Workspace,
): Promise<PackedImage> {
  const head = await readImageHead(region);
  const packing = detectCompression(head);
  if (packing) {
    const path = await workspace.newPath();
    cli.note(`${name} is compressed with ${packing.name}; unpacking`);
    try {
      await writeFile(path, decompressed(name, packing, openBytes(region)), { signal: cli.signal });
    } catch (error) {
      if (cli.signal.aborted || error instanceof VmctlError) throw error;
      throw copyError(name, error);
    }
    const { size } = await stat(path);
    return await inspectImage(cli, { path, offset: 0, size }, name, workspace);
  }
  if (region.size === 0 || isListOfFiles(head)) {
    throw new UsageError(`${name} is not an image`, {
      code: 'wrong_format',
      hint: 'export the VM again as an OVA archive',
    });
  }
  const foreign = detectForeignImage(head, await readTail(region));
  if (foreign) {
    requireConverter(cli, foreign, name);
    const virtualSize = await readVirtualSize(cli, region, foreign, name);
    const openConverted = async () => {
      const path = await workspace.newPath();
      cli.note(`${name} is ${foreign.name}; converting`);
      await convertImage(cli, region, foreign, name, path);
      const file = await open(path);
      // Removes the converted file after the upload, to free space for the next disk.
      return await FileSource.take(path, file, async () => await rm(path, { force: true }));
    };
    return { format: 'cow', virtualSize, open: openConverted };
  }
  const content = detectImageFormat(head, region.size);
  requireKnown(head, content, name, region.size);
  const format = requireFormat(content, undefined, name);
  if (format === 'cow') await requireComplete(region, name);
  return {
    format,
    virtualSize: content.virtualSize,
    open: async () => await RegionSource.open(region, name),
  };
}

async function requireComplete({ path, offset, size }: FileRegion, name: string): Promise<void> {
  const file = await open(path);
  try {
    const read = async (from: number, length: number) => {
      const wanted = Math.max(0, Math.min(length, size - from));
      const { bytesRead, buffer } = await file.read(Buffer.alloc(wanted), 0, wanted, offset + from);
      return buffer.subarray(0, bytesRead);
    };
    if (await isComplete(read, size)) return;
  } finally {
    await file.close();
  }
  throw new UsageError(`${name} is truncated: data that its tables reference is missing`, {
    code: 'damaged_archive',
    hint: 'download it again',
  });
}

async function readTail({ path, offset, size }: FileRegion): Promise<Buffer> {
  const length = Math.min(foreignHeadLength, size);
  const file = await open(path);
  try {
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, offset + size - length);
    return buffer;
  } finally {
    await file.close();
  }
}

function openBytes({ path, offset, size }: FileRegion): AsyncIterable<Uint8Array> {
  return createReadStream(path, { start: offset, end: offset + size - 1, highWaterMark: 2 ** 20 });
}
