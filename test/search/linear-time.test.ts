/** Searches parse in linear time. */
import { expect, test } from 'vitest';
import { parseSearch, SearchError } from '../../src/search/parse.ts';

test.each([
  ['conditions', (n) => `${'name=a or '.repeat(n / 10)}name=b`],
  ['juxtaposed conditions', (n) => 'id=1 '.repeat(n / 5)],
  ['wildcards', (n) => `name=${'*'.repeat(n)}`],
  ['wildcards and letters', (n) => `name=${'*a'.repeat(n / 2)}`],
  ['one word', (n) => 'x'.repeat(n)],
  ['one quoted word', (n) => `"${'x'.repeat(n)}"`],
  ['quotes', (n) => '"'.repeat(n)],
  ['blanks', (n) => `name=a${' '.repeat(n)}and name=b`],
  ['blanks at the end', (n) => `name=a${' '.repeat(n)}`],
  ['relations', (n) => '='.repeat(n)],
  ['exclamation marks', (n) => '!'.repeat(n)],
  ['parentheses', (n) => '('.repeat(n)],
  ['dots', (n) => `${'a.'.repeat(n / 2)}=1`],
  ['a long date', (n) => `creationdate>"${'1/'.repeat(n / 2)}"`],
  ['a long duration', (n) => `uptime>${'1.'.repeat(n / 2)}`],
  ['a long number', (n) => `memory>${'1'.repeat(n)}`],
  ['a long page', (n) => `page ${'1'.repeat(n)}`],
] as [string, (length: number) => string][])('%s: the parse time is linear', (_, of) => {
  const time = (search: string) => {
    const began = process.cpuUsage().user;
    try {
      parseSearch(search, 'vm');
    } catch (error) {
      if (!(error instanceof SearchError)) throw error;
    }
    return process.cpuUsage().user - began;
  };
  const best = (length: number) => Math.min(...Array.from({ length: 5 }, () => time(of(length))));
  // Four times the text takes four times as long, and 16 times in quadratic time. Threads of other
  // tests count as well, so that one of five attempts must be linear.
  const isLinear = () => best(65_536) < 8 * best(16_384) + 4_000;
  expect([1, 2, 3, 4, 5].some(isLinear)).toBe(true);
});
