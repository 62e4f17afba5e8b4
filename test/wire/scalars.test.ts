/** Accepted and refused spellings of plain values. */
import { describe, expect, test } from 'vitest';
import { types } from '../../src/model/derive/types.ts';
import { dialects } from '../../src/model/dialect.ts';
import { listAttributes, parseKind } from '../../src/model/index.ts';
import { decodeObject, encodeObject, WireError } from '../../src/wire/index.ts';
import { displayName, singular } from '../../src/wire/shape.ts';

const xml = 'application/xml';
const json = 'application/json';

/** Reads one member from XML text and from a JSON string. */
function readBoth(type: string, member: string, text: string): unknown[] {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const tag = type === 'vm' ? 'vm' : type;
  return [
    decodeObject(xml, `<${tag}><${member}>${escaped}</${member}></${tag}>`, type)[member],
    decodeObject(json, JSON.stringify({ [member]: text }), type)[member],
  ];
}

describe('reading', () => {
  test.each([
    ['cpu_shares', '12', 12],
    ['cpu_shares', ' \n12\t', 12],
    ['cpu_shares', '+12', 12],
    ['cpu_shares', '007', 7],
    ['cpu_shares', '-0', 0],
    ['cpu_shares', '2147483647', 2147483647],
    ['cpu_shares', '-2147483648', -2147483648],
    ['cpu_shares', '', undefined],
    ['memory', '1073741824', 1073741824],
    ['memory', '9223372036854775807', 9223372036854775807n],
    ['memory', '+9007199254740991', 9007199254740991],
    ['memory', ' ', undefined],
    ['stateless', 'true', true],
    ['stateless', 'TRUE', true],
    ['stateless', 'False', false],
    ['stateless', '1', true],
    ['stateless', '0', false],
    ['stateless', ' true ', true],
    ['stateless', '', undefined],
    ['status', 'up', 'up'],
    ['status', 'Powering_Up', 'powering_up'],
    ['status', ' DOWN ', 'down'],
    ['status', '\t\r\n up \t\r\n', 'up'],
    ['status', ' \t\n', undefined],
    ['status', '', undefined],
    ['creation_time', '2024-05-31T08:30:00.123Z', '2024-05-31T08:30:00.123Z'],
    ['creation_time', '2024-05-31T08:30:00.123+02:00', '2024-05-31T06:30:00.123Z'],
    ['creation_time', '2024-05-31T08:30:00-11:30', '2024-05-31T20:00:00.000Z'],
    ['creation_time', '2024-05-31T08:30:00', '2024-05-31T08:30:00.000Z'],
    ['creation_time', '2024-02-29T00:00:00.123456789Z', '2024-02-29T00:00:00.123Z'],
    ['creation_time', '', undefined],
    ['name', '', ''],
    ['name', ' two  blanks ', ' two  blanks '],
  ])('%s %j', (member, text, value) => {
    for (const found of readBoth('vm', member, text)) expect(found).toBe(value);
  });

  test.each([
    ['speed', '2.5', 2.5],
    ['speed', '-.5', -0.5],
    ['speed', '3.', 3],
    ['speed', '12', 12],
    ['speed', '1e3', 1000],
    ['speed', '+1.5E-2', 0.015],
    ['speed', '\t0.1\n', 0.1],
    ['speed', '-0', 0],
    ['speed', ' ', undefined],
    ['speed', '1e-9999', 0],
  ])('%s %j', (member, text, value) => {
    for (const found of readBoth('cpu', member, text)) expect(found).toBe(value);
  });

  test.each([
    ['dates in milliseconds', '{"creation_time":1717144200123}', '2024-05-31T08:30:00.123Z'],
    ['the same in a string', '{"creation_time":"1717144200123"}', '2024-05-31T08:30:00.123Z'],
    ['dates before the epoch', '{"creation_time":-1}', '1969-12-31T23:59:59.999Z'],
    ['the first one', '{"creation_time":-62167219200000}', '0000-01-01T00:00:00.000Z'],
    ['the last one', '{"creation_time":"253402300799999"}', '9999-12-31T23:59:59.999Z'],
  ])('%s', (_, body, value) => {
    expect(decodeObject(json, body, 'vm')).toEqual({ creation_time: value });
  });

  test.each([
    ['{"name":5}', { name: '5' }],
    ['{"name":12345678901234567890}', { name: '12345678901234567890' }],
    ['{"name":true}', { name: 'true' }],
    ['{"stateless":1,"start_paused":0}', { stateless: true, start_paused: false }],
    ['{"stateless":null,"cpu":null,"nics":null}', {}],
    ['{"nics":{}}', { nics: [] }],
    ['{"nics":{"nic":null}}', { nics: [] }],
    ['{"cpu_shares":4.0}', { cpu_shares: 4 }],
    ['{"cpu":{"speed":2,"level":"7"}}', { cpu: { speed: 2, level: 7 } }],
    ['{"cpu":{"speed":12345678901234567890}}', { cpu: { speed: 12345678901234567000 } }],
    ['{"memory":"-0","cpu_shares":-0}', { memory: 0, cpu_shares: 0 }],
  ])('typed values %s', (body, value) => {
    expect(decodeObject(json, body, 'vm')).toEqual(value);
  });
});

