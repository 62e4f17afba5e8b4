/** Refused JSON bodies, and exact values (E2, E11). */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeAction, decodeList, decodeObject, WireError } from '../../src/wire/index.ts';
import { parseJson, parseTrustedJson } from '../../src/wire/json-parser.ts';
import { runs } from '../support/mutants.ts';

const json = 'application/json';

function failure(read: () => unknown): WireError {
  try {
    read();
  } catch (error) {
    if (error instanceof WireError) return error;
    throw error;
  }
  throw new Error('The body was accepted.');
}

describe('refused with a position', () => {
  test.each([
    ['nothing', '', '1:1'],
    ['only blanks', ' \n ', '2:2'],
    ['a word', 'hello', '1:1'],
    ['two values', '{} {}', '1:4'],
    ['an object that is not closed', '{"name":"a"', '1:12'],
    ['an additional comma', '{"name":"a",}', '1:13'],
    ['an additional comma in an array', '{"link":[{},]}', '1:13'],
    ['a key without quotes', '{name:"a"}', '1:2'],
    ['single quotes', "{'name':'a'}", '1:2'],
    ['a comment', '{/* */}', '1:2'],
    ['a missing colon', '{"name" "a"}', '1:9'],
    ['a line end in a string', '{"name":"a\nb"}', '1:11'],
    ['NUL in a string', '{"name":"a\u0000"}', '1:11'],
    ['an unknown escape', '{"name":"\\x41"}', '1:10'],
    ['a short escape', '{"name":"\\u00"}', '1:10'],
    ['an unpaired surrogate', '{"name":"\\ud800"}', '1:10'],
    ['a pair in the wrong order', '{"name":"\\udc00\\ud800"}', '1:10'],
    ['a leading zero', '{"memory":007}', '1:12'],
    ['a plus sign', '{"memory":+5}', '1:11'],
    ['a fraction without digits', '{"memory":1.}', '1:12'],
    ['not a number', '{"memory":NaN}', '1:11'],
    ['a number that is too large', '{"memory":1e400}', '1:11'],
    ['a duplicate key', '{"name":"a",\n"name":"b"}', '2:1'],
    ['a duplicate key with an escape', '{"name":"a","n\\u0061me":"b"}', '1:13'],
    ['__proto__', '{"__proto__":{}}', '1:2'],
    ['__proto__ below', '{"cpu":{"__proto__":{}}}', '1:9'],
    ['__proto__ with an escape', '{"__pro\\u0074o__":{}}', '1:2'],
    ['constructor', '{"constructor":{}}', '1:2'],
    ['prototype', '{"prototype":1}', '1:2'],
  ])('%s', (_, body, where) => {
    const error = failure(() => decodeObject(json, body, 'vm'));
    expect(error).toMatchObject({ kind: 'syntax', where });
    expect(error.message).toContain(where);
  });

  test.each([
    ['arrays', '['.repeat(200_000)],
    ['closed arrays', '['.repeat(200_000) + ']'.repeat(200_000)],
    ['objects', '{"cpu":'.repeat(200_000)],
  ])('nesting 200,000 deep: %s', (_, body) => {
    expect(failure(() => decodeObject(json, body, 'vm'))).toMatchObject({ kind: 'limit' });
  });

  test('counts nesting of objects and arrays together, up to 64 levels', () => {
    const nested = (depth: number) =>
      Array.from({ length: depth }, (_, level) => (level % 2 === 0 ? '[' : '{"a":')).join('') +
      '1' +
      Array.from({ length: depth }, (_, level) => ((depth - level) % 2 === 0 ? '}' : ']')).join('');
    const computeDepth = (value: unknown): number =>
      typeof value === 'object' && value !== null ? 1 + computeDepth(Object.values(value)[0]) : 0;
    expect(computeDepth(parseJson(nested(64)))).toBe(64);
    expect(failure(() => parseJson(nested(65)))).toMatchObject({ kind: 'limit', where: '1:193' });
    // Siblings do not add levels.
    const wide = `[${Array.from({ length: 100 }, () => nested(63)).join()}]`;
    expect(parseJson(wide)).toHaveLength(100);
  });

  test('parses all valid JSON in clients without a stack overflow', () => {
    const body = `{"name":"a","x":${'['.repeat(200_000)}${']'.repeat(200_000)}}`;
    expect(decodeObject(json, body, 'vm', { unknown: 'skip' })).toEqual({ name: 'a' });
  });
});

