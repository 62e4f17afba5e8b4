/** Values of objects for the history: those that a request concerns, without secrets. */

import { hidden, maskValue } from '../../cli/session/mask-secrets.ts';
import { isType, listAttributes, parseKind } from '../../model/index.ts';
import type { Attribute } from '../../model/notation/attributes.ts';
import { isRecord } from '../../records.ts';
import type { Values } from './history-file.ts';

/** Members with links, which are not values. */
const linkMembers: ReadonlySet<string> = new Set(['href', 'link', 'actions']);

/**
 * Value with its secrets masked: attributes that the model declares as secret, and members with
 * secret names.
 */
export function maskSecrets(type: string, value: Values): Values {
  // Masking an object returns an object with the same members.
  return maskValue(maskDeclared(type, value)) as Values;
}

function maskDeclared(type: string, value: Values): Values {
  const attributes = listTypeAttributes(type);
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      if (linkMembers.has(name)) return [];
      const attribute = attributes[name];
      if (attribute?.secret) return [[name, hidden]];
      const { of = '' } = attribute ? parseKind(attribute.kind) : {};
      return [[name, maskDeclaredIn(of, member)]];
    }),
  );
}

function maskDeclaredIn(type: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => maskDeclaredIn(type, one));
  return isRecord(value) ? maskDeclared(type, value) : value;
}

/**
 * Values of an object for the attributes in a body, null for an attribute without a value. Compares
 * structures member by member, and lists and references as a whole. Includes attributes that the
 * model sends together with those of the body (`sentWith`).
 */
export function selectValues(type: string, body: Values, object: Values): Values {
  const attributes = listTypeAttributes(type);
  const followers = Object.entries(attributes).flatMap(([name, { sentWith }]) =>
    sentWith !== undefined && body[sentWith] !== undefined && body[name] === undefined
      ? [[name, object[name] ?? null] as const]
      : [],
  );
  return Object.fromEntries([
    ...Object.entries(body).map(
      ([name, said]) => [name, selectValue(attributes[name], said, object[name])] as const,
    ),
    ...followers,
  ]);
}

function selectValue(attribute: Attribute | undefined, said: unknown, value: unknown): unknown {
  const { form, of, list } = attribute ? parseKind(attribute.kind) : {};
  const isPart = form === 'struct' && !list && isRecord(said) && Object.keys(said).length > 0;
  if (isPart && isRecord(value) && said['id'] === undefined)
    return selectValues(of ?? '', said, value);
  return value ?? null;
}

function listTypeAttributes(type: string): Readonly<Record<string, Attribute>> {
  return isType(type) ? listAttributes(type) : {};
}