describe('refusals', () => {
  test.each([
    ['cpu_shares', '2147483648'],
    ['cpu_shares', '-2147483649'],
    ['cpu_shares', '1.0'],
    ['cpu_shares', '1e3'],
    ['cpu_shares', '0x10'],
    ['cpu_shares', '1 2'],
    ['cpu_shares', 'NaN'],
    ['cpu_shares', '\u0661'],
    ['cpu_shares', '12\u00a0'],
    ['cpu_shares', ' 12\u00a0'],
    ['cpu_shares', '\u00a012 '],
    ['stateless', ' true\u2003'],
    ['status', ' up\u3000'],
    ['memory', '9223372036854775808'],
    ['memory', '-9223372036854775809'],
    ['memory', '18446744073709551616'],
    ['memory', '1GiB'],
    ['stateless', 'yes'],
    ['stateless', '2'],
    ['stateless', 'constructor'],
    ['status', 'sleeping'],
    ['status', 'powering up'],
    ['creation_time', '2024-05-31'],
    ['creation_time', '2024-02-30T00:00:00Z'],
    ['creation_time', '2023-02-29T00:00:00Z'],
    ['creation_time', '2024-13-01T00:00:00Z'],
    ['creation_time', '2024-05-31T25:00:00Z'],
    ['creation_time', '2024-05-31T08:30:00+25:00'],
    ['creation_time', '31.5.2024'],
    ['creation_time', '999999999999999999'],
  ])('%s %j', refuses);

  test('refuses an integer of a hundred thousand digits', () =>
    refuses('memory', '1'.repeat(100_000)));

  /** Expects that a member is refused, in both formats and with its path. */
  function refuses(member: string, text: string): void {
    for (const read of [
      () => decodeObject(xml, `<vm><${member}>${text}</${member}></vm>`, 'vm'),
      () => decodeObject(json, JSON.stringify({ [member]: text }), 'vm'),
    ]) {
      expect(read).toThrow(WireError);
      expect(read).toThrow(`vm.${member}: `);
    }
  }

  test.each([
    '.',
    '-',
    'e5',
    '1e',
    '1e5.0',
    '1e99999',
    '1e400',
    'NaN',
    'Infinity',
    '0x1',
    '1 2',
    '1,5',
  ])('refuses the decimal %j', (text) => {
    for (const read of [
      () => decodeObject(xml, `<cpu><speed>${text}</speed></cpu>`, 'cpu'),
      () => decodeObject(json, JSON.stringify({ speed: text }), 'cpu'),
    ]) {
      expect(read).toThrow(`cpu.speed: "${text}" is not a number`);
    }
  });

  test.each([
    ['2023', [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]],
    ['2024', [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]],
    ['2000', [31, 29]],
    ['1900', [31, 28]],
    ['2100', [31, 28]],
    ['0004', [31, 29]],
  ])('refuses days that the months of %s do not have', (year, days) => {
    for (const [index, last] of days.entries()) {
      const month = `${year}-${String(index + 1).padStart(2, '0')}`;
      const read = (day: number) =>
        readBoth('vm', 'creation_time', `${month}-${String(day).padStart(2, '0')}T08:30:00Z`);
      const kept = `${month}-${last}T08:30:00.000Z`;
      expect(read(last)).toEqual([kept, kept]);
      expect(() => read(last + 1), `${month}-${last + 1}`).toThrow('is not a date');
      expect(() => read(0)).toThrow('is not a date');
    }
  });

  test.each(['1.5', '-62167219200001', '253402300800000', '1e300'])(
    'refuses dates that are %s milliseconds from the epoch',
    (millis) => {
      expect(() => decodeObject(json, `{"creation_time":${millis}}`, 'vm')).toThrow(
        `vm.creation_time: ${Number(millis)} is not a date in milliseconds since the epoch`,
      );
    },
  );

  test('limits the quoted value in messages', () => {
    const memory = (length: number) => () =>
      decodeObject(json, `{"memory":"${'x'.repeat(length)}"}`, 'vm');
    expect(memory(80)).toThrow(/^vm\.memory: "x{80}" is not an integer/);
    expect(memory(81)).toThrow(/^vm\.memory: "x{77}\.\.\." is not an integer/);
    const status = (length: number) => () =>
      decodeObject(json, `{"status":"${'x'.repeat(length)}"}`, 'vm');
    expect(status(80)).toThrow(/^vm\.status: x{80} is not a member/);
    expect(status(81)).toThrow(/^vm\.status: x{77}\.\.\. is not a member/);
    const read = () => decodeObject(xml, `<vm><status>${'x'.repeat(1e6)}</status></vm>`, 'vm');
    expect(read).toThrow(/^vm\.status: x{77}\.\.\. is not a member of VmStatus\./);
  });

  test('names values in attributes like members', () => {
    expect(() => decodeObject(xml, '<vlan id="x"/>', 'vlan')).toThrow('vlan.id: "x" is not');
    expect(decodeObject(xml, '<vlan id="7"/>', 'vlan')).toEqual({ id: 7 });
    expect(decodeObject(xml, '<vlan><id>7</id></vlan>', 'vlan')).toEqual({ id: 7 });
  });
});

