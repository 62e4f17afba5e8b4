/** Values of flags: numbers, sizes, words, dates. */
import { describe, expect, it } from 'vitest';
import { parseValue, requirePlausibleSize } from '../../../src/cli/args/values.ts';
import type { Kind, SizeUnit } from '../../../src/model/notation/attributes.ts';

describe('values', () => {
  it.each<[string, Kind, unknown]>([
    ['4GiB', 'long', 4_294_967_296],
    ['4G', 'long', 4_294_967_296],
    ['4GB', 'long', 4_000_000_000],
    ['1.5TiB', 'long', 1_649_267_441_664],
    ['512 mib', 'long', 536_870_912],
    ['9007199254740993', 'long', 9_007_199_254_740_993n],
    ['-1', 'int', -1],
    ['yes', 'bool', true],
    ['0', 'bool', false],
    ['1.5', 'decimal', 1.5],
    ['007', 'string', '007'],
    ['hd, network', 'list enum boot_device', ['hd', 'network']],
    ['Host-Passthrough', 'enum cpu_mode', 'host_passthrough'],
    ['4.7', 'struct version', { major: 4, minor: 7 }],
    ['2030-01-31T12:00:00+01:00', 'date', '2030-01-31T11:00:00.000Z'],
  ])('%s as %s', (text, kind, value) => {
    expect(parseValue(text, { kind, unit: 'bytes' }, '--x')).toEqual(value);
  });

  it.each<[string, Kind]>([
    ['4XiB', 'long'],
    ['', 'long'],
    ['9223372036854775808', 'long'],
    ['-1', 'long'],
    ['-1GiB', 'long'],
    ['1e3', 'int'],
    ['3000000000', 'int'],
    ['maybe', 'bool'],
    ['one', 'decimal'],
    ['tomorrow', 'date'],
    ['floppy', 'enum boot_device'],
    ['4', 'struct version'],
  ])('%s is no %s', (text, kind) => {
    expect(() => parseValue(text, { kind, unit: 'bytes' }, '--x')).toThrow();
  });
});

describe('sizes in the unit of the model', () => {
  it.each<[string, SizeUnit, number]>([
    ['4', 'MiB', 4],
    ['-1', 'GiB', -1],
    ['4GiB', 'MiB', 4_096],
    ['1.5 TiB', 'GiB', 1_536],
    ['1024M', 'GiB', 1],
  ])('%s in %s', (text, unit, value) => {
    expect(parseValue(text, { kind: 'long', unit }, '--x')).toBe(value);
  });

  it.each<[string, SizeUnit | undefined, string]>([
    ['1GB', 'MiB', 'not an integer number of MiB'],
    ['512MiB', 'GiB', 'not an integer number of GiB'],
    ['1.5', 'bytes', 'not an integer'],
    ['4GiB', undefined, 'not an integer'],
    ['many', 'GiB', 'not a number or a size'],
  ])('%s in %s is refused', (text, unit, message) => {
    const read = () => parseValue(text, { kind: 'long', ...(unit ? { unit } : {}) }, '--x');
    expect(read).toThrow(message);
  });
});

describe('plain numbers of bytes', () => {
  it.each([
    ['--memory', '4096', 'for MiB, use --memory 4096MiB; for bytes, --memory 4096B'],
    ['--memory', '4', 'for GiB, use --memory 4GiB; for bytes, --memory 4B'],
    ['--set memory', '1048575', 'for MiB, use --set memory=1048575MiB'],
  ])('%s %s is refused with a suggestion', (flag, text, hint) => {
    const check = () => requirePlausibleSize(text, { kind: 'long', unit: 'bytes' }, flag);
    expect(check).toThrow(`${flag} ${text}: ${text} bytes is too small`);
    expect(check).toThrow(expect.objectContaining({ hint: expect.stringContaining(hint) }));
  });

  it.each<[string, SizeUnit | undefined]>([
    ['0', 'bytes'],
    ['1048576', 'bytes'],
    ['4096B', 'bytes'],
    ['4096MiB', 'bytes'],
    ['10', 'GiB'],
    ['512', 'MiB'],
    ['7', undefined],
  ])('%s in %s is accepted', (text, unit) => {
    const kind = { kind: 'long', ...(unit ? { unit } : {}) } as const;
    expect(() => requirePlausibleSize(text, kind, '--x')).not.toThrow();
  });
});
