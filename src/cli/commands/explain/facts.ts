/** Facts of the model about a type and its attributes, as plain objects. */

import { lifecycles } from '../../../model/derive/lifecycles.ts';
import { requiredOnAdd } from '../../../model/derive/required.ts';
import { type EnumName, enums } from '../../../model/enums.ts';
import { getType, isIdentified, isType, listAttributes, parseKind } from '../../../model/index.ts';
import type { Attribute, Kind, Mutability } from '../../../model/notation/attributes.ts';
import type { Lifecycle, Move } from '../../../model/notation/lifecycle.ts';
import { requirementText } from '../../../model/requirements.ts';

export interface AttributeFacts {
  readonly name: string;
  readonly kind: Kind;
  /** `R`, `C`, `CU`, `U` or `A`, as the model writes it. */
  readonly mutability: Mutability;
  /** The same in words. */
  readonly set: string;
  readonly values?: readonly string[];
  readonly default?: string | number | boolean | readonly string[];
  readonly write_only?: true;
  readonly doc?: string;
  /** Attributes of the type that it holds, by name. */
  readonly attributes?: readonly AttributeFacts[];
}

export interface MoveFacts {
  readonly operation: string;
  readonly from: readonly string[];
  readonly via: readonly string[];
  /** Absent where the object is gone then, and where it keeps its state. */
  readonly to?: string;
  readonly or?: readonly string[];
  readonly stays?: true;
  /** What is answered from other states; `otherwise` from those that are not listed. */
  readonly refused_by: Readonly<Record<string, string>>;
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
  /** What a new object has to say; `a|b` asks for one of the two. */
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

/** A type with all its attributes, those of its bases first. */
export function typeFacts(name: string): TypeFacts {
  const { doc, base } = getType(name);
  const required = requiredOnAdd[name];
  const lifecycle = lifecycles[name];
  return {
    name,
    ...(doc === undefined ? {} : { doc }),
    ...(base === undefined ? {} : { base }),
    attributes: [
      ...(isIdentified(name) ? identity.map(([one, text]) => factsOf(one, text)) : []),
      ...Object.entries(listAttributes(name)).map(([one, attribute]) => factsOf(one, attribute)),
    ],
    ...(required ? { required: required.map(requirementText) } : {}),
    ...(lifecycle ? { states: stateFacts(lifecycle) } : {}),
  };
}

const identity: readonly (readonly [string, Attribute])[] = [
  ['id', { kind: 'string', mut: 'R', doc: 'Set by the service.' }],
  ['href', { kind: 'string', mut: 'R', doc: 'Parent of the object.' }],
];

/** An attribute of a type; with the attributes of what it holds. */
export function attributeFacts(owner: string, name: string): AttributeFacts {
  const attribute = listAttributes(owner)[name];
  if (!attribute) throw new Error(`${owner} has no attribute ${name}.`);
  const { form, of } = parseKind(attribute.kind);
  const facts = factsOf(name, attribute);
  if (form === 'scalar' || form === 'enum' || !isType(of)) return facts;
  return { ...facts, attributes: typeFacts(of).attributes };
}

function factsOf(name: string, attribute: Attribute): AttributeFacts {
  const { kind, mut, writeOnly, default: defaultValue, doc } = attribute;
  const { form, of } = parseKind(kind);
  return {
    name,
    kind,
    mutability: mut,
    set: setWords[mut],
    ...(form === 'enum' ? { values: enums[of as EnumName] } : {}),
    ...(defaultValue === undefined ? {} : { default: defaultValue }),
    ...(writeOnly ? { write_only: true as const } : {}),
    ...(doc === undefined ? {} : { doc }),
  };
}

function stateFacts({ attribute, initial, settled, failed, moves }: Lifecycle): StateFacts {
  return {
    attribute,
    initial,
    settled,
    failed: failed ?? [],
    moves: Object.entries(moves).map(([operation, move]) => moveFacts(operation, move)),
  };
}

function moveFacts(operation: string, { from, via, to, or, stays, refusedBy }: Move): MoveFacts {
  return {
    operation,
    from,
    via: (via ?? []).map(([state]) => state),
    ...(to === undefined ? {} : { to }),
    ...(or ? { or } : {}),
    ...(stays ? { stays } : {}),
    refused_by: refusedBy as Readonly<Record<string, string>>,
  };
}
