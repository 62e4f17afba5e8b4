/** Values of conditions for a store, and values offered for a field. */
import { describe, expect, test } from 'vitest';
import { searchFields } from '../../src/model/derive/search.ts';
import { enums } from '../../src/model/enums.ts';
import { listOfferedValues, parseSearch } from '../../src/search/index.ts';

const now = new Date('2024-06-05T13:45:00.000Z');

function valueIn(text: string, type: string): unknown {
  const { where } = parseSearch(text, type, now);
  if (where?.op !== 'compare') throw new Error(`${text} is no comparison.`);
  return where.value;
}

test.each([
  ['vm', 'name=a*b', { kind: 'text', pattern: { pieces: ['a', 'b'] } }],
  ['vm', 'name=ab', { kind: 'text', pattern: { pieces: ['ab'] } }],
  ['vm', 'tag=a*', { kind: 'tag', pattern: { pieces: ['a', ''] } }],
  [
    'event',
    'usrname=a*@b',
    { kind: 'user', name: { pieces: ['a', ''] }, domain: { pieces: ['b'] } },
  ],
  ['event', 'usrname=@b', { kind: 'user', name: { pieces: [''] }, domain: { pieces: ['b'] } }],
  ['event', 'usrname=a', { kind: 'user', name: { pieces: ['a'] } }],
  ['vm', 'status=" Powering_Up "', { kind: 'word', word: 'powering_up' }],
  ['vm', 'next_run_config_exists=False', { kind: 'bool', value: false }],
  ['vm', 'name=null', { kind: 'absent' }],
  ['vm', 'name!=""', { kind: 'absent' }],
  ['vm', 'cpu_usage=" +5 "', { kind: 'number', value: 5 }],
  ['vm', 'cpu_usage=9223372036854775807', { kind: 'number', value: 2n ** 63n - 1n }],
  ['vm', 'cpu_usage=-9223372036854775808', { kind: 'number', value: -(2n ** 63n) }],
  ['vm', 'cpu_usage=9007199254740991', { kind: 'number', value: 2 ** 53 - 1 }],
  ['vm', 'cpu_usage=9007199254740992', { kind: 'number', value: 2n ** 53n }],
  ['vm', 'memory=8796093022207', { kind: 'size', from: 2n ** 63n - 2n ** 20n, until: 2n ** 63n }],
  [
    'vm',
    'memory=-8796093022208',
    { kind: 'size', from: -(2n ** 63n), until: 2n ** 20n - 2n ** 63n },
  ],
  ['vm', 'uptime<" 1.0:00 "', { kind: 'span', seconds: 86_400 }],
  [
    'vm',
    'creationdate<2024-05-31',
    { kind: 'date', from: '2024-05-31T00:00:00.000Z', until: '2024-06-01T00:00:00.000Z' },
  ],
])('%s: %s', (type, text, value) => {
  expect(valueIn(text, type)).toEqual(value);
});

test.each(['9223372036854775808', '-9223372036854775809', '12345678901234567890', '0x10', '1 2'])(
  'refuses %s as a 64-bit integer',
  (number) => {
    expect(() => valueIn(`cpu_usage="${number}"`, 'vm')).toThrow(`"${number}" is not a valid `);
  },
);

test.each([
  ['=', ['error']],
  ['!=', ['normal', 'warning', 'alert']],
  ['<', ['normal', 'warning']],
  ['<=', ['normal', 'warning', 'error']],
  ['>', ['alert']],
  ['>=', ['error', 'alert']],
])('finds severities that are %s error', (relation, words) => {
  expect(valueIn(`severity${relation}" Error "`, 'event')).toEqual({ kind: 'severity', words });
});

describe('offered values', () => {
  const field = (type: string, name: string) => {
    const found = searchFields[type]?.[name];
    if (!found) throw new Error(`${type} has no field ${name}.`);
    return found;
  };

  test('are those of enums, also of enums that exist only in searches', () => {
    const words = listOfferedValues(field('vm', 'status'));
    for (const word of enums.vm_status) expect(words).toContain(word);
    expect(words).toContain('migratingfrom');
    expect(listOfferedValues(field('vm', 'next_run_config_exists'))).toEqual(['true', 'false']);
    expect(listOfferedValues(field('disk', 'allocation_policy'))).not.toContain('true');
  });

  test('are severities and dates', () => {
    expect(listOfferedValues(field('event', 'severity'))).toEqual([
      ...['normal', 'warning', 'error', 'alert'],
    ]);
    expect(listOfferedValues(field('event', 'time'))).toEqual([
      ...['today', 'yesterday', 'sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday'],
      'saturday',
    ]);
  });

  test.each(['name', 'memory', 'tag', 'uptime'])('are empty for %s', (name) => {
    expect(listOfferedValues(field('vm', name))).toEqual([]);
  });

  test('are all valid', () => {
    for (const [type, fields] of Object.entries(searchFields)) {
      for (const [name, { kind }] of Object.entries(fields)) {
        const relation = kind === 'date' ? '>' : '=';
        for (const word of listOfferedValues(field(type, name))) {
          expect(() => parseSearch(`${name}${relation}${word}`, type, now)).not.toThrow();
        }
      }
    }
  });
});
