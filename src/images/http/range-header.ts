/** Range and Content-Range headers of requests. */
import { HttpError, outOfBounds } from './errors.ts';

/** Bytes from `start` up to but not including `end`. */
export interface ByteRange {
  start: number;
  end: number;
}

/**
 * Range of a GET of an image of `size` bytes. `undefined` for the complete image. Throws 416 unless
 * it is one range within the image. Ranges are never clipped, because a client that requests more
 * bytes has a wrong size of the image.
 */
export function requestedRange(header: string | undefined, size: number): ByteRange | undefined {
  if (header === undefined) return undefined;
  const match = /^bytes=(\d+)-(\d*)$/.exec(header);
  if (!match) throw new HttpError(416, 'Range must be a single bytes=START-END or bytes=START-.');
  const start = toOffset(match[1]);
  const last = match[2] ? toOffset(match[2]) : size - 1;
  if (match[2] && last < start) throw new HttpError(416, 'Range ends before it starts.');
  if (start >= size || last >= size) throw outOfBounds(size, 'Range');
  return { start, end: last + 1 };
}

/** Position of the body of a PUT. `end` is absent if only the length of the body determines it. */
export interface BodyRange {
  start: number;
  end?: number;
}

/** Parses the Content-Range of a PUT (default: from 0). Throws 400. */
export function contentRange(header: string | undefined): BodyRange {
  if (header === undefined) return { start: 0 };
  const match = /^bytes (\d+)-(\d+|\*)\/(\d+|\*)$/.exec(header);
  if (!match) throw new HttpError(400, 'Content-Range must be bytes START-END/*.');
  const start = toOffset(match[1]);
  const total = match[3] === '*' ? Number.POSITIVE_INFINITY : toOffset(match[3]);
  const last = match[2] === '*' ? undefined : toOffset(match[2]);
  if (last !== undefined && last < start) {
    throw new HttpError(400, 'Content-Range ends before it starts.');
  }
  if ((last ?? start) >= total && total !== Number.POSITIVE_INFINITY) {
    throw new HttpError(400, 'Content-Range ends after its own total size.');
  }
  return last === undefined ? { start } : { start, end: last + 1 };
}

/** Unsafe integers are past the end of any image. */
function toOffset(digits = ''): number {
  const value = Number(digits);
  return Number.isSafeInteger(value) ? value : Number.POSITIVE_INFINITY;
}
