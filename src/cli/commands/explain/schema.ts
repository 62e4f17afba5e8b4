/** JSON Schema (2020-12) of what `-o json` prints of a type, with what the model knows beyond that. */
import { isType, parseKind } from '../../../model/index.ts';
import type { Kind } from '../../../model/notation/attributes.ts';
import { type AttributeFacts, attributeFacts, typeFacts } from './facts.ts';

type Schema = Readonly<Record<string, unknown>>;

const dialect = 'https://json-schema.org/draft/2020-12/schema';

/** The schema of a type; types that it holds are in `$defs`. `x-` members are no part of the standard. */
export function typeSchema(name: string): Schema {
  const { required, states } = typeFacts(name);
  return {
    $schema: dialect,
    ...objectSchema(name),
    ...(required ? { 'x-required-on-create': required } : {}),
    ...(states ? { 'x-states': states } : {}),
    $defs: definitions(typeFacts(name).attributes),
  };
}

/** The schema of one attribute of a type. */
export function attributeSchema(owner: string, name: string): Schema {
  const facts = attributeFacts(owner, name);
  const defs = definitions([facts]);
  return {
    $schema: dialect,
    title: `${owner}.${name}`,
    ...memberSchema(facts),
    ...(Object.keys(defs).length > 0 ? { $defs: defs } : {}),
  };
}

function objectSchema(name: string): Schema {
  const { doc, attributes } = typeFacts(name);
  return {
    title: name,
    ...(doc === undefined ? {} : { description: doc }),
    type: 'object',
    properties: Object.fromEntries(attributes.map((one) => [one.name, memberSchema(one)])),
  };
}

function memberSchema({ kind, mutability, set, ...facts }: AttributeFacts): Schema {
  return {
    ...valueSchema(kind, facts.values),
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

function valueSchema(kind: Kind, values: readonly string[] | undefined): Schema {
  const { form, of, list } = parseKind(kind);
  const one = oneSchema(form, of, values);
  if (form === 'links') {
    // Where nobody follows it a link is its address.
    return { anyOf: [{ type: 'array', items: one }, { $ref: '#/$defs/reference' }] };
  }
  return list ? { type: 'array', items: one } : one;
}

function oneSchema(form: string, of: string, values: readonly string[] | undefined): Schema {
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

/** The types that attributes hold, and those that these hold. */
function definitions(attributes: readonly AttributeFacts[]): Readonly<Record<string, Schema>> {
  const found: Record<string, Schema> = {};
  const visit = (members: readonly AttributeFacts[]): void => {
    for (const { kind } of members) {
      const { form, of } = parseKind(kind);
      if (form === 'ref' || form === 'links') found['reference'] = reference;
      if (form !== 'struct' || !isType(of) || found[of]) continue;
      found[of] = objectSchema(of);
      visit(typeFacts(of).attributes);
    }
  };
  visit(attributes);
  return found;
}
