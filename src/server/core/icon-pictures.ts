/** Pictures of the operating system icons. The build renders them and stores them as JSON. */
import { tile } from '../../formats/png.ts';

/** Colours of the families of operating systems, in the order in which engines list their icons. */
const colours = {
  debian: 0xa80030,
  freebsd: 0xab2b28,
  linux: 0xf0ab00,
  sles: 0x30ba78,
  ubuntu: 0xe95420,
  windows: 0x0078d4,
  other: 0x6a6e73,
  rhel: 0xc9190b,
  atomic: 0xd2603a,
  rhcos: 0xa30000,
} as const;

/** Icons by family, as PNG in base64, in the sizes of the attributes that refer to them. */
export const iconPictures: Readonly<
  Record<string, { readonly small_icon: string; readonly large_icon: string }>
> = Object.fromEntries(
  Object.entries(colours).map(([family, colour]) => [
    family,
    {
      small_icon: tile(43, 36, colour).toString('base64'),
      large_icon: tile(150, 120, colour).toString('base64'),
    },
  ]),
);
