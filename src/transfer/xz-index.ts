/** Uncompressed size from the index of an xz file (The .xz File Format, 2 and 4). */

/** Reads all requested bytes of the file. */
export type ReadAt = (offset: number, length: number) => Promise<Buffer>;

const HEADER = 12;
const FOOTER = 12;
/** Larger indexes are not read. The complete file is read instead. */
const LARGEST_INDEX = 2 ** 24;

/**
 * Uncompressed size. `undefined` unless the file is one stream without padding, because other files
 * must be read completely.
 */
export async function xzSize(read: ReadAt, fileSize: number): Promise<number | undefined> {
  if (fileSize < HEADER + FOOTER) return undefined;
  const footer = await read(fileSize - FOOTER, FOOTER);
  if (footer.toString('latin1', 10) !== 'YZ') return undefined;
  const indexSize = (footer.readUInt32LE(4) + 1) * 4;
  const indexStart = fileSize - FOOTER - indexSize;
  if (indexSize > LARGEST_INDEX || indexStart < HEADER) return undefined;
  const numbers = numbersIn(await read(indexStart, indexSize));
  const [indicator, count] = [numbers.next().value, numbers.next().value];
  if (indicator !== 0 || count === undefined) return undefined;
  let packed = 0;
  let unpacked = 0;
  for (let record = 0; record < count; record += 1) {
    const [block, size] = [numbers.next().value, numbers.next().value];
    if (block === undefined || size === undefined) return undefined;
    // Blocks are padded to four bytes.
    packed += Math.ceil(block / 4) * 4;
    unpacked += size;
  }
  // If data precede this stream, the file has several streams, each with its index.
  return HEADER + packed === indexStart ? unpacked : undefined;
}

/** Numbers of an index: seven bits in a byte, the lowest first. */
function* numbersIn(bytes: Buffer): Generator<number, undefined> {
  let number = 0;
  let factor = 1;
  for (const byte of bytes) {
    number += (byte & 0x7f) * factor;
    factor *= 128;
    if (byte & 0x80) continue;
    if (!Number.isSafeInteger(number)) return undefined;
    yield number;
    number = 0;
    factor = 1;
  }
  return undefined;
}
