/** Names of members, headers and parameters whose values are secrets. */
import { secretAttributes } from '../model/derive/secrets.ts';

/** Stands where a secret was. */
export const hidden = '(hidden)';

/** Secrets by their name alone, as the services and their clients call them; with any word in front. */
const generic = [
  'password',
  'passphrase',
  'secret',
  'token',
  'private_key',
  'license_key',
  'signed_ticket',
  'transfer_url',
  'proxy_url',
  'connection_file',
  // People write passwords into it: it is what a machine does when it starts first.
  'custom_script',
] as const;

const words = [...new Set([...generic, ...secretAttributes])].join('|');

/** Names of secrets, as the source of a regular expression. */
export const secretNames = `(?:\\w+_)?(?:${words})`;

/** Members whose `value` is a secret because of where it is: the password of a console. */
export const secretPlaces = '(?:\\w+_)?(?:ticket|authentication_key)s?';

const name = new RegExp(`^${secretNames}$`, 'i');
const place = new RegExp(`^${secretPlaces}$`, 'i');
const header = /^(authorization|proxy-authorization|cookie|set-cookie|jsessionid)$/i;

export function isSecretName(text: string): boolean {
  return name.test(text);
}

export function isSecretPlace(text: string): boolean {
  return place.test(text);
}

export function isSecretHeader(text: string): boolean {
  return header.test(text);
}
