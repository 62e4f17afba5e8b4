/** Where a remote image has data, read from the daemon's list of extents as it arrives. */
import { ServerError } from '../client/errors.ts';
import type { Range } from './blocks.ts';

export interface Layout {
  /** Bytes of the image. */
  readonly size: number;
  /** Runs with data, ascending; everything else reads as zeros. */
  readonly data: readonly Range[];
}

/** Zeros shorter than this are fetched with the data around them. */
const SHORT_GAP = 128 * 2 ** 10;

/**
 * Reads a JSON list of `{start, length, zero}`. It may be longer than memory allows, as a
 * fragmented image has millions of extents, so it is taken apart object by object.
 * Throws when it does not cover an image from its start to its end.
 */
export async function readLayout(body: AsyncIterable<Uint8Array>): Promise<Layout> {
  const decoder = new TextDecoder();
  const data: { start: number; end: number }[] = [];
  let size = 0;
  let rest = '';
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true });
    let used = 0;
    for (let at = rest.indexOf('}'); at >= 0; at = rest.indexOf('}', used)) {
      const from = rest.indexOf('{', used);
      const { start, length, zero } = extentOf(rest.slice(from, at + 1));
      used = at + 1;
      if (start !== size) throw unusable(`an extent begins at ${start} instead of ${size}`);
      size = start + length;
      if (zero || length === 0) continue;
      const last = data.at(-1);
      if (last && start - last.end < SHORT_GAP) last.end = size;
      else data.push({ start, end: size });
    }
    rest = rest.slice(used);
    if (rest.length > 10_000) throw unusable('it is no list of extents');
  }
  if (!/^\s*\[?\s*\]\s*$/.test(rest)) throw unusable('it breaks off');
  return { size, data };
}

function extentOf(text: string): { start: number; length: number; zero: boolean } {
  let value: Readonly<Record<string, unknown>>;
  try {
    value = JSON.parse(text) as Readonly<Record<string, unknown>>;
  } catch {
    throw unusable('it is no JSON');
  }
  const { start, length, zero } = value;
  if (!isCount(start) || !isCount(length)) throw unusable('an extent has no numbers');
  return { start, length, zero: zero === true };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function unusable(why: string): ServerError {
  return new ServerError(`the list of extents from the image daemon cannot be used: ${why}`, {
    code: 'bad_answer',
  });
}
