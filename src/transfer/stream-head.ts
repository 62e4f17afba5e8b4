/** First bytes of a stream, without consuming them. */

import { HEAD_LENGTH } from '../formats/image-head.ts';
import type { ByteStream } from './compression.ts';

/** Reads the first bytes. The returned stream begins with them too. */
export async function readHead(
  bytes: ByteStream,
): Promise<{ readonly head: Buffer; readonly bytes: ByteStream }> {
  const iterator = bytes[Symbol.asyncIterator]();
  const read: Uint8Array[] = [];
  for (let length = 0; length < HEAD_LENGTH; ) {
    const next = await iterator.next();
    if (next.done) break;
    read.push(next.value);
    length += next.value.length;
  }
  const all = async function* () {
    yield* read;
    yield* { [Symbol.asyncIterator]: () => iterator };
  };
  return { head: Buffer.concat(read).subarray(0, HEAD_LENGTH), bytes: all() };
}
