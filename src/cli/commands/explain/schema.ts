/** JSON Schema (2020-12) of the JSON output of a type, extended with facts of the model. */
import { isType, parseKind } from '../../../model/index.ts';
import type { Kind } from '../../../model/notation/attributes.ts';
import { type AttributeFacts, describeAttribute, describeType } from './facts.ts';

type Schema = Readonly<Record<string, unknown>>;

const dialect = 'https://json-schema.org/draft/2020-12/schema';

/**
 * Creates the schema of a type, with referenced types in `$defs`. `x-` members are extensions of
 * the standard.
 */
export function createTypeSchema(name: string): Schema {
  const { required, states } = describeType(name);
  return {
    $schema: dialect,
    ...createObjectSchema(name),
    ...(required ? { 'x-required-on-create': required } : {}),
    ...(states ? { 'x-states': states } : {}),
    $defs: collectDefinitions(describeType(name).attributes),
  };
}

/** Creates the schema of one attribute of a type. */
export function createAttributeSchema(owner: string, name: string): Schema {
  const facts = describeAttribute(owner, name);
  const defs = collectDefinitions([facts]);
  return {
    $schema: dialect,
    title: `${owner}.${name}`,
    ...createMemberSchema(facts),
    ...(Object.keys(defs).length > 0 ? { $defs: defs } : {}),
  };
}

function createObjectSchema(name: string): Schema {
  const { doc, attributes } = describeType(name);
  return {
    title: name,
    ...(doc === undefined ? {} : { description: doc }),
    type: 'object',
    properties: Object.fromEntries(attributes.map((one) => [one.name, createMemberSchema(one)])),
  };
}

function createMemberSchema({ kind, mutability, set, ...facts }: AttributeFacts): Schema {
  return {
    ...createValueSchema(kind, facts.values),
    ...(facts.doc === undefined ? {} : { description: facts.doc }),
    ...(facts.default === undefined ? {} : { default: facts.default }),
    ...(mutability === 'R' ? { readOnly: true } : {}),
    ...(facts.write_only ? { writeOnly: true } : {}),
    'x-kind': kind,
    'x-set': set,
  };
}

const scalars: Readonly<Record<string, Schema>> = {
  bool: { type: 'boolean' },
  int: { type: 'integer' },
  long: { type: 'integer' },
  decimal: { type: 'number' },
  date: { type: 'string', format: 'date-time' },
};

function createValueSchema(kind: Kind, values: readonly string[] | undefined): Schema {
  const { form, of, list } = parseKind(kind);
  const one = createItemSchema(form, of, values);
  if (form === 'links') {
    // An unfollowed link is a reference.
    return { anyOf: [{ type: 'array', items: one }, { $ref: '#/$defs/reference' }] };
  }
  return list ? { type: 'array', items: one } : one;
}

function createItemSchema(form: string, of: string, values: readonly string[] | undefined): Schema {
  if (form === 'enum') return { type: 'string', ...(values ? { enum: values } : {}) };
  if (form === 'ref' || form === 'links') return { $ref: '#/$defs/reference' };
  if (form === 'struct' && isType(of)) return { $ref: `#/$defs/${of}` };
  return scalars[of] ?? { type: 'string' };
}

const reference: Schema = {
  title: 'reference',
  description: 'A reference; the complete object if the list follows it.',
  type: 'object',
  properties: {
    id: { type: 'string' },
    href: { type: 'string' },
    name: { type: 'string' },
  },
};

/** Collects the types of attributes, recursively. */
function collectDefinitions(
  attributes: readonly AttributeFacts[],
): Readonly<Record<string, Schema>> {
  const found: Record<string, Schema> = {};
  const visit = (members: readonly AttributeFacts[]): void => {
    for (const { kind } of members) {
      const { form, of } = parseKind(kind);
      if (form === 'ref' || form === 'links') found['reference'] = reference;
      if (form !== 'struct' || !isType(of) || found[of]) continue;
      found[of] = createObjectSchema(of);
      visit(describeType(of).attributes);
    }
  };
  visit(attributes);
  return found;
}
