/** Small parts: values, near names, widths, escapes, private files, settings. */
import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseValue } from '../../src/cli/args/values.ts';
import { humanBytes, humanText, plainText } from '../../src/cli/output/cells.ts';
import { readPrivate, withLock, writePrivate } from '../../src/cli/session/private-file.ts';
import { find, settingNames, settings } from '../../src/cli/session/settings.ts';
import { closeMatches } from '../../src/cli/text/did-you-mean.ts';
import { displayWidth, truncated } from '../../src/cli/text/display-width.ts';
import { durationOf } from '../../src/cli/text/duration.ts';
import { escapeControlChars } from '../../src/cli/text/escape-control-chars.ts';
import { jsonText } from '../../src/cli/text/json.ts';
import type { Kind, SizeUnit } from '../../src/model/notation/attributes.ts';
import { temporaryHome } from './run.ts';

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

describe('sizes, counted in what the model says', () => {
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
    ['1GB', 'MiB', 'not a whole number of MiB'],
    ['512MiB', 'GiB', 'not a whole number of GiB'],
    ['1.5', 'bytes', 'not a whole number'],
    ['4GiB', undefined, 'not a whole number'],
    ['many', 'GiB', 'neither a number nor a size'],
  ])('%s in %s is refused', (text, unit, message) => {
    const read = () => parseValue(text, { kind: 'long', ...(unit ? { unit } : {}) }, '--x');
    expect(read).toThrow(message);
  });
});

describe('durations', () => {
  it.each([
    ['90', 90_000],
    ['1.5s', 1_500],
    ['10m', 600_000],
    ['1h30m', 5_400_000],
    ['300ms', 300],
  ])('%s', (text, milliseconds) => {
    expect(durationOf(text, '--x')).toBe(milliseconds);
  });

  it.each(['', 'x', '1x', '5m!', '-1s'])('%s is none', (text) => {
    expect(() => durationOf(text, '--x')).toThrow();
  });
});

describe('near names', () => {
  const names = ['web01', 'web02', 'database', 'mail'];

  it.each([
    ['wbe01', ['web01', 'web02']],
    ['datab', ['database']],
    ['base', ['database']],
    ['zzz', []],
  ])('of %s are %j', (word, near) => {
    expect(closeMatches(word, names)).toEqual(near);
  });
});

describe('widths', () => {
  it.each([
    ['abc', 3],
    ['長い', 4],
    ['e\u0301', 1],
    ['👩‍👩‍👧', 2],
    ['плитка', 6],
  ])('of %s is %i', (text, width) => {
    expect(displayWidth(text)).toBe(width);
  });

  it('are cut between characters', () => {
    expect(truncated('長い名前', 5)).toBe('長い…');
    expect(truncated('abc', 3)).toBe('abc');
  });
});

describe('what steers a terminal', () => {
  it('is escaped', () => {
    for (const code of [
      0x00, 0x07, 0x1b, 0x7f, 0x85, 0x9b, 0x200b, 0x200e, 0x2028, 0x202e, 0x2066,
    ]) {
      const text = `a${String.fromCharCode(code)}b`;
      expect(escapeControlChars.line(text)).toBe(`a\\u${code.toString(16).padStart(4, '0')}b`);
      expect(JSON.parse(jsonText(text))).toBe(text);
      expect(jsonText(text)).not.toContain(String.fromCharCode(code));
    }
    expect(escapeControlChars.text('a\nb\r')).toBe('a\nb\\u000d');
    expect(escapeControlChars.line('a\nb')).toBe('a\\u000ab');
  });
});