describe('refused with a path', () => {
  test.each([
    ['an unknown member', '{"foo":1}', 'vm.foo', 'unknown'],
    [
      'an unknown nested member',
      '{"cpu":{"topology":{"foo":1}}}',
      'vm.cpu.topology.foo',
      'unknown',
    ],
    ['a wrapper', '{"vm":{"name":"a"}}', 'vm.vm', 'unknown'],
    ['an array', '[]', 'vm', 'syntax'],
    ['a string', '"vm"', 'vm', 'syntax'],
    ['null', 'null', 'vm', 'syntax'],
    ['an object for text', '{"name":{}}', 'vm.name', 'syntax'],
    ['an array for text', '{"name":["a"]}', 'vm.name', 'syntax'],
    ['text for an object', '{"cpu":"a"}', 'vm.cpu', 'syntax'],
    ['a bare array for a list', '{"nics":[]}', 'vm.nics', 'syntax'],
    ['an object for an array', '{"nics":{"nic":{}}}', 'vm.nics.nic', 'syntax'],
    ['another item', '{"nics":{"host_nic":[]}}', 'vm.nics', 'unknown'],
    [
      'one member under two names',
      '{"numa_nodes":{},"host_numa_nodes":{}}',
      'vm.host_numa_nodes',
      'syntax',
    ],
    ['a word for a number', '{"memory":"much"}', 'vm.memory', 'number'],
    ['a fraction for an integer', '{"memory":1.5}', 'vm.memory', 'number'],
    ['a boolean for a number', '{"cpu_shares":true}', 'vm.cpu_shares', 'number'],
    ['a number for a boolean', '{"stateless":2}', 'vm.stateless', 'value'],
    ['a word for a date', '{"creation_time":"soon"}', 'vm.creation_time', 'number'],
    ['an unknown enum value', '{"status":"sleeping"}', 'vm.status', 'value'],
  ])('%s', (_, body, where, kind) => {
    const error = failure(() => decodeObject(json, body, 'vm'));
    expect(error).toMatchObject({ kind, where });
    expect(error.message).toContain(where);
  });

  test('lists the valid values for an unknown enum value', () => {
    const error = failure(() => decodeObject(json, '{"content_type":"x"}', 'gluster_hook'));
    expect(error.message).toBe(
      'gluster_hook.content_type: x is not a member of HookContentType. ' +
        'Possible values for HookContentType are: text, binary',
    );
  });
});

describe('exact numbers', () => {
  test.each([
    ['9007199254740991', 9007199254740991],
    ['9007199254740993', 9007199254740993n],
    ['12345678901234567', 12345678901234567n],
    ['9223372036854775807', 9223372036854775807n],
    ['-9223372036854775808', -9223372036854775808n],
    ['1e3', 1000],
    ['1e18', 1000000000000000000n],
    ['4.611686018427387904e18', 4611686018427387904n],
    ['-9.223372036854775808e18', -9223372036854775808n],
    ['4.0', 4],
    ['-0', 0],
  ])('%s', (text, value) => {
    for (const unknown of ['refuse', 'skip'] as const) {
      expect(decodeObject(json, `{"memory":${text}}`, 'vm', { unknown })).toEqual({
        memory: value,
      });
      expect(decodeList(json, `{"vm":[{"memory": ${text} }]}`, 'vm', { unknown })).toEqual([
        { memory: value },
      ]);
    }
    if (!/[e.]/.test(text)) {
      const body = `{"memory":"${text}"}`;
      expect(decodeObject(json, body, 'vm')).toEqual({ memory: value });
    }
  });

  test.each([
    '9223372036854775808',
    '-9223372036854775809',
    '12345678901234567890',
    '1e19',
    '1e300',
    '99999999999999999999999999999999999999999999999999',
  ])('%s is refused', (text) => {
    for (const body of [`{"memory":${text}}`, `{"memory":"${text}"}`]) {
      expect(failure(() => decodeObject(json, body, 'vm'))).toMatchObject({
        // The text parser refuses an exponent as an integer.
        kind: expect.stringMatching(/^(value|number)$/),
        where: 'vm.memory',
      });
    }
  });
});

