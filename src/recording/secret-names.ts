/** Names of members, headers and parameters whose values are secrets. */
import {
  confidentialAttributes,
  confidentialContexts,
  secretContexts as maskedPlaces,
  secretAttributes,
} from '../model/derive/secrets.ts';

/** Stands where a secret was. */
export const hidden = '(hidden)';

/** Secrets that the model has no attributes for: of sign-ins, image daemons, OVF, and older services. */
const others = [
  'password',
  'passphrase',
  'secret',
  'token',
  'private_key',
  'license_key',
  'win_key',
  'signed_ticket',
  'connection_file',
] as const;

const words = alternatives([...others, ...secretAttributes, ...confidentialAttributes]);

/** Names of secrets with any word in front, as the source of a regular expression. */
export const secretNames = `(?:\\w+_)?(?:${words})`;

/** Members whose `value` is a secret because of where it is: the password of a console. */
export const secretPlaces = `(?:\\w+_)?(?:${alternatives([...maskedPlaces, ...confidentialContexts])})s?`;

const name = new RegExp(`^${secretNames}$`, 'i');
const place = new RegExp(`^${secretPlaces}$`, 'i');
const header = /^(authorization|proxy-authorization|cookie|set-cookie|jsessionid)$/i;

export function isSecretName(text: string): boolean {
  // OVF has names such as rootPassword and customScript.
  return name.test(text) || name.test(text.replace(/([a-z])([A-Z])/g, '$1_$2'));
}

export function isSecretPlace(text: string): boolean {
  return place.test(text);
}

export function isSecretHeader(text: string): boolean {
  return header.test(text);
}

function alternatives(names: readonly string[]): string {
  return [...new Set(names)].join('|');
}
