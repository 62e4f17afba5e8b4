/** Conversion of screen contents to PNG. */
import { picture } from '../../formats/png.ts';
import { HypervisorError } from '../../server/core/hypervisor.ts';

/** Converts a portable pixmap (`P6`, 8 bits per color) to PNG. All versions of QEMU write it. */
export function convertPixmap(content: Buffer): Buffer {
  const head = /^P6\s+(\d+)\s+(\d+)\s+255\s/.exec(content.toString('latin1', 0, 64));
  const [text = '', width = 0, height = 0] = head
    ? [head[0], Number(head[1]), Number(head[2])]
    : [];
  const pixels = content.subarray(text.length);
  if (!head || pixels.length < width * height * 3) {
    throw new HypervisorError('QEMU wrote no picture of the screen');
  }
  return picture(width, height, (x, y) => pixels.readUIntBE(3 * (y * width + x), 3));
}
