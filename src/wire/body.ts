/** Media types, decoding of body text, and the error for invalid bodies. */
import { Buffer, isUtf8 } from 'node:buffer';
import type { Step } from '../source-place.ts';

/**
 * Reasons to refuse a body. `syntax`: not well formed, or not of the expected shape. `value`: not a
 * valid value of the member. `number`: not a number or date. `unknown`: unknown member. `limit`:
 * too deep or too large.
 */
export type WireErrorKind = 'syntax' | 'unknown' | 'value' | 'number' | 'limit';

/** Invalid body. The message is for users and contains `where`. */
export class WireError extends Error {
  readonly kind: WireErrorKind;
  /**
   * Position of the error. For a syntax error it is `line:column` (from 1), otherwise the dotted
   * path of the invalid member, such as `vm.cpu.name`.
   */
  readonly where: string;
  /** The message without `where`. */
  readonly problem: string;
  /** Path of the invalid member in a JSON document. */
  readonly steps?: readonly Step[] | undefined;
  /** `line:column` of the invalid member in an XML document. */
  readonly position?: string | undefined;

  constructor(kind: WireErrorKind, where: string, problem: string, source: WireErrorSource = {}) {
    const place = shorten(where, 200);
    super(`${place}: ${shorten(problem, 8000)}`);
    this.name = 'WireError';
    this.kind = kind;
    this.where = place;
    this.problem = shorten(problem, 8000);
    this.steps = source.steps;
    this.position = source.position;
  }
}

/** Source position of the invalid member. */
export type WireErrorSource = Pick<WireError, 'steps' | 'position'>;

/** Limit the length of names in messages. In a body they can be as long as the body. */
function shorten(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 3)}...` : text;
}

/** `line:column`, both from 1, of an offset in a text. */
export function position(text: string, offset: number): string {
  let line = 1;
  let lineStart = 0;
  for (;;) {
    const end = text.indexOf('\n', lineStart);
    if (end < 0 || end >= offset) return `${line}:${offset - lineStart + 1}`;
    line++;
    lineStart = end + 1;
  }
}

export type MediaType = 'application/xml' | 'application/json';

/**
 * Handling of unknown members: servers refuse them, clients skip them. `skip-elements`: skips
 * unknown XML elements and text, but validates values.
 */
export interface DecodeOptions {
  readonly unknown?: 'refuse' | 'skip' | 'skip-elements';
  /** Accepts JSON arrays without the member that names the items. */
  readonly bareLists?: boolean;
}

/**
 * Text of a body without a byte order mark. Throws a `syntax` error for invalid UTF-8 and for
 * unpaired surrogates.
 */
export function bodyText(body: string | Uint8Array): string {
  let text: string;
  if (typeof body === 'string') {
    if (!isWellFormed(body)) {
      throw new WireError('syntax', '1:1', 'the text is not valid Unicode: half a surrogate pair');
    }
    text = body;
  } else {
    if (!isUtf8(body)) {
      throw new WireError(
        'syntax',
        '1:1',
        'the body is not valid UTF-8, the only supported encoding',
      );
    }
    text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
  }
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

const loneSurrogate = /\p{Surrogate}/u;

/** Whether a string has no unpaired surrogates. */
function isWellFormed(text: string): boolean {
  return !loneSurrogate.test(text);
}
