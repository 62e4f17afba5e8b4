/** Names of attributes and parameters with secret values. */
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

/** Names masked in responses. The context determines whether `value` is secret (`secretParents`). */
export const secretAttributes = collectNames(({ secret }) => secret === true);

/** Names that responses contain, but recordings, histories and the journal mask. */
export const confidentialAttributes = collectNames(({ confidential }) => confidential === true);

/** Types and members in which responses mask `value`. */
export const secretContexts = collectContexts(({ secret }) => secret === true);

/** Types and members in which `value` is confidential: console tickets. */
export const confidentialContexts = collectContexts(({ confidential }) => confidential === true);

function collectNames(isSecret: (one: Declared) => boolean): readonly string[] {
  const names = declared.filter(([name, one]) => name !== 'value' && isSecret(one));
  return [...new Set(names.map(([name]) => name))];
}

function collectContexts(isSecret: (one: Declared) => boolean): readonly string[] {
  const owners = Object.entries(types)
    .filter(([, { attributes }]) => attributes['value'] && isSecret(attributes['value']))
    .map(([name]) => name);
  const members = declared.filter(([, { kind }]) => owners.includes(kind.split(' ').at(-1) ?? ''));
  return [...new Set([...owners, ...members.map(([name]) => name)])];
}
