/** Parser of the extents of an image daemon, as a stream. */

import { ServerError } from '../client/errors.ts';
import type { Range } from '../extents/range-set.ts';
import { toRecord } from '../records.ts';

export interface RemoteExtents {
  /** Bytes of the image. */
  readonly size: number;
  /** Ranges with data, ascending. All other bytes are zeros. */
  readonly data: readonly Range[];
}

/** Shorter zeros are fetched with the data around them. */
const SHORT_GAP = 128 * 2 ** 10;

interface ListedExtent {
  readonly start: number;
  readonly length: number;
  readonly zero: boolean;
  readonly dirty: boolean;
}

/** Filter of extents. */
export interface ExtentFilter {
  /** Whether an extent is data. */
  readonly isData: (extent: ListedExtent) => boolean;
  /** Bytes of a gap between data that counts as data. */
  readonly shortGap: number;
}

const dataOnly: ExtentFilter = { isData: ({ zero }) => !zero, shortGap: SHORT_GAP };

/**
 * Parses a JSON list of `{start, length, zero}`, with `dirty` for changes, object by object: a
 * fragmented image has millions of extents, whose list can exceed the memory. Throws if the list
 * does not cover the complete image.
 */
export async function parseExtents(
  body: AsyncIterable<Uint8Array>,
  wanted: ExtentFilter = dataOnly,
): Promise<RemoteExtents> {
  const decoder = new TextDecoder();
  const runs: { start: number; end: number }[] = [];
  let size = 0;
  let rest = '';
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true });
    let used = 0;
    for (let at = rest.indexOf('}'); at >= 0; at = rest.indexOf('}', used)) {
      const from = rest.indexOf('{', used);
      const extent = parseExtent(rest.slice(from, at + 1));
      const { start, length } = extent;
      used = at + 1;
      if (start !== size) throw invalidExtents(`an extent begins at ${start} instead of ${size}`);
      size = start + length;
      if (length === 0 || !wanted.isData(extent)) continue;
      const last = runs.at(-1);
      if (last && (start === last.end || start - last.end < wanted.shortGap)) last.end = size;
      else runs.push({ start, end: size });
    }
    rest = rest.slice(used);
    if (rest.length > 10_000) throw invalidExtents('not a list of extents');
  }
  if (!/^\s*\[?\s*\]\s*$/.test(rest)) throw invalidExtents('it is truncated');
  return { size, data: runs };
}

function parseExtent(text: string): ListedExtent {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalidExtents('not JSON');
  }
  const { start, length, zero, dirty } = toRecord(value);
  if (!isCount(start) || !isCount(length)) throw invalidExtents('an extent has no numbers');
  return { start, length, zero: zero === true, dirty: dirty === true };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function invalidExtents(why: string): ServerError {
  return new ServerError(`cannot use the extents of the image daemon: ${why}`, {
    code: 'bad_answer',
  });
}
