/** Generated objects of any type of the model. */
import fc from 'fast-check';
import { type EnumName, enums } from '../../src/model/enums.ts';
import { isIdentified, listAttributes, parseKind } from '../../src/model/index.ts';
import { toLong } from '../../src/wire/scalars.ts';

type Fields = Record<string, unknown>;

/** Difficult text: blanks at the ends, quotes, line ends, markup, astral characters. */
const awkward = [
  '',
  ' leading and trailing ',
  '\n\tlines\r\nand\rreturns\n',
  ']]>',
  '<![CDATA[x]]>',
  `"double" and 'single'`,
  '&amp; & &#65; %20',
  '<vm/>',
  '\u00a0\u2028\ufeff',
  '🚀 žluťoučký 数据',
  '\\u0041 \\ /',
];

/** Strings that XML can represent, as in objects. */
const text = fc.oneof(
  fc.constantFrom(...awkward),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.string({ unit: 'grapheme-ascii', maxLength: 20 }),
);

const scalars: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  string: text,
  int: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
  long: fc.oneof(
    fc.maxSafeInteger(),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(toLong),
    fc.constantFrom(2 ** 53 - 1, 2n ** 53n, 2n ** 63n - 1n, -(2n ** 63n), 0),
  ),
  decimal: fc
    .oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constantFrom(0.1, 1e21, 1e-7))
    .map((value) => value + 0),
  bool: fc.boolean(),
  date: fc
    .date({
      min: new Date('0000-01-01T00:00:00Z'),
      max: new Date('9999-12-31T23:59:59.999Z'),
      noInvalidDate: true,
    })
    .map((date) => date.toISOString()),
};

const link = fc.record({ href: text, rel: text });

const made = new Map<string, fc.Arbitrary<Fields>>();

/** Object with up to a dozen members, and `depth` levels of nested objects. */
export function anyObject(type: string, depth: number): fc.Arbitrary<Fields> {
  const key = `${type} ${depth}`;
  let arbitrary = made.get(key);
  if (!arbitrary) {
    const members = createMembers(type, depth);
    const all = Object.keys(members);
    arbitrary = fc
      .subarray(all, { maxLength: Math.min(12, all.length) })
      .chain((names) =>
        fc.record(Object.fromEntries(names.map((name) => [name, members[name] ?? text]))),
      );
    made.set(key, arbitrary);
  }
  return arbitrary;
}

function createMembers(type: string, depth: number): Record<string, fc.Arbitrary<unknown>> {
  const members: Record<string, fc.Arbitrary<unknown>> = {};
  for (const [name, { kind }] of Object.entries(listAttributes(type))) {
    const { form, of, list } = parseKind(kind);
    const plain = form === 'scalar' || form === 'enum';
    if (!plain && depth === 0) continue;
    const one = plain ? scalar(form, of) : anyObject(of, depth - 1);
    members[name] = list ? fc.array(one, { maxLength: 3 }) : one;
  }
  if (isIdentified(type)) {
    Object.assign(members, {
      id: text,
      href: text,
      creation_status: scalar('enum', 'creation_status'),
      link: fc.array(link, { minLength: 1, maxLength: 3 }),
      actions: fc.record({ link: fc.array(link, { minLength: 1, maxLength: 3 }) }),
    });
  }
  return members;
}

function scalar(form: string, of: string): fc.Arbitrary<unknown> {
  return form === 'enum' ? fc.constantFrom(...enums[of as EnumName]) : (scalars[of] ?? text);
}

/** Object with a value for every member. Lists have two items. */
export function fullObject(type: string, depth: number): Fields {
  const fields: Fields = {};
  for (const [name, { kind }] of Object.entries(listAttributes(type))) {
    const { form, of, list } = parseKind(kind);
    const plain = form === 'scalar' || form === 'enum';
    if (!plain && depth === 0) continue;
    const one = plain ? example(form, of) : fullObject(of, depth - 1);
    fields[name] = list ? [one, one] : one;
  }
  if (isIdentified(type)) {
    const links = [
      { rel: 'a', href: '/a' },
      { rel: 'b', href: '/b' },
    ];
    Object.assign(fields, {
      id: 'an id',
      href: '/path',
      creation_status: 'complete',
      link: links,
      actions: { link: links },
    });
  }
  return fields;
}

function example(form: string, of: string): unknown {
  if (form === 'enum') return enums[of as EnumName][0];
  const examples: Readonly<Record<string, unknown>> = {
    string: 'a <b> & "c"',
    int: -2147483648,
    long: 9223372036854775807n,
    decimal: 0.25,
    bool: false,
    date: '2024-05-31T08:30:00.123Z',
  };
  return examples[of];
}
