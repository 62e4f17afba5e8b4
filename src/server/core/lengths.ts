/** Length limits of texts in requests, as the attributes of the model declare them. */

import { listAttributes, parseKind } from '../../model/index.ts';
import type { Attribute } from '../../model/notation/attributes.ts';
import type { TypeName } from '../../model/resources/index.ts';
import { isRecord } from '../../records.ts';
import type { StoredObject } from '../store/kinds.ts';
import { getTypeLabel, refused } from './fault.ts';

/** Refuses texts that are too short or too long with 400, also in nested objects and lists of them. */
export function checkLengths(type: TypeName, sent: StoredObject, action: 'add' | 'edit'): void {
  check(getTypeLabel(type), type, sent, action, '');
}

function check(label: string, of: string, part: StoredObject, action: string, path: string): void {
  const attributes: Readonly<Record<string, Attribute>> = listAttributes(of);
  for (const [name, value] of Object.entries(part)) {
    const { kind = 'string', length } = attributes[name] ?? {};
    const words = { action, type: label, attribute: `${path}${name}` };
    if (length && typeof value === 'string') {
      const [min, max] = length;
      const characters = [...value].length;
      if (characters < min || characters > max) {
        throw refused('TEXT_LENGTH', { ...words, length: characters, min, max });
      }
    }
    const { form, of: inner } = parseKind(kind);
    if (form !== 'struct') continue;
    for (const one of Array.isArray(value) ? value : [value]) {
      if (isRecord(one)) check(label, inner, one, action, `${path}${name}.`);
    }
  }
}
