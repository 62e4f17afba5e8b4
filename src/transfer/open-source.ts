/** Choice of the source of an upload: a file, a URL or standard input. */
import type { Readable } from 'node:stream';
import { UsageError } from '../client/errors.ts';
import type { EnvironmentVariables } from '../client/proxy-env.ts';
import { type DiskFormat, detectImageFormat, HEAD_LENGTH } from '../formats/image-head.ts';
import {
  type ByteStream,
  type Compression,
  compressionByExtension,
  decompressed,
  detectCompression,
} from './compression.ts';
import { FileSource } from './file-source.ts';
import { requireKnown } from './image-format.ts';
import type { FileIdentity } from './journal.ts';
import type { Source } from './source.ts';
import { spoolToTempFile } from './spool-to-temp-file.ts';
import { readHead } from './stream-head.ts';
import { StreamSource } from './stream-source.ts';
import { isUrl, WebFile, WebSource } from './web-source.ts';
import type { ReadAt } from './xz-index.ts';

export interface SourceOptions {
  /** Stream for `-`. */
  readonly stdin: Readable;
  /** Size in bytes of a raw image of unknown length. */
  readonly size?: number;
  /** `raw` disables the detection of formats. */
  readonly format?: DiskFormat;
  /** Uploads compressed files without decompression. */
  readonly keepCompressed: boolean;
  /** Additional certificate authorities for web servers, in PEM. */
  readonly ca?: string;
  /** Environment variables, which can name a proxy for web servers. */
  readonly env: EnvironmentVariables;
  readonly retries: number;
  readonly signal: AbortSignal;
  /** Called with notes about slow or non-resumable transfers. */
  readonly onNote: (note: string) => void;
  /** Called with security warnings. */
  readonly onWarning: (warning: string) => void;
}

const STDIN = 'standard input';

