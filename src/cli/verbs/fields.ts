/** Fields of the body of an operation, and the flags that set them. */
import { typeOptions } from '../../model/derive/commands.ts';
import { isType, listAttributes, type Operation, parseKind } from '../../model/index.ts';
import type { Attribute, Kind, SizeUnit } from '../../model/notation/attributes.ts';
import type { Shortcut } from '../../model/notation/commands.ts';
import { actionParameters, type Parameter } from '../../model/notation/parameters.ts';
import { hasIdentity } from '../../wire/index.ts';
import type { ValueKind } from '../args/values.ts';
import { findRootCollection } from './collections.ts';
import { getVerbOptions, type VerbName } from './verb-names.ts';

export interface Field {
  /** Attribute path in the body. */
  readonly path: string;
  readonly kind: Kind;
  readonly doc: string;
  /** Whether the value comes from a file, because other users can see the command line. */
  readonly secret: boolean;
  /** Unit of a size. */
  readonly unit?: SizeUnit;
}

/** Schema of a body: a type of the model, or the parameters of an action. */
export type BodySchema = { readonly type: string } | { readonly action: readonly string[] };

/** Returns the schema of the body of an operation. */
export function getBodySchema(operation: Operation): BodySchema {
  return operation.isAction || operation.name === 'remove'
    ? { action: operation.body }
    : { type: operation.type };
}

const secretWords = /(^|_)(password|passphrase|secret)$/;

/** Parameters of reference types that contain properties of the new object. */
const propertiesOnly: ReadonlySet<string> = new Set(['vm', 'disk', 'template', 'ssh', 'iscsi']);

/** Derives the fields of an operation, by flag without dashes. */
export function deriveFields(verb: VerbName, operation: Operation): ReadonlyMap<string, Field> {
  const shape = getBodySchema(operation);
  const fields = new Map<string, Field>();
  const only = getVerbOptions(verb).onlyAttributes;
  if ('type' in shape) {
    if (operation.name !== 'add' && operation.name !== 'update') return fields;
    for (const [name, attribute] of Object.entries(listAttributes(shape.type))) {
      if (!isWritable(attribute, operation.name) || (only && !only.includes(name))) continue;
      if (isFlagKind(attribute.kind) || structsByReference.has(`${shape.type}.${name}`)) {
        fields.set(toKebabCase(name), createField(name, attribute, attribute.doc ?? ''));
      }
    }
  } else {
    for (const name of shape.action) {
      const parameter = findActionParameter(name);
      if (!parameter || parameter.out === 'out' || name === 'async') continue;
      if (name === 'bricks' && getVerbOptions(verb).takesBricks) continue;
      const isProperties = propertiesOnly.has(name);
      if (isFlagKind(parameter.kind) || (!isProperties && isReference(parameter.kind))) {
        fields.set(toKebabCase(name), createField(name, parameter, parameter.doc));
      }
    }
  }
  for (const shortcut of listShortcuts(verb, operation)) {
    const value = findValueKind(shape, shortcut.path);
    if (value) fields.set(shortcut.flag, createField(shortcut.path, value, shortcut.doc));
  }
  return fields;
}

function listShortcuts(verb: VerbName, operation: Operation): readonly Shortcut[] {
  if (operation.isAction)
    return [...(getVerbOptions(verb).shortcuts ?? []), ...deriveMemberShortcuts(operation)];
  return typeOptions[operation.type]?.shortcuts ?? [];
}

/** Parameters whose members get no flags. */
const wholeObjects: ReadonlySet<string> = new Set(['vm', 'disk', 'template', 'snapshot']);

/**
 * Derives flags for plain members of structures of an action: `--iscsi-address`, `--ticket-value`.
 */
