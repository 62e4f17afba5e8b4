/** Syntax check of request bodies that are sent unchanged. */
import { bodyText, WireError } from './body.ts';
import { parseJsonDocument } from './json-parser.ts';
import { XmlCursor } from './xml-cursor.ts';

/**
 * The first mistake that keeps a body from being a JSON or XML document, by its content type; its message
 * begins with `LINE:COLUMN: `. Undefined for a well-formed body, and for every other content type.
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
