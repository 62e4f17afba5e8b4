/** The two representations, and the way from bytes to text. */
import { Buffer, isUtf8 } from 'node:buffer';
import { WireError } from './error.ts';

export type MediaType = 'application/xml' | 'application/json';

/** How a reader treats what it does not know: servers refuse it, clients skip it. */
export interface DecodeOptions {
  readonly unknown?: 'refuse' | 'skip';
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
      throw new WireError('syntax', '1:1', 'the body is not valid UTF-8, the only encoding taken');
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
