/** Values of objects as the history has them: those that a request is about, without secrets. */

import { hidden, masked } from '../../cli/session/mask-secrets.ts';
import { isType, listAttributes, parseKind } from '../../model/index.ts';
import type { Attribute } from '../../model/notation/attributes.ts';
import type { Values } from './history-file.ts';

/** Members that say where an object is and what can be done to it. */
const placeMembers: ReadonlySet<string> = new Set(['href', 'link', 'actions']);

/** A value without the secrets that the model declares in it, and those that are known by their names. */
export function withoutSecrets(type: string, value: Values): Values {
  return masked(declaredSecrets(type, value)) as Values;
}

function declaredSecrets(type: string, value: Values): Values {
  const attributes = attributesOfType(type);
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      if (placeMembers.has(name)) return [];
      const attribute = attributes[name];
      if (attribute?.secret) return [[name, hidden]];
      const { of = '' } = attribute ? parseKind(attribute.kind) : {};
      return [[name, declaredIn(of, member)]];
    }),
  );
}

function declaredIn(type: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => declaredIn(type, one));
  return isValues(value) ? declaredSecrets(type, value) : value;
}

/**
 * The values that an object has where a body says something, null where it has none. Parts of parts are
 * told apart, lists and references are values. What follows from something in the body comes along.
 */
export function valuesAt(type: string, body: Values, object: Values): Values {
  const attributes = attributesOfType(type);
  const followers = Object.entries(attributes).flatMap(([name, { sentWith }]) =>
    sentWith !== undefined && body[sentWith] !== undefined && body[name] === undefined
      ? [[name, object[name] ?? null] as const]
      : [],
  );
  return Object.fromEntries([
    ...Object.entries(body).map(
      ([name, said]) => [name, valueAt(attributes[name], said, object[name])] as const,
    ),
    ...followers,
  ]);
}

function valueAt(attribute: Attribute | undefined, said: unknown, value: unknown): unknown {
  const { form, of, list } = attribute ? parseKind(attribute.kind) : {};
  const isPart = form === 'struct' && !list && isValues(said) && Object.keys(said).length > 0;
  if (isPart && isValues(value) && said['id'] === undefined) return valuesAt(of ?? '', said, value);
  return value ?? null;
}

function attributesOfType(type: string): Readonly<Record<string, Attribute>> {
  return isType(type) ? listAttributes(type) : {};
}

/** Whether a value has members. */
export function isValues(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
