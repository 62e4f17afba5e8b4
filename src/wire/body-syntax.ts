/** Syntax check of request bodies that are sent unchanged. */
import { bodyText, WireError } from './body.ts';
import { parseJsonDocument } from './json-parser.ts';
import { XmlCursor } from './xml-cursor.ts';

/**
 * First syntax error in a JSON or XML body, by its content type. The message begins with
 * `LINE:COLUMN: `. `undefined` for a well-formed body and for other content types.
 */
export function findSyntaxError(contentType: string, body: string): WireError | undefined {
  const [, notation] = /^\s*(?:application|text)\/(?:[\w.-]+\+)?(json|xml)\s*(?:;|$)/i.exec(
    contentType,
  ) ?? [undefined, undefined];
  if (notation === undefined) return undefined;
  try {
    const text = bodyText(body);
    if (text.trim() === '') throw new WireError('syntax', '1:1', 'the text is empty');
    if (notation.toLowerCase() === 'json') parseJsonDocument(text);
    else checkXml(text);
    return undefined;
  } catch (error) {
    if (error instanceof WireError) return error;
    throw error;
  }
}

function checkXml(text: string): void {
  const cursor = new XmlCursor(text, 'skip');
  cursor.root();
  cursor.skip();
  cursor.end();
}
