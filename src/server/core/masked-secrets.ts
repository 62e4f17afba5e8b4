/** Masks in place of stored secrets, which no answer contains. */
import { secretAttributes, secretContexts } from '../../model/derive/secrets.ts';
import { isRecord, type StoredObject } from '../store/kinds.ts';

/** Text that answers contain instead of a secret, as the engine writes it. */
export const secretMask = '******';

const secretNames: ReadonlySet<string> = new Set(secretAttributes);
const placesOfSecrets: ReadonlySet<string> = new Set(secretContexts);

/** Whether a member is a secret; `place` is the name of the member or type around it. */
function isSecret(name: string, place: string): boolean {
  return secretNames.has(name) || (name === 'value' && placesOfSecrets.has(place));
}

/** The value of a secret attribute as answers show it: whether there is one, not what it is. */
export function maskedValue(value: unknown): unknown {
  return value === undefined || value === null || value === '' ? value : secretMask;
}

/** A copy in which every secret attribute is masked, at any depth; `place` is its type, where known. */
export function withMaskedSecrets(object: StoredObject, place = ''): StoredObject {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [
      name,
      isSecret(name, place) && !isRecord(value) ? maskedValue(value) : maskedPart(value, name),
    ]),
  );
}

function maskedPart(value: unknown, place: string): unknown {
  if (Array.isArray(value)) return value.map((one) => maskedPart(one, place));
  return isRecord(value) ? withMaskedSecrets(value, place) : value;
}

/** A copy without the secret attributes, at any depth. */
export function withoutSecrets(object: StoredObject, place = ''): StoredObject {
  return Object.fromEntries(
    Object.entries(object)
      .filter(([name]) => !isSecret(name, place))
      .map(([name, value]) => [name, withoutSecretsInside(value, name)]),
  );
}

function withoutSecretsInside(value: unknown, place: string): unknown {
  if (Array.isArray(value)) return value.map((one) => withoutSecretsInside(one, place));
  return isRecord(value) ? withoutSecrets(value, place) : value;
}

/**
 * A copy without the masks that a client sends back: a mask is never stored. An object that held
 * nothing but masks is left out as well, because an empty object removes the stored one.
 */
export function withoutMasks(object: StoredObject, place = ''): StoredObject {
  const kept: StoredObject = {};
  for (const [name, value] of Object.entries(object)) {
    if (value === secretMask && isSecret(name, place)) continue;
    const part = withoutMasksInside(value, name);
    if (isEmpty(part) && !isEmpty(value)) continue;
    kept[name] = part;
  }
  return kept;
}

function withoutMasksInside(value: unknown, place: string): unknown {
  if (Array.isArray(value)) return value.map((one) => withoutMasksInside(one, place));
  return isRecord(value) ? withoutMasks(value, place) : value;
}

function isEmpty(value: unknown): boolean {
  return isRecord(value) && Object.keys(value).length === 0;
}
