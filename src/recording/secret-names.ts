/** Names of members, headers and parameters whose values are secrets. */
import {
  confidentialAttributes,
  confidentialContexts,
  secretContexts as maskedPlaces,
  secretAttributes,
} from '../model/derive/secrets.ts';

/** Replacement of secrets. */
export const hidden = '(hidden)';

/** Secret names outside of the model: sign-in, image daemons, OVF, and older services. */
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

/** Secret names with any prefix, as a regular expression source. */
export const secretNames = `(?:\\w+_)?(?:${words})`;

/** Parents whose member `value` is a secret, for example the password of a console. */
export const secretParents = `(?:\\w+_)?(?:${alternatives([...maskedPlaces, ...confidentialContexts])})s?`;

const name = new RegExp(`^${secretNames}$`, 'i');
const place = new RegExp(`^${secretParents}$`, 'i');
const header = /^(authorization|proxy-authorization|cookie|set-cookie|jsessionid)$/i;

export function isSecretName(text: string): boolean {
  // OVF uses camel case, for example rootPassword.
  return name.test(text) || name.test(text.replace(/([a-z])([A-Z])/g, '$1_$2'));
}

export function isSecretParent(text: string): boolean {
  return place.test(text);
}

export function isSecretHeader(text: string): boolean {
  return header.test(text);
}

function alternatives(names: readonly string[]): string {
  return [...new Set(names)].join('|');
}
