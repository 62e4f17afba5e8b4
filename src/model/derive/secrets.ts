/** Names of the attributes and parameters whose values are secrets. */
import { actionParameters, type Parameter } from '../notation/parameters.ts';
import { types } from './types.ts';

interface Declared {
  readonly kind: string;
  readonly secret?: true;
  readonly confidential?: true;
}

const parameters: readonly [string, Parameter][] = Object.entries(actionParameters);

const declared: readonly (readonly [string, Declared])[] = [
  ...Object.values(types).flatMap(({ attributes }) => Object.entries(attributes)),
  ...parameters,
];

/** Those that answers mask; of `value` the place decides (`secretPlaces`). */
export const secretAttributes = namesOf(({ secret }) => secret === true);

/** Those that answers contain, and nothing else that is written down. */
export const confidentialAttributes = namesOf(({ confidential }) => confidential === true);

/** Names of types and members in which `value` is a secret that answers mask. */
export const secretPlaces = placesOf(({ secret }) => secret === true);

/** Names of types and members in which `value` is confidential: the tickets of consoles. */
export const confidentialPlaces = placesOf(({ confidential }) => confidential === true);

function namesOf(isSecret: (one: Declared) => boolean): readonly string[] {
  const names = declared.filter(([name, one]) => name !== 'value' && isSecret(one));
  return [...new Set(names.map(([name]) => name))];
}

function placesOf(isSecret: (one: Declared) => boolean): readonly string[] {
  const owners = Object.entries(types)
    .filter(([, { attributes }]) => attributes['value'] && isSecret(attributes['value']))
    .map(([name]) => name);
  const members = declared.filter(([, { kind }]) => owners.includes(kind.split(' ').at(-1) ?? ''));
  return [...new Set([...owners, ...members.map(([name]) => name)])];
}
