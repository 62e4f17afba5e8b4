/** Bodies: media types, decoding of text, and the error for a body that cannot be read. */
import { Buffer, isUtf8 } from 'node:buffer';
import type { Step } from '../source-place.ts';

/**
 * `syntax`: the body is no well-formed document, or not of the expected shape; `value`: a member
 * holds something that its kind does not allow; `number`: it holds text that is no number or date;
 * `unknown`: it has a member that its type does not have; `limit`: the body is deeper or wider than accepted.
 */
export type WireErrorKind = 'syntax' | 'unknown' | 'value' | 'number' | 'limit';

/** A body that cannot be read. The message is fit for people and contains `where`. */
export class WireError extends Error {
  readonly kind: WireErrorKind;
  /**
   * `line:column` (from 1) in the text where it is not well formed; where it is, the dotted path
   * of the member that is wrong, such as `vm.cpu.name`.
   */
  readonly where: string;
  /** The message without `where`. */
  readonly problem: string;
  /** Of a member that is wrong: its path in a JSON document. */
  readonly steps?: readonly Step[] | undefined;
  /** Of a member that is wrong: `line:column` in an XML document. */
  readonly position?: string | undefined;

  constructor(kind: WireErrorKind, where: string, problem: string, source: WireErrorSource = {}) {
    const place = shortened(where, 200);
    super(`${place}: ${shortened(problem, 8000)}`);
    this.name = 'WireError';
    this.kind = kind;
    this.where = place;
    this.problem = shortened(problem, 8000);
    this.steps = source.steps;
    this.position = source.position;
  }
}

/** Where the document of a user has the member that is wrong. */
export type WireErrorSource = Pick<WireError, 'steps' | 'position'>;

/** Names in a body may be as long as the body; messages are not. */
function shortened(text: string, length: number): string {
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
 * How a reader treats what it does not know: servers refuse it, clients skip it. `skip-elements`: elements and
 * text of an XML document that have no place are skipped, and values are checked all the same.
 */
export interface DecodeOptions {
  readonly unknown?: 'refuse' | 'skip' | 'skip-elements';
  /** Lists in JSON may be arrays without the member that names the items. */
  readonly bareLists?: boolean;
}

/**
 * The text of a body, without a byte order mark. Throws a `syntax` error when the bytes are not
 * UTF-8 or the string holds half a surrogate pair.
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

/** Whether every surrogate of the string has its partner. */
function isWellFormed(text: string): boolean {
  return !loneSurrogate.test(text);
}
