/**
 * Conversion of foreign images to a readable format. Images that depend on other files are refused.
 */
import { execFile } from 'node:child_process';
import { open } from 'node:fs/promises';
import { promisify } from 'node:util';
import {
  detectForeignImage,
  type ForeignImage,
  foreignHeadLength,
  formatImageArgument,
  type ImageRegion,
  isListOfFiles,
  readInfo,
} from '../../formats/foreign-images.ts';
import { FormatError } from '../../formats/format-error.ts';
import { describeIncompleteness, detectImageFormat } from '../../formats/image-head.ts';
import { systemError } from '../files/system-error.ts';

const run = promisify(execFile);

/**
 * A readable file with the content of an image. Converts formats of other platforms to a qcow2 file
 * with the suffix `.qcow2`. Throws for images that refer to other files, which are never opened.
 */
export async function makeReadable(path: string): Promise<{ path: string; format: 'raw' | 'cow' }> {
  const { head, size } = await readHead(path);
  requireWhole(head, 'A disk in the archive');
  const other = detectForeignImage(head);
  if (other) return { path: await convertForeign({ path, offset: 0, size }, other), format: 'cow' };
  // The reader refuses unknown versions.
  return { path, format: head.toString('latin1', 0, 4) === 'QFI\xfb' ? 'cow' : 'raw' };
}

/**
 * Throws if the first bytes of an image show that it refers to other files, which any program that
 * opens it would open too. `what` is the subject of the message.
 */
export function requireWhole(head: Buffer, what: string): void {
  const lack = isListOfFiles(head)
    ? 'only a list of other files, without data'
    : describeIncompleteness(detectImageFormat(head, head.length));
  if (lack !== undefined) throw new FormatError(`${what} is ${lack}.`);
}

/** The same for a qcow2 image in a file from a client. */
export async function requireWholeFile(path: string, what: string): Promise<void> {
  requireWhole((await readHead(path)).head, what);
}

async function readHead(path: string): Promise<{ head: Buffer; size: number }> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const { buffer } = await file.read(Buffer.alloc(foreignHeadLength), 0, foreignHeadLength, 0);
    return { head: buffer, size };
  } finally {
    await file.close();
  }
}

/** Resolves with the path of the new qcow2 image. */
async function convertForeign(region: ImageRegion, image: ForeignImage): Promise<string> {
  const word = formatImageArgument(region, image);
  const target = `${region.path}.qcow2`;
  const info = await qemuImg(image, ['info', '--output=json', word]);
  if (readInfo(info).isDifference) {
    throw new FormatError(`A disk in the archive is ${image.name}, the overlay of another image.`);
  }
  await qemuImg(image, ['convert', '-O', 'qcow2', word, target]);
  return target;
}

async function qemuImg({ name }: ForeignImage, words: readonly string[]): Promise<string> {
  try {
    return (await run('qemu-img', words)).stdout;
  } catch (error) {
    const { code, message = String(error) } = systemError(error);
    const reason = code === 'ENOENT' ? 'qemu-img is not installed' : message;
    throw new Error(`A disk in the archive is ${name}: ${reason}`, { cause: error });
  }
}
