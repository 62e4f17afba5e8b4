/** Range and Content-Range headers of requests. */
import { HttpError, outOfBounds } from './errors.ts';

/** Bytes from `start` up to but not including `end`. */
export interface ByteRange {
  start: number;
  end: number;
}

/**
 * The range of a GET of an image of `size` bytes, `undefined` when it asks for all of it.
 * Throws 416 for anything but one range that lies in the image: a range is never clipped, as a
 * client that gets fewer bytes than it asked for has misjudged the image.
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

/** Where the body of a PUT belongs; `end` is missing when only the body's length tells. */
export interface BodyRange {
  start: number;
  end?: number;
}

/** Reads the Content-Range of a PUT; without one the body starts at 0. Throws 400. */
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

/** Beyond exact integers everything is past the end of any image. */
function toOffset(digits = ''): number {
  const value = Number(digits);
  return Number.isSafeInteger(value) ? value : Number.POSITIVE_INFINITY;
}
