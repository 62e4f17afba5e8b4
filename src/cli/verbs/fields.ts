/** Fields of the body of an operation, and the flags that set them. */
import { typeOptions } from '../../model/derive/commands.ts';
import { isType, listAttributes, type Operation, parseKind } from '../../model/index.ts';
import type { Attribute, Kind, SizeUnit } from '../../model/notation/attributes.ts';
import type { Shortcut } from '../../model/notation/commands.ts';
import { actionParameters, type Parameter } from '../../model/notation/parameters.ts';
import { hasIdentity } from '../../wire/index.ts';
import type { Valued } from '../args/values.ts';
import { homeOf } from './collections.ts';
import { type VerbName, verbOptions } from './verb-names.ts';

export interface Field {
  /** Attribute path in the body. */
  readonly path: string;
  readonly kind: Kind;
  readonly doc: string;
  /** Read from a file instead of the command line, where everybody could see it. */
  readonly secret: boolean;
  /** What a size is counted in. */
  readonly unit?: SizeUnit;
}

/** Where the body is looked up: a type of the model, or the parameters of an action. */
export type Shape = { readonly type: string } | { readonly action: readonly string[] };

/** The shape of the body of an operation. */
export function shapeOf(operation: Operation): Shape {
  return operation.isAction || operation.name === 'remove'
    ? { action: operation.body }
    : { type: operation.type };
}

const secretWords = /(^|_)(password|passphrase|secret)$/;

/** Parameters that look like references but hold properties of the object to be made. */
const propertiesOnly: ReadonlySet<string> = new Set(['vm', 'disk', 'template', 'ssh', 'iscsi']);

/** The fields of an operation, by the flag without its dashes. */
export function fieldsOf(verb: VerbName, operation: Operation): ReadonlyMap<string, Field> {
  const shape = shapeOf(operation);
  const fields = new Map<string, Field>();
  const only = verbOptions(verb).onlyAttributes;
  if ('type' in shape) {
    if (operation.name !== 'add' && operation.name !== 'update') return fields;
    for (const [name, attribute] of Object.entries(listAttributes(shape.type))) {
      if (!isWritable(attribute, operation.name) || (only && !only.includes(name))) continue;
      if (isFlagKind(attribute.kind) || structsByReference.has(`${shape.type}.${name}`)) {
        fields.set(kebab(name), fieldOf(name, attribute, attribute.doc ?? ''));
      }
    }
  } else {
    for (const name of shape.action) {
      const parameter = parameterOf(name);
      if (!parameter || parameter.out === 'out' || name === 'async') continue;
      if (name === 'bricks' && verbOptions(verb).takesBricks) continue;
      const isProperties = propertiesOnly.has(name);
      if (isFlagKind(parameter.kind) || (!isProperties && isReference(parameter.kind))) {
        fields.set(kebab(name), fieldOf(name, parameter, parameter.doc));
      }
    }
  }
  for (const shortcut of shortcutsOf(verb, operation)) {
    const value = valuedAt(shape, shortcut.path);
    if (value) fields.set(shortcut.flag, fieldOf(shortcut.path, value, shortcut.doc));
  }
  return fields;
}

function shortcutsOf(verb: VerbName, operation: Operation): readonly Shortcut[] {
  if (operation.isAction) return [...(verbOptions(verb).shortcuts ?? []), ...leaves(operation)];
  return typeOptions[operation.type]?.shortcuts ?? [];
}

/** Parameters whose members are not worth a flag each. */
const wholeObjects: ReadonlySet<string> = new Set(['vm', 'disk', 'template', 'snapshot']);

/** Plain members of the structs that an action takes: `--iscsi-address`, `--ticket-value`. */
function leaves(operation: Operation): readonly Shortcut[] {
  return operation.body.flatMap((name) => {
    const parameter = parameterOf(name);
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
        flag: `${kebab(name)}-${kebab(leaf)}`,
        path: `${name}.${leaf}`,
        doc: attribute.doc ?? '',
      }));
  });
}

/** Structs that name an existing object although the model does not call them references. */
const structsByReference: ReadonlySet<string> = new Set(['template.vm', 'event_subscription.user']);

function fieldOf(path: string, { kind, unit }: Valued, doc: string): Field {
  return { path, kind, doc, secret: secretWords.test(path), ...(unit ? { unit } : {}) };
}

export function parameterOf(name: string): Parameter | undefined {
  return (actionParameters as Readonly<Record<string, Parameter>>)[name];
}

/** Whether a client may send the attribute with this operation. */
export function isWritable(attribute: Attribute, operation: string): boolean {
  return operation === 'add'
    ? attribute.mut === 'C' || attribute.mut === 'CU'
    : attribute.mut === 'U' || attribute.mut === 'CU';
}

/** Kinds that fit in one flag. */
function isFlagKind(kind: Kind): boolean {
  const { form, of } = parseKind(kind);
  if (form === 'scalar' || form === 'enum') return true;
  if (of === 'gluster_brick') return form === 'struct' || form === 'links';
  if (of === 'permit') return true;
  return form === 'ref' || (form === 'links' && homeOf(of) !== undefined);
}

/** Whether a value of this kind is given by naming an object. */
export function isReference(kind: Kind): boolean {
  const { form, of, list } = parseKind(kind);
  return (
    form === 'ref' || form === 'links' || (form === 'struct' && !list && homeOf(of) !== undefined)
  );
}

/** The kind at an attribute path, or `undefined` when there is no such attribute. */
export function kindAt(shape: Shape, path: string): Kind | undefined {
  return valuedAt(shape, path)?.kind;
}

/** The attribute or parameter at a path, or `undefined` when there is none. */
export function valuedAt(shape: Shape, path: string): Valued | undefined {
  const [first = '', ...rest] = path.split('.');
  let value: Valued | undefined;
  if ('type' in shape) value = attributeOf(shape.type, first);
  else value = shape.action.includes(first) ? parameterOf(first) : undefined;
  for (const word of rest) {
    if (!value) return undefined;
    const { form, of, list } = parseKind(value.kind);
    if (form === 'scalar' || form === 'enum' || list) return undefined;
    value = attributeOf(of, word);
  }
  return value;
}

function attributeOf(type: string, name: string): Valued | undefined {
  if (!isType(type)) return undefined;
  // Some structs have an `id` that is no identity: the tag of a VLAN is a number.
  const own = listAttributes(type)[name];
  return own ?? (name === 'id' && hasIdentity(type) ? { kind: 'string' } : undefined);
}

/** The words that may follow at a place of a path, for suggestions. */
export function wordsAt(shape: Shape, prefix: string): readonly string[] {
  if (prefix === '') {
    return 'type' in shape ? Object.keys(listAttributes(shape.type)) : shape.action;
  }
  const kind = kindAt(shape, prefix);
  if (!kind) return [];
  const { of } = parseKind(kind);
  if (!isType(of)) return [];
  return [...(hasIdentity(of) ? ['id'] : []), ...Object.keys(listAttributes(of))];
}

/** `provisioned_size` is `provisioned-size`. */
export function kebab(name: string): string {
  return name.replaceAll('_', '-').replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