describe('writing', () => {
  const written = (value: object, dialect = dialects.standard) =>
    encodeObject(json, value, 'vm', dialect);

  test('dates with offsets, or in milliseconds', () => {
    const value = { creation_time: '2024-05-31T08:30:00.123Z' };
    expect(written(value)).toBe('{"creation_time":"2024-05-31T08:30:00.123Z"}');
    expect(written(value, dialects.ovirt)).toBe('{"creation_time":1717144200123}');
    expect(encodeObject(xml, value, 'vm', dialects.ovirt)).toContain(
      '<creation_time>2024-05-31T08:30:00.123Z</creation_time>',
    );
  });

  test('invalid dates, and dates with an offset, unchanged', () => {
    for (const date of ['soon', '2024-05-31T08:30:00+02:00']) {
      const value = { creation_time: date };
      expect(written(value)).toBe(`{"creation_time":"${date}"}`);
      expect(encodeObject(xml, value, 'vm', dialects.ovirt)).toContain(`>${date}</creation_time>`);
    }
    expect(written({ creation_time: 'soon' }, dialects.ovirt)).toBe('{"creation_time":"soon"}');
    expect(written({ creation_time: '2024-05-31T08:30:00+02:00' }, dialects.ovirt)).toBe(
      '{"creation_time":1717137000000}',
    );
  });

  test('no invalid numbers', () => {
    const value = { cpu: { speed: Number.POSITIVE_INFINITY }, memory: Number.NaN, cpu_shares: '4' };
    for (const dialect of Object.values(dialects)) {
      expect(written(value, dialect)).toBe('{"cpu":{}}');
      expect(encodeObject(xml, value, 'vm', dialect)).toContain('<vm>\n    <cpu/>\n</vm>\n');
    }
    expect(encodeObject(xml, { speed: '1' }, 'cpu', dialects.standard)).toContain('<cpu/>');
  });

  test('integers without fractions and exponents', () => {
    const memory = (value: unknown) => {
      const body = encodeObject(xml, { memory: value }, 'vm', dialects.standard);
      expect(body).toContain(
        `<memory>${/\d+|-\d+/.exec(written({ memory: value }))?.[0]}</memory>`,
      );
      return /<memory>(.*)<\/memory>/.exec(body)?.[1];
    };
    expect(memory(2.7)).toBe('2');
    expect(memory(-2.7)).toBe('-2');
    expect(memory(999_999_999_999_999_900_000)).toBe('999999999999999900000');
    expect(memory(1e21)).toBe('1000000000000000000000');
    expect(memory(-1e21)).toBe('-1000000000000000000000');
  });

  test('typed booleans and integers, or strings', () => {
    const value = { memory: 2n ** 63n - 1n, stateless: true, cpu_shares: 4, cpu: { speed: 2.5 } };
    expect(written(value)).toBe(
      '{"cpu":{"speed":2.5},"memory":9223372036854775807,"stateless":true,"cpu_shares":4}',
    );
    expect(written(value, dialects.ovirt)).toBe(
      '{"cpu":{"speed":2.5},"memory":"9223372036854775807","stateless":"true","cpu_shares":"4"}',
    );
  });

  test('decimals without exponents in XML', () => {
    const speed = (value: number) =>
      /<speed>(.*)<\/speed>/.exec(
        encodeObject(xml, { speed: value }, 'cpu', dialects.standard),
      )?.[1];
    expect(speed(1e21)).toBe('1000000000000000000000');
    expect(speed(-1e21)).toBe('-1000000000000000000000');
    expect(speed(1.25e22)).toBe('12500000000000000000000');
    expect(speed(1e-7)).toBe('0.0000001');
    expect(speed(-1.5e-7)).toBe('-0.00000015');
    expect(speed(1.7976931348623157e308)).toBe(`17976931348623157${'0'.repeat(292)}`);
    expect(speed(0.1)).toBe('0.1');
    expect(speed(Number.NaN)).toBeUndefined();
  });
});

describe('names', () => {
  test('of items of plain lists', () => {
    const lists = Object.keys(types).flatMap((type) =>
      Object.entries(listAttributes(type))
        .filter(
          ([, { kind }]) => /^list (enum )?\w+$/.test(kind) && parseKind(kind).form !== 'struct',
        )
        .map(([member]) => `${member} ${singular(member)}`),
    );
    expect([...new Set(lists)].sort()).toEqual([
      'devices device',
      'dns_servers dns_server',
      'name_servers name_server',
      'required_rng_sources required_rng_source',
      'supported_rng_sources supported_rng_source',
      'transport_types transport_type',
      'usages usage',
    ]);
    expect(singular('iscsi_targets')).toBe('iscsi_target');
    expect(singular('policies')).toBe('policy');
  });

  test('of types in messages', () => {
    expect(displayName('vm_status')).toBe('VmStatus');
    expect(displayName('se_linux_mode')).toBe('SeLinuxMode');
  });
});
