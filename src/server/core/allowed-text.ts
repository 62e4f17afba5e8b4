/** XML 1.0 character checks for request texts in any format. */
import { forbiddenCharacter } from '../../allowed-characters.ts';
import { Refusal } from './fault.ts';

/**
 * Refuses with 400 a text with a character that XML or the store cannot represent. `place` is the
 * name of the member in the message.
 */
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

/** Refuses with 400 a document if one of its names or texts contains such a character. */
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
