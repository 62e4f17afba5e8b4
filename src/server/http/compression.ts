/** Compression of answers with gzip, for clients that ask for it. */
import { constants, createGzip, gzipSync } from 'node:zlib';

/** The fastest level: answers are made for one client, and sent while they are made. */
const level = constants.Z_BEST_SPEED;

/** Bytes from which on it makes sense: less fits into one packet anyhow. */
export const smallestCompressed = 1_024;

/** Bytes that are compressed at once; more would keep the other clients waiting. */
const mostAtOnce = 64 * 1_024;

/** Whether a client takes gzip, and likes it at least as well as no compression. */
export function acceptsGzip(acceptEncoding: string | undefined): boolean {
  if (acceptEncoding === undefined) return false;
  const qualities = new Map<string, number>();
  for (const part of acceptEncoding.toLowerCase().split(',')) {
    const [coding = '', ...parameters] = part.split(';').map((word) => word.trim());
    const q = parameters.find((parameter) => /^q\s*=/.test(parameter));
    const quality = q === undefined ? 1 : Number(q.slice(q.indexOf('=') + 1));
    qualities.set(coding, Number.isNaN(quality) ? 0 : quality);
  }
  const gzip = qualities.get('gzip') ?? qualities.get('x-gzip') ?? qualities.get('*') ?? 0;
  return gzip > 0 && gzip >= (qualities.get('identity') ?? 0);
}

/** A body that is short enough to be compressed at once; undefined for others. */
export function compressedAtOnce(body: string | Uint8Array): Uint8Array | undefined {
  return body.length > mostAtOnce ? undefined : gzipSync(body, { level });
}

/** The pieces of a body, compressed one after the other, no faster than they are taken. */
export async function* compressedPieces(
  pieces: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const gzip = createGzip({ level, chunkSize: mostAtOnce });
  let ready: Uint8Array[] = [];
  gzip.on('data', (chunk: Uint8Array) => {
    ready.push(chunk);
  });
  const taken = () => {
    const chunks = ready;
    ready = [];
    return chunks;
  };
  try {
    for await (const piece of pieces) {
      await new Promise<void>((resolve, reject) => {
        gzip.write(piece, (error) => (error ? reject(error) : resolve()));
      });
      yield* taken();
    }
    const ended = new Promise<void>((resolve, reject) => {
      gzip.once('end', resolve).once('error', reject);
    });
    gzip.end();
    await ended;
    yield* taken();
  } finally {
    gzip.destroy();
  }
}