function deriveMemberShortcuts(operation: Operation): readonly Shortcut[] {
  return operation.body.flatMap((name) => {
    const parameter = findActionParameter(name);
    if (!parameter || parameter.out === 'out') return [];
    const { form, of, list } = parseKind(parameter.kind);
    if (
      form !== 'struct' ||
      list ||
      !isType(of) ||
      (isReference(parameter.kind) && !propertiesOnly.has(name))
    )
      return [];
    if (wholeObjects.has(name)) return [];
    return Object.entries(listAttributes(of))
      .filter(([, attribute]) => isFlagKind(attribute.kind))
      .filter(([leaf]) => !['comment', 'description'].includes(leaf))
      .map(([leaf, attribute]) => ({
        flag: `${toKebabCase(name)}-${toKebabCase(leaf)}`,
        path: `${name}.${leaf}`,
        doc: attribute.doc ?? '',
      }));
  });
}

/**
 * Structures that refer to an existing object, although the model does not declare them as
 * references.
 */
const structsByReference: ReadonlySet<string> = new Set(['template.vm', 'event_subscription.user']);

function createField(path: string, { kind, unit }: ValueKind, doc: string): Field {
  return { path, kind, doc, secret: secretWords.test(path), ...(unit ? { unit } : {}) };
}

export function findActionParameter(name: string): Parameter | undefined {
  const all: Readonly<Record<string, Parameter>> = actionParameters;
  return all[name];
}

/** Whether a client may send the attribute with this operation. */
export function isWritable(attribute: Attribute, operation: string): boolean {
  return operation === 'add'
    ? attribute.mut === 'C' || attribute.mut === 'CU'
    : attribute.mut === 'U' || attribute.mut === 'CU';
}

/** Whether one flag can express a kind. */
function isFlagKind(kind: Kind): boolean {
  const { form, of } = parseKind(kind);
  if (form === 'scalar' || form === 'enum') return true;
  if (of === 'gluster_brick') return form === 'struct' || form === 'links';
  if (of === 'permit') return true;
  return form === 'ref' || (form === 'links' && findRootCollection(of) !== undefined);
}

/** Whether a value of this kind is a reference to an object. */
export function isReference(kind: Kind): boolean {
  const { form, of, list } = parseKind(kind);
  return (
    form === 'ref' ||
    form === 'links' ||
    (form === 'struct' && !list && findRootCollection(of) !== undefined)
  );
}

/** Returns the kind at an attribute path; undefined for an unknown path. */
export function findKindAt(shape: BodySchema, path: string): Kind | undefined {
  return findValueKind(shape, path)?.kind;
}

/** Returns the attribute or parameter at a path; undefined for an unknown path. */
export function findValueKind(shape: BodySchema, path: string): ValueKind | undefined {
  const [first = '', ...rest] = path.split('.');
  let value: ValueKind | undefined;
  if ('type' in shape) value = findAttribute(shape.type, first);
  else value = shape.action.includes(first) ? findActionParameter(first) : undefined;
  for (const word of rest) {
    if (!value) return undefined;
    const { form, of, list } = parseKind(value.kind);
    if (form === 'scalar' || form === 'enum' || list) return undefined;
    value = findAttribute(of, word);
  }
  return value;
}

function findAttribute(type: string, name: string): ValueKind | undefined {
  if (!isType(type)) return undefined;
  // Some structures have an `id` that is no identity: the tag of a VLAN is a number.
  const own = listAttributes(type)[name];
  return own ?? (name === 'id' && hasIdentity(type) ? { kind: 'string' } : undefined);
}

/** Lists the members at a path, for suggestions. */
export function listMembers(shape: BodySchema, prefix: string): readonly string[] {
  if (prefix === '') {
    return 'type' in shape ? Object.keys(listAttributes(shape.type)) : shape.action;
  }
  const kind = findKindAt(shape, prefix);
  if (!kind) return [];
  const { of } = parseKind(kind);
  if (!isType(of)) return [];
  return [...(hasIdentity(of) ? ['id'] : []), ...Object.keys(listAttributes(of))];
}

/** Converts a name to kebab case: `provisioned-size`. */
export function toKebabCase(name: string): string {
  return name.replaceAll('_', '-').replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
