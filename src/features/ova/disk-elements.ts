/** File and disk elements of the OVF document in an exported archive. */
import { formatUris } from '../../ovf/codes.ts';

/** An image in the archive. Sizes are in bytes. */
export interface ArchivedImage {
  /** Id of the disk in the document. */
  readonly disk: string;
  /** Id of the file reference in the document. */
  readonly reference: string;
  /** Size of the file. */
  readonly size: number;
}

/** Document with the actual file sizes, and all disks as qcow2. */
export function describeImages(document: string, images: readonly ArchivedImage[]): string {
  const bySize = new Map(images.map((image) => [image.reference, image]));
  const byDisk = new Map(images.map((image) => [image.disk, image]));
  return document.replace(
    /<(?:\w+:)?(File|Disk)\b(?:[^>"']|"[^"]*"|'[^']*')*>/g,
    (tag, kind: string) => {
      if (kind === 'File') {
        const image = bySize.get(getAttribute(tag, 'id') ?? '');
        return image ? setAttribute(tag, 'size', String(image.size)) : tag;
      }
      const image = byDisk.get(getAttribute(tag, 'diskId') ?? '');
      if (!image) return tag;
      const attributes = {
        format: formatUris.cow,
        'volume-format': 'COW',
        'volume-type': 'Sparse',
        populatedSize: String(image.size),
      };
      return Object.entries(attributes).reduce(
        (changed, [name, value]) => setAttribute(changed, name, value),
        tag,
      );
    },
  );
}

function getAttribute(tag: string, name: string): string | undefined {
  return new RegExp(`\\s(?:\\w+:)?${name}="([^"]*)"`).exec(tag)?.[1];
}

/** Tag with an attribute set; replaces an existing value. */
function setAttribute(tag: string, name: string, value: string): string {
  const known = new RegExp(`(\\s(?:\\w+:)?${name}=)"[^"]*"`);
  if (known.test(tag)) return tag.replace(known, (_all, before: string) => `${before}"${value}"`);
  return tag.replace(/\s*\/?>$/, (end) => ` ovf:${name}="${value}"${end.trim()}`);
}
