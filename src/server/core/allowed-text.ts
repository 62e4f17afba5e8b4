/** Characters that texts of clients may contain: those of XML 1.0, in every notation. */
import { forbiddenCharacter } from '../../allowed-characters.ts';
import { Refusal } from './fault.ts';

/** Refuses with 400 a text that XML or a store cannot hold; `place` says where it is. */
export function requireAllowedText(text: string, place: string): void {
  const found = forbiddenCharacter(text)?.codePointAt(0);
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