describe('cells', () => {
  it('hold what people read', () => {
    const now = Date.parse('2030-01-01T00:00:00Z');
    expect(humanBytes(1_536)).toBe('1.5 KiB');
    expect(humanText('2029-12-31T23:57:00Z', 'date', now)).toBe('3m ago');
    expect(humanText('2030-01-01T00:00:30Z', 'date', now)).toBe('in 30s');
    expect(humanText('2001-02-03T00:00:00Z', 'date', now)).toBe('2001-02-03');
    expect(plainText([{ name: 'a' }, { id: 'b' }, 'c'])).toBe('a,b,c');
    expect(plainText({ major: 4, minor: 7 })).toBe('4.7');
    expect(plainText({ name: 'x', value: 1 })).toBe('x=1');
  });
});

describe('private files', () => {
  let home: ReturnType<typeof temporaryHome>;
  let path: string;

  beforeEach(() => {
    home = temporaryHome();
    path = join(home.path, 'a/b/file.json');
  });

  afterEach(() => home.remove());

  it('are made for their owner, in a directory for their owner', () => {
    writePrivate(path, 'x');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(home.path, 'a/b')).mode & 0o777).toBe(0o700);
    writePrivate(path, 'y');
    expect(readPrivate(path, 'secret')).toBe('y');
  });

  it('close a directory that others may look into', () => {
    mkdirSync(join(home.path, 'a/b'), { recursive: true, mode: 0o755 });
    writePrivate(path, 'x');
    expect(statSync(join(home.path, 'a/b')).mode & 0o777).toBe(0o700);
  });

  it('are refused when others may read or change them', () => {
    writePrivate(path, 'x');
    chmodSync(path, 0o640);
    expect(() => readPrivate(path, 'secret')).toThrow('others may read');
    expect(readPrivate(path, 'trusted')).toBe('x');
    chmodSync(path, 0o620);
    expect(() => readPrivate(path, 'trusted')).toThrow('others may change');
  });

  it('are no symbolic links, neither read nor written through', () => {
    const target = join(home.path, 'target');
    writeFileSync(target, 'precious', { mode: 0o600 });
    mkdirSync(join(home.path, 'a/b'), { recursive: true });
    symlinkSync(target, path);
    expect(() => readPrivate(path, 'secret')).toThrow('symbolic link');
    writePrivate(path, 'mine');
    expect(readFileSync(target, 'utf8')).toBe('precious');
    expect(readPrivate(path, 'secret')).toBe('mine');
  });

  it('that are missing are nothing', () => {
    expect(readPrivate(path, 'secret')).toBeUndefined();
  });

  it('are changed by one at a time', async () => {
    writePrivate(path, '0');
    const add = () =>
      withLock(path, () => writePrivate(path, String(Number(readPrivate(path, 'secret')) + 1)));
    await Promise.all(Array.from({ length: 10 }, add));
    expect(readPrivate(path, 'secret')).toBe('10');
  });
});

describe('settings', () => {
  it('come from flag, environment, context and defaults, in this order', () => {
    const from = {
      options: { output: 'json' },
      env: { VMCTL_OUTPUT: 'csv' },
      context: { output: 'yaml' },
      defaults: { output: 'id' },
    };
    expect(find('output', from)).toEqual({ value: 'json', origin: 'flag' });
    expect(find('output', { ...from, options: {} })?.origin).toBe('environment');
    expect(find('output', { ...from, options: {}, env: {} })?.origin).toBe('context');
    expect(find('output', { options: {}, env: {}, defaults: from.defaults })?.value).toBe('id');
    expect(find('output', { options: {}, env: {} })).toBeUndefined();
  });

  it('that are switches understand what people write', () => {
    const env = (value: string) =>
      find('insecure', { options: {}, env: { VMCTL_INSECURE: value } });
    expect(env('1')?.value).toBe('true');
    expect(env('false')).toBeUndefined();
    expect(() => env('perhaps')).toThrow('neither true nor false');
    expect(find('noInput', { options: { input: false }, env: {} })?.origin).toBe('flag');
  });

  it('that are secret have no flag and no key in the configuration', () => {
    for (const name of settingNames.filter((one) => settings[one].secret)) {
      expect(settings[name].flags).toBeUndefined();
      expect(settings[name].key).toBeUndefined();
    }
  });
});