describe('more tolerant clients', () => {
  test.each([
    ['unknown members', '{"foo":{"bar":1},"name":"a"}', { name: 'a' }],
    ['bare arrays', '{"nics":[{"id":"1"}]}', { nics: [{ id: '1' }] }],
    ['one object for a list', '{"nics":{"nic":{"id":"1"}}}', { nics: [{ id: '1' }] }],
    ['unknown enum values', '{"status":"Sleeping"}', { status: 'sleeping' }],
    ['duplicate keys', '{"name":"a","name":"b"}', { name: 'b' }],
    [
      'members under both of their names',
      '{"numa_nodes":[{"index":1}],"host_numa_nodes":[{"index":2}]}',
      { numa_nodes: [{ index: 2 }] },
    ],
    [
      'unknown members next to items',
      '{"nics":{"x":1,"nic":[{"id":"1"}]}}',
      { nics: [{ id: '1' }] },
    ],
    ['null among items', '{"nics":[null,{"id":"1"}]}', { nics: [{ id: '1' }] }],
    ['prototypes', '{"__proto__":{"name":"x"},"constructor":1}', {}],
  ])('%s', (_, body, value) => {
    expect(decodeObject(json, body, 'vm', { unknown: 'skip' })).toEqual(value);
  });
});

test('only clients skip unknown members next to a list', () => {
  const body = '{"foo":1,"vm":[{"id":"1"}]}';
  expect(decodeList(json, body, 'vm', { unknown: 'skip' })).toEqual([{ id: '1' }]);
  expect(failure(() => decodeList(json, body, 'vm'))).toMatchObject({ where: 'vm' });
});

describe('lists without the name of their items', () => {
  const value = { nics: [{ id: '1' }], os: { boot: { devices: ['hd'] } } };
  const body = '{"nics":[{"id":"1"}],"os":{"boot":{"devices":["hd"]}}}';

  test('are accepted on request, without other tolerance', () => {
    const read = (text: string) => decodeObject(json, text, 'vm', { bareLists: true });
    expect(read(body)).toEqual(value);
    expect(read('{"nics":{"nic":[{"id":"1"}]}}')).toEqual({ nics: value.nics });
    expect(failure(() => read('{"nics":{"id":"1"}}'))).toMatchObject({ where: 'vm.nics' });
    expect(failure(() => read('{"foo":1}'))).toMatchObject({ where: 'vm.foo' });
    expect(failure(() => read('{"nics":[{"foo":1}]}'))).toMatchObject({ where: 'vm.nics.foo' });
  });

  test('are accepted in actions too', () => {
    const action = '{"vm":{"nics":[{"id":"1"}]}}';
    const read = (bareLists: boolean) => decodeAction(json, action, ['vm'], { bareLists });
    expect(read(true)).toEqual({ vm: { nics: value.nics } });
    expect(failure(() => read(false))).toMatchObject({ where: 'action.vm.nics' });
  });
});

describe('the parser compared with JSON.parse', () => {
  test.each(['', '[', '[1,', '[ ', '[\n', '{"a":', '{"a":\t'])(
    'long integers are exact after %j, also from a server',
    (before) => {
      const after = before.startsWith('[') ? ']' : before === '' ? '' : '}';
      for (const digits of ['9007199254740993', '-9007199254740993', '12345678901234567890']) {
        const value = parseTrustedJson(before + digits + after);
        const last = [value].flatMap((one) =>
          typeof one === 'object' ? Object.values(one ?? {}) : one,
        );
        expect(last.at(-1)).toBe(BigInt(digits));
        expect(parseJson(before + digits + after)).toEqual(value);
      }
    },
  );

  test('integers are exact up to forty digits, fractions and exponents are not integers', () => {
    expect(parseJson('9'.repeat(40))).toBe(10n ** 40n - 1n);
    expect(parseJson('9'.repeat(41))).toBe(1e41);
    expect(parseJson('123456789012345')).toBe(123456789012345);
    expect(parseJson('12345678901234567.0')).toBe(12345678901234568);
    expect(parseJson('12345678901234567e0')).toBe(12345678901234568);
  });

  test('accepts the same texts', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 10 }), (text) => {
        const expected: unknown = JSON.parse(text);
        if (/__proto__|constructor|prototype/.test(text)) return;
        expect(JSON.stringify(numbers(parseJson(text)))).toBe(JSON.stringify(expected));
        expect(numbers(parseTrustedJson(text))).toEqual(expected);
      }),
      { numRuns: runs(500) },
    );
  });

  test('refuses the same texts', () => {
    const characters = [...'{}[]:,"\\0123456789.-+eEtruefalsn '];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...characters), { maxLength: 12 }), (parts) => {
        const text = parts.join('');
        let valid = true;
        try {
          JSON.parse(text);
        } catch {
          valid = false;
        }
        if (!valid) expect(failure(() => parseJson(text))).toBeInstanceOf(WireError);
      }),
      { numRuns: runs(5000) },
    );
  });
});

/** Value as JSON.parse returns it. */
function numbers(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(numbers);
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, numbers(one)]));
  }
  return value;
}
