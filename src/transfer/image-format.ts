/** Disk format for the content of a local image, and refusal of unsupported content. */
import { UsageError } from '../client/errors.ts';
import { detectForeignImage } from '../formats/foreign-images.ts';
import {
  type DiskFormat,
  describeIncompleteness,
  type ImageFormat,
} from '../formats/image-head.ts';
import { Qcow2Error, readQcow2Header } from '../formats/qcow2-header.ts';

/**
 * Disk format for a file, as requested or detected. Throws usage errors if both disagree, and for
 * images that depend on other files.
 */
export function requireFormat(
  content: ImageFormat,
  requested: DiskFormat | undefined,
  path: string,
): DiskFormat {
  if (requested === 'raw') return 'raw';
  if (requested === 'cow' && content.format !== 'cow') {
    throw new UsageError(`${path} is not a qcow2 image`, {
      code: 'wrong_format',
      hint: 'remove --format, or convert it: qemu-img convert -O qcow2',
    });
  }
  if (content.format !== 'cow') return 'raw';
  if (content.hasBackingFile) {
    throw new UsageError(`${path} is the overlay of another image`, {
      code: 'has_backing_file',
      hint: 'flatten it: qemu-img convert -O qcow2',
    });
  }
  if (content.obstacle === undefined) return 'cow';
  throw new UsageError(
    content.obstacle === 'encrypted' ? `${path} is encrypted` : `${path} has an external data file`,
    {
      code: 'unusable_image',
      hint: 'convert it first: qemu-img convert -O qcow2',
    },
  );
}

/** Common file formats that disks cannot have. */
const archives: readonly (readonly [name: string, magic: string, hint: string])[] = [
  ['compressed with bzip2', 'BZh', 'decompress it: bunzip2'],
  ['a ZIP archive', 'PK\x03\x04', 'extract it: unzip'],
  ['a 7-Zip archive', "7z\xbc\xaf'\x1c", 'extract it: 7z x'],
];

/**
 * Throws if the content is not bootable: another image format, an archive, or a mismatch with the
 * file name. Not called for `--format raw`.
 */
export function requireKnown(
  head: Buffer,
  content: ImageFormat,
  path: string,
  length = Number.MAX_SAFE_INTEGER,
): void {
  const createError = (what: string, hint: string) =>
    new UsageError(`${path} is ${what}`, {
      code: 'wrong_format',
      hint: `${hint}; or upload it unchanged with --format raw`,
    });
  if (content.format === 'cow' && describeIncompleteness(content) === undefined) {
    requireHeader(head, length, (problem) =>
      createError(`not a valid image: ${problem}`, 'check it with qemu-img check'),
    );
  }
  const image = detectForeignImage(head);
  if (image) throw createError(image.name, 'convert it first: qemu-img convert -O qcow2');
  for (const [name, magic, hint] of archives) {
    if (head.subarray(0, magic.length).equals(Buffer.from(magic, 'latin1'))) {
      throw createError(name, hint);
    }
  }
  if (content.format === 'raw' && /\.(qcow2|qcow)$/i.test(path)) {
    throw new UsageError(`${path} is not a qcow2 image, despite its name`, {
      code: 'wrong_format',
      hint: 'check its contents; --format raw uploads it unchanged',
    });
  }
}

function requireHeader(head: Buffer, length: number, wrong: (problem: string) => Error): void {
  try {
    readQcow2Header(head, length);
  } catch (error) {
    if (error instanceof Qcow2Error) throw wrong(error.message);
    throw error;
  }
}
