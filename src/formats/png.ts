/** PNG pictures (RFC 2083) for icons and screenshots. */
import { crc32, deflateSync } from 'node:zlib';

const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const frame = 0x151515;

/** Draws a tile in one colour (0xRRGGBB) with a dark frame. */
export function tile(width: number, height: number, colour: number): Buffer {
  return picture(width, height, (x, y) => {
    const edge = x === 0 || y === 0 || x === width - 1 || y === height - 1;
    return edge ? frame : colour;
  });
}

/** Draws a picture. `colourAt` returns the colour of a point (0xRRGGBB). */
export function picture(
  width: number,
  height: number,
  colourAt: (x: number, y: number) => number,
): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits each for red, green and blue.
  header.set([8, 2], 8);
  const row = 1 + 3 * width;
  const pixels = Buffer.alloc(row * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      pixels.writeUIntBE(colourAt(x, y), y * row + 1 + 3 * x, 3);
    }
  }
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(pixels)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(content.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}
