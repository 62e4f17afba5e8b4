/** Characters that texts of clients may contain: those of XML 1.0, in every notation. */
import { Refusal } from './fault.ts';

/** Anything but a `Char` of XML 1.0 (section 2.2), lone surrogates included. */
const forbidden = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u;

/** Refuses with 400 a text that XML or a store cannot hold; `place` says where it is. */
export function requireAllowedText(text: string, place: string): void {
  const found = forbidden.exec(text)?.[0].codePointAt(0);
  if (found === undefined) return;
  const code = found.toString(16).toUpperCase().padStart(4, '0');
  throw new Refusal(
    400,
    'Request syntactically incorrect.',
    `${place} contains the character U+${code}, which XML 1.0 does not allow.`,
  );
}

/** Refuses with 400 a document in which a name or text contains such a character. */
export function requireAllowedDocument(value: unknown, place = 'The body'): void {
  if (typeof value === 'string') requireAllowedText(value, place);
  else if (Array.isArray(value)) for (const item of value) requireAllowedDocument(item, place);
  else if (typeof value === 'object' && value !== null) {
    for (const [name, part] of Object.entries(value)) {
      requireAllowedText(name, place);
      requireAllowedDocument(part, place === 'The body' ? name : `${place}.${name}`);
    }
  }
}
