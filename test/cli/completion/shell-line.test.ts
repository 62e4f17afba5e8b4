/** Lines of shells: splitting and quoting. */
import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { quoteWord, splitLine } from '../../../src/cli/completion/shell-line.ts';

const breaks = ' \t\n"\'@><=;|&(:';

describe('a line of bash', () => {
  it.each([
    ['vmctl vms ', ['vmctl', 'vms', ''], '', ''],
    ['vmctl  vms sta', ['vmctl', 'vms', 'sta'], '', ''],
    ['vmctl get web\\ 0', ['vmctl', 'get', 'web 0'], '', ''],
    ["vmctl get 'web 0", ['vmctl', 'get', 'web 0'], '', "'"],
    ['vmctl get "we\\"b', ['vmctl', 'get', 'we"b'], '', '"'],
    ['vmctl get "we\\b', ['vmctl', 'get', 'we\\b'], '', '"'],
    ['vmctl --cluster=De', ['vmctl', '--cluster=De'], '--cluster=', ''],
    ["vmctl --search='status=po", ['vmctl', '--search=status=po'], '--search=', "'"],
    ['vmctl get a:b', ['vmctl', 'get', 'a:b'], 'a:', ''],
    ['vmctl get a\\:b', ['vmctl', 'get', 'a:b'], '', ''],
    ['vmctl get "a b"c', ['vmctl', 'get', 'a bc'], '', ''],
    ["vmctl get ''", ['vmctl', 'get', ''], '', ''],
  ])('%s', (line, words, kept, quote) => {
    expect(splitLine('bash', line, breaks)).toEqual({ words, kept, quote });
  });

  it('restores any name, as bash itself reads it', () => {
    const name = fc
      .string({ unit: 'grapheme', minLength: 1 })
      .filter((one) => !/\p{Cc}/u.test(one));
    const names = fc.sample(name, 200);
    for (const start of ['', "'", '"']) {
      const line = splitLine('bash', `vmctl get ${start}`, breaks);
      const words = names.map((one) => `${start}${quoteWord('bash', line, one)}${start}`);
      const script = `set +H\nprintf '%s\\0' ${words.join(' ')}`;
      const read = execFileSync('bash', ['-c', script], { encoding: 'utf8' }).split('\0');
      expect(read.slice(0, -1)).toEqual(names);
    }
  });

  it('rejects a word that does not continue the typed text', () => {
    expect(quoteWord('bash', splitLine('bash', 'vmctl a:b', breaks), 'x:b')).toBeUndefined();
  });
});

describe('a line of PowerShell', () => {
  it.each([
    ["vmctl get 'it''s", ['vmctl', 'get', "it's"]],
    ['vmctl get "a `"b', ['vmctl', 'get', 'a "b']],
    ['vmctl get a` b', ['vmctl', 'get', 'a b']],
    ['vmctl get ', ['vmctl', 'get', '']],
  ])('%s', (line, words) => {
    expect(splitLine('powershell', line).words).toEqual(words);
  });

  it.each([
    ['', 'web01', 'web01'],
    ['', 'web 01', "'web 01'"],
    ['', 'name,status', "'name,status'"],
    ['', "it's", "'it''s'"],
    ['', '@up', "'@up'"],
    ["'", 'status=up', "'status=up'"],
    ['"', 'a "$b"', '"a `"`$b`""'],
  ])('opened with %s, %s is written as %s', (start, word, text) => {
    expect(quoteWord('powershell', splitLine('powershell', `vmctl get ${start}`), word)).toBe(text);
    // Quoting followed by splitting returns the same word.
    expect(splitLine('powershell', `vmctl get ${text} `).words).toEqual(['vmctl', 'get', word, '']);
  });
});

describe('a line of fish', () => {
  it.each([
    ["vmctl get 'it\\'s", ['vmctl', 'get', "it's"]],
    ['vmctl get web\\ 0', ['vmctl', 'get', 'web 0']],
    ['vmctl --cluster=De', ['vmctl', '--cluster=De']],
  ])('%s', (line, words) => {
    expect(splitLine('fish', line).words).toEqual(words);
  });
});
