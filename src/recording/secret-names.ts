/** Names of members, headers and parameters whose values are secrets. */
import { types } from '../model/derive/types.ts';
import { attributesOf } from '../model/index.ts';

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

/** Attributes that the model calls secret; `value` is one because of where it stands. */
const declared = Object.keys(types)
  .flatMap((type) => Object.entries(attributesOf(type)))
  .filter(([name, { secret }]) => secret === true && name !== 'value')
  .map(([name]) => name);

const words = [...new Set([...generic, ...declared])].join('|');

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
