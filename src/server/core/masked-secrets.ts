/** Masks for stored secrets, which no response contains. */

import { secretAttributes, secretContexts } from '../../model/derive/secrets.ts';
import { isRecord } from '../../records.ts';
import type { StoredObject } from '../store/kinds.ts';

/** Text that responses contain instead of a secret, identical to the engine. */
export const secretMask = '******';

const secretNames: ReadonlySet<string> = new Set(secretAttributes);
const secretContextNames: ReadonlySet<string> = new Set(secretContexts);

/** Whether a member is a secret. `place` is the name of the enclosing member or type. */
function isSecret(name: string, place: string): boolean {
  return secretNames.has(name) || (name === 'value' && secretContextNames.has(place));
}

/** The value of a secret attribute in responses: masked if it is set. */
export function maskSecretValue(value: unknown): unknown {
  return value === undefined || value === null || value === '' ? value : secretMask;
}

/**
 * A copy in which every secret attribute is masked, at any depth. `place` is its type, if known.
 */
export function maskSecrets(object: StoredObject, place = ''): StoredObject {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [
      name,
      isSecret(name, place) && !isRecord(value) ? maskSecretValue(value) : maskedPart(value, name),
    ]),
  );
}

function maskedPart(value: unknown, place: string): unknown {
  if (Array.isArray(value)) return value.map((one) => maskedPart(one, place));
  return isRecord(value) ? maskSecrets(value, place) : value;
}

/** A copy without the secret attributes, at any depth. */
export function omitSecrets(object: StoredObject, place = ''): StoredObject {
  return Object.fromEntries(
    Object.entries(object)
      .filter(([name]) => !isSecret(name, place))
      .map(([name, value]) => [name, withoutSecretsInside(value, name)]),
  );
}

function withoutSecretsInside(value: unknown, place: string): unknown {
  if (Array.isArray(value)) return value.map((one) => withoutSecretsInside(one, place));
  return isRecord(value) ? omitSecrets(value, place) : value;
}

/**
 * A copy without the masks that a client sends back: a mask is never stored. An object that
 * contained only masks is omitted too, because an empty object removes the stored one.
 */
export function omitMasks(object: StoredObject, place = ''): StoredObject {
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
  return isRecord(value) ? omitMasks(value, place) : value;
}

function isEmpty(value: unknown): boolean {
  return isRecord(value) && Object.keys(value).length === 0;
}
