/** Masks in place of stored secrets, which no answer contains. */
import { secretAttributes } from '../../model/derive/secrets.ts';
import { isRecord, type StoredObject } from '../store/kinds.ts';

/** Text that answers contain instead of a secret, as the engine writes it. */
export const secretMask = '******';

const secretNames: ReadonlySet<string> = new Set(secretAttributes);

/** The value of a secret attribute as answers show it: whether there is one, not what it is. */
export function maskedValue(value: unknown): unknown {
  return value === undefined || value === null || value === '' ? value : secretMask;
}

/** A copy in which every secret attribute is masked, at any depth. */
export function withMaskedSecrets(object: StoredObject): StoredObject {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [
      name,
      secretNames.has(name) && !isRecord(value) ? maskedValue(value) : maskedPart(value),
    ]),
  );
}

function maskedPart(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(maskedPart);
  return isRecord(value) ? withMaskedSecrets(value) : value;
}

/**
 * A copy without the masks that a client sends back: a mask is never stored. An object that held
 * nothing but masks is left out as well, because an empty object removes the stored one.
 */
export function withoutMasks(object: StoredObject): StoredObject {
  const kept: StoredObject = {};
  for (const [name, value] of Object.entries(object)) {
    if (value === secretMask && secretNames.has(name)) continue;
    const part = withoutMasksInside(value);
    if (isEmpty(part) && !isEmpty(value)) continue;
    kept[name] = part;
  }
  return kept;
}

function withoutMasksInside(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutMasksInside);
  return isRecord(value) ? withoutMasks(value) : value;
}

function isEmpty(value: unknown): boolean {
  return isRecord(value) && Object.keys(value).length === 0;
}