/** Opens a source and detects its content. Throws before any change. */
export async function openSource(given: string, options: SourceOptions): Promise<Source> {
  if (given === '-') return await openPipe(options);
  if (isUrl(given)) return await openAddress(given, options);
  const file = await FileSource.open(given);
  try {
    return await fromFile(file, options);
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function fromFile(file: FileSource, options: SourceOptions): Promise<Source> {
  const packing = compressionFor(file.head, file.path, options);
  if (!packing) {
    requireUsable(file.head, file.path, options);
    return file;
  }
  const open = () => decompressed(file.path, packing, file.bytes());
  const contents =
    (await contentsFromIndex(file, packing, open)) ??
    (await contentsByReading(file, packing, open, options));
  const { size } = contents;
  return streamSource({ path: file.path, ...contents }, options, {
    // The same file without decompression would be a different image.
    identity: { ...file.identity, size },
    repeatable: true,
    requireUnchanged: () => file.requireUnchanged(),
    close: () => file.close(),
  });
}

/** Content according to the index of a compressed file. */
async function contentsFromIndex(
  file: FileSource,
  packing: Compression,
  open: () => ByteStream,
): Promise<Omit<Contents, 'path'> | undefined> {
  const size = await uncompressedSize(file, packing);
  if (size === undefined) return undefined;
  const { head, bytes } = await readHead(open());
  return { head, size, open: () => bytes };
}

/** Uncompressed size, if the end of the file contains it. */
async function uncompressedSize(
  file: FileSource | WebFile,
  packing: Compression,
): Promise<number | undefined> {
  const read: ReadAt = async (offset, length) => {
    const bytes = Buffer.alloc(length);
    await file.read({ start: offset, end: offset + length }, bytes);
    return bytes;
  };
  return file.size === undefined ? undefined : await packing.size?.(read, file.size);
}

/**
 * Content after reading the complete file, which also detects a damaged file before anything is
 * sent.
 */
async function contentsByReading(
  { path }: FileSource,
  packing: Compression,
  open: () => ByteStream,
  { onNote, signal }: SourceOptions,
): Promise<Omit<Contents, 'path'>> {
  onNote(`${path} is compressed with ${packing.name}; reading it once for its size`);
  return { ...(await measure(open(), signal)), open };
}

async function openPipe(options: SourceOptions): Promise<Source> {
  const { stdin } = options;
  if ('isTTY' in stdin && stdin.isTTY) {
    throw new UsageError('standard input is a terminal', {
      hint: 'use a pipe: zcat root.raw.gz | vmctl disks upload - ...',
    });
  }
  options.onNote(`cannot resume an upload from ${STDIN}`);
  const end = () => stdin.destroy();
  options.signal.addEventListener('abort', end, { once: true });
  return await fromStream(STDIN, stdin, options, undefined, async () => void end());
}

async function openAddress(address: string, options: SourceOptions): Promise<Source> {
  if (/^http:/i.test(address)) {
    options.onWarning('http does not protect the image against changes');
  }
  const file = await WebFile.open(address, options);
  try {
    const packing = compressionFor(file.head, file.path, options);
    if (file.supportsRanges && !packing) {
      requireUsable(file.head, file.path, options);
      return new WebSource(file);
    }
    const why = packing
      ? `is compressed with ${packing.name}`
      : 'comes from a server without range support';
    options.onNote(`${file.path} ${why}: its upload cannot be resumed`);
    // The end of a compressed file requires a range request.
    const unpackedSize =
      packing && file.supportsRanges ? await uncompressedSize(file, packing) : undefined;
    const size = packing ? unpackedSize : file.size;
    return await fromStream(file.path, file.bytes(), options, size, () => file.close());
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Creates a source that can be read once. `size` is the size of the image, if known. */
async function fromStream(
  path: string,
  bytes: ByteStream,
  options: SourceOptions,
  size: number | undefined,
  close: () => Promise<void>,
): Promise<Source> {
  const { signal, onNote } = options;
  const outer = await readHead(bytes);
  const packing = compressionFor(outer.head, path, options);
  const inner = packing ? await readHead(decompressed(path, packing, outer.bytes)) : outer;
  requireUsable(inner.head, path, options);
  const isRaw = options.format === 'raw' || detectImageFormat(inner.head, 0).format === 'raw';
  const known = size ?? (isRaw ? options.size : undefined);
  if (known === undefined) {
    onNote(`the size of ${path} is unknown; copying it to a temporary file`);
    const file = await spoolToTempFile(path, inner.bytes, signal);
    await close();
    return file;
  }
  const { head } = inner;
  return streamSource({ path, head, size: known, open: () => inner.bytes }, options, {
    identity: { size: known, modified: '', inode: '' },
    repeatable: false,
    close,
  });
}

interface Contents {
  readonly path: string;
  readonly head: Buffer;
  readonly size: number;
  readonly open: () => ByteStream;
}

interface Origin {
  readonly identity: FileIdentity;
  readonly repeatable: boolean;
  readonly requireUnchanged?: () => Promise<void>;
  readonly close: () => Promise<void>;
}

function streamSource(
  { path, head, size, open }: Contents,
  options: SourceOptions,
  origin: Origin,
) {
  requireUsable(head, path, options);
  return new StreamSource({
    ...{ path, size, open },
    ...origin,
    content: detectImageFormat(head, size),
    signal: options.signal,
  });
}

/**
 * Compression of a file, unless it is uploaded compressed. Throws if its content does not match its
 * name.
 */
function compressionFor(
  head: Buffer,
  path: string,
  { keepCompressed, format }: SourceOptions,
): Compression | undefined {
  if (keepCompressed) return undefined;
  const packing = detectCompression(head);
  const named = compressionByExtension(path);
  if (packing || !named || format === 'raw') return packing;
  throw new UsageError(`${path} is not compressed with ${named.name}, despite its name`, {
    code: 'wrong_format',
    hint: 'check its contents; --format raw uploads it unchanged',
  });
}

function requireUsable(
  head: Buffer,
  path: string,
  { format, keepCompressed }: SourceOptions,
): void {
  if (head.length === 0) throw new UsageError(`${path} is empty`, { code: 'empty_file' });
  if (format === 'raw' || keepCompressed) return;
  const name = detectCompression(head) ? path : path.replace(/\.(gz|xz|zst)$/i, '');
  requireKnown(head, detectImageFormat(head, 0), name);
}

async function measure(
  bytes: ByteStream,
  signal: AbortSignal,
): Promise<{ readonly head: Buffer; readonly size: number }> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of bytes) {
    signal.throwIfAborted();
    if (size < HEAD_LENGTH) parts.push(Buffer.from(chunk.subarray(0, HEAD_LENGTH)));
    size += chunk.length;
  }
  return { head: Buffer.concat(parts).subarray(0, HEAD_LENGTH), size };
}
