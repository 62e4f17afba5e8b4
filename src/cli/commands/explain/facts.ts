/** Description of a type and its attributes from the model, as plain objects. */

import { lifecycles } from '../../../model/derive/lifecycles.ts';
import { requiredOnAdd } from '../../../model/derive/required.ts';
import { listEnumValues } from '../../../model/enum-values.ts';
import { getType, isIdentified, isType, listAttributes, parseKind } from '../../../model/index.ts';
import type { Attribute, Kind, Mutability } from '../../../model/notation/attributes.ts';
import type { Lifecycle, Move } from '../../../model/notation/lifecycle.ts';
import { requirementText } from '../../../model/requirements.ts';

export interface AttributeFacts {
  readonly name: string;
  readonly kind: Kind;
  /** `R`, `C`, `CU`, `U` or `A`, in the notation of the model. */
  readonly mutability: Mutability;
  /** Mutability in words. */
  readonly set: string;
  readonly values?: readonly string[];
  readonly default?: string | number | boolean | readonly string[];
  readonly write_only?: true;
  readonly doc?: string;
  /** Attributes of the type of the value. */
  readonly attributes?: readonly AttributeFacts[];
}

export interface MoveFacts {
  readonly operation: string;
  readonly from: readonly string[];
  readonly via: readonly string[];
  /** Final state; absent if the object is deleted or keeps its state. */
  readonly to?: string;
  readonly or?: readonly string[];
  readonly stays?: true;
  /** Faults in other states; `otherwise` for unlisted ones. */
  readonly refused_by: Move['refusedBy'];
}

export interface StateFacts {
  readonly attribute: string;
  readonly initial: string;
  readonly settled: readonly string[];
  readonly failed: readonly string[];
  readonly moves: readonly MoveFacts[];
}

export interface TypeFacts {
  readonly name: string;
  readonly doc?: string;
  readonly base?: string;
  readonly attributes: readonly AttributeFacts[];
  /** Attributes that a new object requires; `a|b` requires one of both. */
  readonly required?: readonly string[];
  readonly states?: StateFacts;
}

const setWords: Readonly<Record<Mutability, string>> = {
  R: 'never; read-only',
  C: 'on create',
  CU: 'on create and update',
  U: 'on update',
  A: 'in actions',
};

/** Describes a type with all attributes, inherited ones first. */
export function describeType(name: string): TypeFacts {
  const { doc, base } = getType(name);
  const required = requiredOnAdd[name];
  const lifecycle = lifecycles[name];
  return {
    name,
    ...(doc === undefined ? {} : { doc }),
    ...(base === undefined ? {} : { base }),
    attributes: [
      ...(isIdentified(name) ? identity.map(([one, text]) => createAttributeFacts(one, text)) : []),
      ...Object.entries(listAttributes(name)).map(([one, attribute]) =>
        createAttributeFacts(one, attribute),
      ),
    ],
    ...(required ? { required: required.map(requirementText) } : {}),
    ...(lifecycle ? { states: describeStates(lifecycle) } : {}),
  };
}

const identity: readonly (readonly [string, Attribute])[] = [
  ['id', { kind: 'string', mut: 'R', doc: 'Set by the service.' }],
  ['href', { kind: 'string', mut: 'R', doc: 'Parent of the object.' }],
];

/** Describes an attribute, with the attributes of its type. */
export function describeAttribute(owner: string, name: string): AttributeFacts {
  const attribute = listAttributes(owner)[name];
  if (!attribute) throw new Error(`${owner} has no attribute ${name}.`);
  const { form, of } = parseKind(attribute.kind);
  const facts = createAttributeFacts(name, attribute);
  if (form === 'scalar' || form === 'enum' || !isType(of)) return facts;
  return { ...facts, attributes: describeType(of).attributes };
}

function createAttributeFacts(name: string, attribute: Attribute): AttributeFacts {
  const { kind, mut, writeOnly, default: defaultValue, doc } = attribute;
  const { form, of } = parseKind(kind);
  return {
    name,
    kind,
    mutability: mut,
    set: setWords[mut],
    ...(form === 'enum' ? { values: listEnumValues(of) } : {}),
    ...(defaultValue === undefined ? {} : { default: defaultValue }),
    ...(writeOnly ? { write_only: true as const } : {}),
    ...(doc === undefined ? {} : { doc }),
  };
}

function describeStates({ attribute, initial, settled, failed, moves }: Lifecycle): StateFacts {
  return {
    attribute,
    initial,
    settled,
    failed: failed ?? [],
    moves: Object.entries(moves).map(([operation, move]) => describeMove(operation, move)),
  };
}

function describeMove(operation: string, { from, via, to, or, stays, refusedBy }: Move): MoveFacts {
  return {
    operation,
    from,
    via: (via ?? []).map(([state]) => state),
    ...(to === undefined ? {} : { to }),
    ...(or ? { or } : {}),
    ...(stays ? { stays } : {}),
    refused_by: refusedBy,
  };
}
