/** Bounds of texts and numbers that clients send, as the model declares them. */
import { attributesOf, parseKind } from '../../model/index.ts';
import type { Attribute } from '../../model/notation/attributes.ts';
import type { TypeName } from '../../model/resources/index.ts';
import { isRecord, type StoredObject } from '../store/kinds.ts';
import { refused, typeLabel } from './fault.ts';

/** Refuses with 400 texts that are too short or too long, and numbers out of range, also in nested objects. */
export function checkBounds(type: TypeName, sent: StoredObject, action: 'add' | 'edit'): void {
  check(typeLabel(type), type, sent, action, '');
}

function check(label: string, of: string, part: StoredObject, action: string, path: string): void {
  const attributes: Readonly<Record<string, Attribute>> = attributesOf(of);
  for (const [name, value] of Object.entries(part)) {
    const { kind = 'string', length, range } = attributes[name] ?? {};
    const words = { action, type: label, attribute: `${path}${name}` };
    if (length && typeof value === 'string') {
      const [min, max] = length;
      const characters = [...value].length;
      if (characters < min || characters > max) {
        throw refused('TEXT_LENGTH', { ...words, length: characters, min, max });
      }
    }
    if (range && typeof value === 'number') {
      const [min, max] = range;
      if (value < min || value > max) {
        throw refused('VALUE_OUT_OF_RANGE', { ...words, value, min, max });
      }
    }
    const { form, of: inner } = parseKind(kind);
    if (form === 'struct' && isRecord(value)) {
      check(label, inner, value, action, `${path}${name}.`);
    }
  }
}
