/** Streaming decompression of gzip, xz and zstd images, detected by content. */

import { type Duplex, pipeline, Readable } from 'node:stream';
import * as zlib from 'node:zlib';
import { getErrorMessage } from '../caught-errors.ts';
import { VmctlError } from '../client/errors.ts';
import { optimizeWebAssembly } from '../hash/optimized-wasm.ts';
import { type ReadAt, xzSize } from './xz-index.ts';

/** Sequential bytes. */
export type ByteStream = AsyncIterable<Uint8Array>;

export interface Compression {
  readonly name: string;
  readonly extension: string;
  readonly magic: Buffer;
  readonly decompress: (compressed: ByteStream) => ByteStream;
  /** Uncompressed size, if the end of the file contains it. */
  readonly size?: (read: ReadAt, fileSize: number) => Promise<number | undefined>;
}

const compressions: readonly Compression[] = [
  {
    name: 'gzip',
    extension: '.gz',
    magic: Buffer.from('1f8b08', 'hex'),
    decompress: (compressed) => through(compressed, zlib.createGunzip({ chunkSize: 2 ** 18 })),
  },
  {
    name: 'xz',
    extension: '.xz',
    magic: Buffer.from('fd377a585a00', 'hex'),
    decompress: unxz,
    size: xzSize,
  },
  { name: 'zstd', extension: '.zst', magic: Buffer.from('28b52ffd', 'hex'), decompress: unzstd },
];

/** Compression of a file that begins with these bytes. `undefined` if it is not compressed. */
export function detectCompression(head: Buffer): Compression | undefined {
  return compressions.find(({ magic }) => head.subarray(0, magic.length).equals(magic));
}

/** Compression by the extension of a file name. */
export function compressionByExtension(path: string): Compression | undefined {
  return compressions.find(({ extension }) => path.toLowerCase().endsWith(extension));
}

/** Decompresses a stream. Throws if the data are truncated or damaged. */
export async function* decompressed(
  path: string,
  packing: Compression,
  compressed: ByteStream,
): AsyncGenerator<Uint8Array> {
  let failure: unknown;
  const watched = async function* () {
    try {
      yield* compressed;
    } catch (error) {
      failure = error;
      throw error;
    }
  };
  try {
    yield* packing.decompress(watched());
  } catch (error) {
    // Distinguish read errors from damaged data.
    if (failure !== undefined) throw failure;
    throw new VmctlError(
      `cannot decompress ${path}: ${packing.name} data is truncated or damaged (${getErrorMessage(error)})`,
      { code: 'damaged_file', hint: 'download or compress it again', cause: error },
    );
  }
}

async function* unxz(compressed: ByteStream): AsyncGenerator<Uint8Array> {
  optimizeWebAssembly();
  const { default: xz } = await import('xz-decompress');
  const input = Readable.toWeb(Readable.from(compressed, { objectMode: false }));
  const reader = new xz.XzReadableStream(input).getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** Newer releases of Node support zstd, and verify its checksums. */
async function* unzstd(compressed: ByteStream): AsyncGenerator<Uint8Array> {
  // The types of Node.js do not declare it yet.
  const { createZstdDecompress } = zlib as { createZstdDecompress?: () => Duplex };
  if (createZstdDecompress) {
    yield* through(compressed, createZstdDecompress());
    return;
  }
  const { Decompress } = await import('fzstd');
  let ready: Uint8Array[] = [];
  const decoder = new Decompress((chunk) => ready.push(chunk));
  for await (const chunk of compressed) {
    decoder.push(chunk);
    yield* ready;
    ready = [];
  }
  decoder.push(new Uint8Array(), true);
  yield* ready;
}

/** Output of a Node decoder. The reader receives the errors of both sides. */
function through(compressed: ByteStream, decoder: Duplex): ByteStream {
  return pipeline(Readable.from(compressed, { objectMode: false }), decoder, () => undefined);
}
