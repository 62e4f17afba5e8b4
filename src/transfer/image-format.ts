/** Which disk a local image fits into, by its content, and what fits into none. */
import { UsageError } from '../client/errors.ts';
import { foreignImageOf } from '../formats/foreign-images.ts';
import { type DiskFormat, type ImageFormat, lackOf } from '../formats/image-head.ts';
import { Qcow2Error, readQcow2Header } from '../formats/qcow2-header.ts';

/**
 * The format of the disk for a file, as asked for or as its content says. Throws usage errors when
 * both disagree, and for images that are not complete by themselves.
 */
export function requireFormat(
  content: ImageFormat,
  requested: DiskFormat | undefined,
  path: string,
): DiskFormat {
  if (requested === 'raw') return 'raw';
  if (requested === 'cow' && content.format !== 'cow') {
    throw new UsageError(`${path} is no qcow2 image`, {
      code: 'wrong_format',
      hint: 'leave --format out, or convert it: qemu-img convert -O qcow2',
    });
  }
  if (content.format !== 'cow') return 'raw';
  if (content.hasBackingFile) {
    throw new UsageError(`${path} is only the difference to another image`, {
      code: 'has_backing_file',
      hint: 'make it whole first: qemu-img convert -O qcow2',
    });
  }
  if (content.obstacle === undefined) return 'cow';
  throw new UsageError(
    content.obstacle === 'encrypted'
      ? `${path} is encrypted`
      : `${path} has its data in another file`,
    {
      code: 'unusable_image',
      hint: 'convert it first: qemu-img convert -O qcow2',
    },
  );
}

/** What people have beside images, and no disk holds as it is. */
const archives: readonly (readonly [name: string, magic: string, hint: string])[] = [
  ['packed with bzip2', 'BZh', 'unpack it first: bunzip2'],
  ['a ZIP archive', 'PK\x03\x04', 'unpack it first: unzip'],
  ['a 7-Zip archive', "7z\xbc\xaf'\x1c", 'unpack it first: 7z x'],
];

/**
 * Throws when the content is nothing that a machine could start from: an image or an archive of
 * another kind, or something else than the name says. Not asked where `--format raw` is given.
 */
export function requireKnown(
  head: Buffer,
  content: ImageFormat,
  path: string,
  length = Number.MAX_SAFE_INTEGER,
): void {
  const wrong = (what: string, hint: string) =>
    new UsageError(`${path} is ${what}`, {
      code: 'wrong_format',
      hint: `${hint}; --format raw uploads it as it is`,
    });
  if (content.format === 'cow' && lackOf(content) === undefined) {
    requireHeader(head, length, (problem) =>
      wrong(`not usable: ${problem}`, 'check it with qemu-img check'),
    );
  }
  const image = foreignImageOf(head);
  if (image) throw wrong(image.name, 'convert it first: qemu-img convert -O qcow2');
  for (const [name, magic, hint] of archives) {
    if (head.subarray(0, magic.length).equals(Buffer.from(magic, 'latin1'))) {
      throw wrong(name, hint);
    }
  }
  if (content.format === 'raw' && /\.(qcow2|qcow)$/i.test(path)) {
    throw new UsageError(`${path} is no qcow2 image, whatever its name says`, {
      code: 'wrong_format',
      hint: 'look at what is in it; --format raw uploads it as it is',
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
