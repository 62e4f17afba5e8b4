/** What an OVF document says of the files of its disks, in an archive that was made here. */
import { formatUris } from '../../ovf/codes.ts';

/** An image in the archive. Sizes in bytes. */
export interface ArchivedImage {
  /** Id of the disk, as the document names it. */
  readonly disk: string;
  /** What the document calls the file: the id of its reference. */
  readonly reference: string;
  /** Of the file. */
  readonly size: number;
}

/** The document with the sizes of files as they are, all of them qcow2. */
export function describeImages(document: string, images: readonly ArchivedImage[]): string {
  const bySize = new Map(images.map((image) => [image.reference, image]));
  const byDisk = new Map(images.map((image) => [image.disk, image]));
  return document.replace(
    /<(?:\w+:)?(File|Disk)\b(?:[^>"']|"[^"]*"|'[^']*')*>/g,
    (tag, kind: string) => {
      if (kind === 'File') {
        const image = bySize.get(attributeOf(tag, 'id') ?? '');
        return image ? withAttribute(tag, 'size', String(image.size)) : tag;
      }
      const image = byDisk.get(attributeOf(tag, 'diskId') ?? '');
      if (!image) return tag;
      const attributes = {
        format: formatUris.cow,
        'volume-format': 'COW',
        'volume-type': 'Sparse',
        populatedSize: String(image.size),
      };
      return Object.entries(attributes).reduce(
        (changed, [name, value]) => withAttribute(changed, name, value),
        tag,
      );
    },
  );
}

function attributeOf(tag: string, name: string): string | undefined {
  return new RegExp(`\\s(?:\\w+:)?${name}="([^"]*)"`).exec(tag)?.[1];
}

/** The tag with an attribute of the standard, in the place of the one that it may have. */
function withAttribute(tag: string, name: string, value: string): string {
  const known = new RegExp(`(\\s(?:\\w+:)?${name}=)"[^"]*"`);
  if (known.test(tag)) return tag.replace(known, (_all, before: string) => `${before}"${value}"`);
  return tag.replace(/\s*\/?>$/, (end) => ` ovf:${name}="${value}"${end.trim()}`);
}
