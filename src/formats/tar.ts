/** Tar archives: written as ustar (POSIX.1-1988), read with GNU and pax extensions. */
import { fstatSync, readSync } from 'node:fs';
import { FormatError } from './format-error.ts';

/** Small file to write. */
export interface TarFile {
  /** At most 100 ASCII characters. */
  readonly name: string;
  readonly content: string;
}

/** File in an archive, and the position of its data. */
export interface TarEntry {
  readonly name: string;
  /** Offset in the archive in bytes. */
  readonly offset: number;
  readonly size: number;
}

const block = 512;
/** Larger sizes do not fit into the octal digits of a header. */
const largestOctal = 8 ** 11 - 1;
/** Maximum length of names and other extension records. */
const largestExtension = 2 ** 20;
/** Maximum files in an archive; a VM has a few dozen. */
const maxEntries = 10_000;

/** Creates an archive of small files with the same modification time. */
export function createTar(files: readonly TarFile[], time: Date): Buffer {
  const parts = files.flatMap(({ name, content }) => {
    const bytes = Buffer.from(content);
    return [tarHeader(name, bytes.length, time), bytes, tarPadding(bytes.length)];
  });
  return Buffer.concat([...parts, tarEnd()]);
}

/** Header before the data of a file. */
export function tarHeader(name: string, size: number, time: Date): Buffer {
  const bytes = Buffer.alloc(block);
  const octal = (value: number, at: number, width: number) =>
    bytes.write(`${value.toString(8).padStart(width - 1, '0')}\0`, at, 'latin1');
  bytes.write(name, 0, 100, 'latin1');
  octal(0o644, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  if (size <= largestOctal) octal(size, 124, 12);
  else {
    // Binary number, marked by the first bit, as in GNU tar.
    bytes[124] = 0x80;
    bytes.writeBigUInt64BE(BigInt(size), 128);
  }
  octal(Math.floor(time.getTime() / 1000), 136, 12);
  // The checksum is computed with blanks in its field.
  bytes.write(' '.repeat(8), 148, 'latin1');
  bytes.write('0', 156, 'latin1');
  bytes.write('ustar\0' + '00', 257, 'latin1');
  bytes.write(`${computeChecksum(bytes).toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return bytes;
}

/** Padding after the data of a file. */
export function tarPadding(size: number): Buffer {
  return Buffer.alloc((block - (size % block)) % block);
}

/** End of an archive: two empty blocks. */
export function tarEnd(): Buffer {
  return Buffer.alloc(2 * block);
}

/**
 * Files in an open archive, in order, with long names and sizes of GNU and pax. Throws a
 * `FormatError` if the file is not an archive, is truncated, or has impossible sizes.
 */
export function* tarEntries(file: number): Generator<TarEntry> {
  let longName: string | undefined;
  let longSize: number | undefined;
  const { size: length } = fstatSync(file);
  for (let at = 0, count = 0; ; count++) {
    if (count > maxEntries)
      throw new FormatError(`The archive has more than ${maxEntries} entries.`);
    const header = readAt(file, at, block);
    if (header.length === 0 && at > 0) return;
    if (header.length < block) throw new FormatError('The archive is truncated.');
    if (header.every((byte) => byte === 0)) return;
    if (computeChecksum(header) !== Number.parseInt(word(header, 148, 8), 8)) {
      throw new FormatError('Not a tar archive, or a damaged one.');
    }
    const size = longSize ?? numberIn(header, 124, 12);
    const offset = at + block;
    at = offset + Math.ceil(size / block) * block;
    const type = String.fromCharCode(header[156] ?? 0);
    if (type === 'x' || type === 'L' || type === 'g') {
      if (size > largestExtension)
        throw new FormatError('The archive has a header that is too large.');
      const extension = readAt(file, offset, size);
      if (type === 'L') longName = extension.toString('utf8').replace(/\0.*$/s, '');
      if (type === 'x') {
        const records = paxRecords(extension);
        if ([...records.keys()].some((key) => key.startsWith('GNU.sparse.'))) throw sparseFiles();
        longName = records.get('path') ?? longName;
        const given = records.get('size');
        longSize = given === undefined ? undefined : paxSize(given);
      }
      continue;
    }
    if (type === 'S') throw sparseFiles();
    const prefix = word(header, 257, 5) === 'ustar' ? nameIn(header, 345, 155) : '';
    const short = nameIn(header, 0, 100);
    const name = longName ?? (prefix ? `${prefix}/${short}` : short);
    longName = undefined;
    longSize = undefined;
    if (type !== '0' && type !== '\0' && type !== '7') continue;
    const missing = offset + size - length;
    if (missing > 0) {
      throw new FormatError(`The archive is truncated in ${name}: ${missing} bytes are missing.`);
    }
    yield { name, offset, size };
  }
}

/** Checksum of a header, with blanks in the field of the checksum. */
function computeChecksum(header: Buffer): number {
  return header.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 32 : byte), 0);
}

function readAt(file: number, offset: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(file, bytes, 0, length, offset));
}

function word(header: Buffer, at: number, length: number): string {
  return header
    .toString('latin1', at, at + length)
    .replace(/\0.*$/s, '')
    .trim();
}

/** Names are UTF-8; older archives have Latin-1. */
function nameIn(header: Buffer, at: number, length: number): string {
  const bytes = header.subarray(at, at + length);
  const end = bytes.indexOf(0);
  const name = bytes.toString('utf8', 0, end < 0 ? length : end);
  return name.includes('\ufffd') ? word(header, at, length) : name;
}

/** The data of sparse files are not contiguous. */
function sparseFiles(): FormatError {
  return new FormatError('The archive has sparse files; create it without tar -S.');
}

function numberIn(header: Buffer, at: number, length: number): number {
  if (((header[at] ?? 0) & 0x80) === 0) {
    const digits = word(header, at, length);
    if (!/^[0-7]*$/.test(digits))
      throw new FormatError('The archive has a size that is not a number.');
    return digits === '' ? 0 : Number.parseInt(digits, 8);
  }
  const size = Number(header.readBigUInt64BE(at + length - 8));
  const isLong =
    header[at] !== 0x80 || header.subarray(at + 1, at + length - 8).some((byte) => byte !== 0);
  if (isLong || !Number.isSafeInteger(size))
    throw new FormatError('The archive has an invalid size.');
  return size;
}

/** Parses a size in a pax header. The standard allows only decimal digits. */
function paxSize(text: string): number {
  const size = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(size)) return size;
  throw new FormatError(`The archive has the invalid size "${text.slice(0, 40)}" in a pax header.`);
}

/**
 * Parses the records of a pax header, each `LENGTH KEY=VALUE` and a line end. Throws for other
 * content.
 */
function paxRecords(bytes: Buffer): ReadonlyMap<string, string> {
  const records = new Map<string, string>();
  for (let at = 0; at < bytes.length && bytes[at] !== 0; ) {
    const [start = '', digits = ''] =
      /^(\d{1,7}) /.exec(bytes.toString('latin1', at, at + 8)) ?? [];
    const end = at + Number(digits);
    const text = bytes.toString('utf8', at + start.length, end - 1);
    const equals = text.indexOf('=');
    const isRecord = digits !== '' && end <= bytes.length && bytes[end - 1] === 0x0a && equals > 0;
    if (!isRecord) throw new FormatError('The archive has a damaged pax header.');
    records.set(text.slice(0, equals), text.slice(equals + 1));
    at = end;
  }
  return records;
}
