/** Which parts of some bytes are zeros, as far as it is worth knowing. */
import type { Extent } from './blocks.ts';

/** Zeros shorter than this, or across such a limit, count as data. */
const GRAIN = 2 ** 16;

const zeros = Buffer.alloc(GRAIN);

/** The bytes as runs that hold data or zeros, ascending; each touches the next. */
export function* zeroRuns(bytes: Buffer): Generator<Extent> {
  const isZero = (at: number) => {
    const end = Math.min(at + GRAIN, bytes.length);
    return bytes.compare(zeros, 0, end - at, at, end) === 0;
  };
  for (let at = 0; at < bytes.length; ) {
    const start = at;
    const zero = isZero(at);
    while (at < bytes.length && isZero(at) === zero) at += GRAIN;
    yield { start, end: Math.min(at, bytes.length), zero };
  }
}
