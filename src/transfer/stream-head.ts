/** A look at the beginning of a stream. */
import type { Bytes } from './compression.ts';
import { HEAD } from './image-format.ts';

/** Reads the first bytes; they are among those that are handed out as well. */
export async function peeked(
  bytes: Bytes,
): Promise<{ readonly head: Buffer; readonly bytes: Bytes }> {
  const iterator = bytes[Symbol.asyncIterator]();
  const read: Uint8Array[] = [];
  for (let length = 0; length < HEAD; ) {
    const next = await iterator.next();
    if (next.done) break;
    read.push(next.value);
    length += next.value.length;
  }
  const all = async function* () {
    yield* read;
    yield* { [Symbol.asyncIterator]: () => iterator };
  };
  return { head: Buffer.concat(read).subarray(0, HEAD), bytes: all() };
}
