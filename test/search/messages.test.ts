/** Messages of invalid searches: problem, position, and expected tokens. */
import { describe, expect, test } from 'vitest';
import { searchFields } from '../../src/model/derive/search.ts';
import { parseSearch, SearchError } from '../../src/search/parse.ts';

function failure(text: string, type: string): SearchError {
  try {
    parseSearch(text, type);
  } catch (error) {
    if (error instanceof SearchError) return error;
    throw error;
  }
  throw new Error(`The search ${text} was accepted.`);
}

const long = 'x'.repeat(41);
const begins = `${'x'.repeat(37)}...`;
const dates = 'today, yesterday, a weekday, a date such as 2024-05-31, 5/31/24 or "May 31, 2024"';

describe('the message', () => {
  test.each([
    ['vm', ';name=a', '; is not allowed in a query (character 1)'],
    ['vm', 'name=a;', '; is not allowed in a query (character 7)'],
    ['vm', "name='a'", "' is not allowed in a query (character 6)"],
    ['vm', 'name=a\\ ', 'a query must not end with a backslash (character 7)'],
    ['vm', 'name=a or', 'the query ends (character 10); expected a condition'],
    ['vm', 'name=a or page 2', 'unexpected page (character 11); expected a condition'],
    ['vm', 'and', 'unexpected and (character 1); expected a condition'],
    ['vm', '<1', 'unexpected relation (character 1); expected a field'],
    ['vm', '(name=a)', 'parentheses are not supported (character 1); expected a condition'],
    ['vm', 'name=a )', 'parentheses are not supported (character 8); expected a condition'],
    ['vm', '"name"=a', 'a field in quotes (character 1); expected a field'],
    ['vm', 'name>a', '> is not valid for name (character 5); expected =, !='],
    ['vm', 'Host<=a', '<= is not valid for Host (character 5); expected =, !='],
    ['vm', 'name=', 'the query ends (character 6); expected a value'],
    ['vm', 'name=!=a', 'a second relation (character 6); expected a value'],
    ['vm', 'name= <a', 'a second relation (character 7); expected a value'],
    ['vm', 'name="a', 'the query ends inside quotes (character 8); expected "'],
    ['vm', 'name=a"b"', 'quotes around a part of the value (character 7); expected a blank'],
    ['vm', 'name="a"b', 'quotes around a part of the value (character 8); expected a blank'],
    ['vm', 'name="a""b"', 'quotes around a part of the value (character 8); expected a blank'],
    [
      'vm',
      'one two',
      'a second search text (character 5); ' +
        'expected a field and a relation, or quotes around several words',
    ],
    ['vm', 'memory>""', 'an empty value (character 8); expected a value, or = or != before it'],
    ['vm', 'memory=x', '"x" is not a valid integer (character 8); expected an integer'],
    [
      'vm',
      `memory=${long}`,
      `"${begins}" is not a valid integer (character 8); expected an integer`,
    ],
    ['vm', `memory=${long.slice(1)}`, `"${long.slice(1)}" is not a valid integer (character 8)`],
    [
      'vm',
      'memory=9223372036854775807',
      '"9223372036854775807" is not a valid 64-bit integer (character 8); expected an integer',
    ],
    [
      'vm',
      'uptime>x',
      '"x" is not a valid duration (character 8); expected days, days.hours:minutes or hours:minutes',
    ],
    ['event', 'time>soon', `"soon" is not a valid date (character 6); expected ${dates}`],
    [
      'event',
      'severity>loud',
      '"loud" is not a valid severity (character 10); expected normal, warning, error, alert',
    ],
    [
      'vm',
      'next_run_config_exists=maybe',
      '"maybe" is not a valid boolean (character 24); expected true, false',
    ],
    ['vm', `${long}=a`, `unknown field ${begins} (character 1); expected name, `],
    ['vm', `${long.slice(1)}=a`, `unknown field ${long.slice(1)} (character 1); expected name, `],
    ['vm', 'name=a x=1', 'unknown field x (character 8); expected name, '],
    ['vm', 'Host.X=1', 'unknown field X of host (character 6); expected name, '],
    ['vm', `hosts.${long}=1`, `unknown field ${begins} of host (character 7); expected name, `],
    ['vm', 'sortby', 'the query ends (character 7); expected name, '],
    ['vm', 'sortby X', 'cannot sort by x (character 8); expected name, '],
    ['vm', 'sortby =', 'no field to sort by (character 8); expected name, '],
    ['vm', 'sortby tag', 'cannot sort by tag (character 8); expected name, '],
    ['vm', 'sortby name desc asc', 'unexpected text (character 18); expected page, the end'],
    ['vm', 'sortby name asc desc', 'unexpected text (character 17); expected page, the end'],
    ['vm', 'page 2 name=a', 'unexpected text (character 8); expected the end'],
    ['vm', 'sortby name page 2 x', 'unexpected text (character 20); expected the end'],
    ['vm', 'page 2x', 'no page number (character 6); expected a number from 1 to 2147483647'],
    ['vm', 'page x2', 'no page number (character 6); expected a number from 1 to 2147483647'],
  ])('%s: %s', (type, text, message) => {
    const error = failure(text, type);
    expect(error.message.slice(0, message.length)).toBe(message);
    if (!message.endsWith(', ')) expect(error.message.startsWith(message)).toBe(true);
    expect(error.name).toBe('SearchError');
    const position = ` (character ${error.position + 1})`;
    expect(error.message.startsWith(error.problem + position)).toBe(true);
  });

  test('of an unknown field offers all visible fields and the references', () => {
    const { expected } = failure('x=1', 'vm');
    const offered = Object.entries(searchFields['vm'] ?? {}).filter(([, { hidden }]) => !hidden);
    expect(expected.slice(0, offered.length)).toEqual(offered.map(([name]) => name));
    expect(expected.slice(offered.length)).toContain('host.');
    expect(failure('host.x=1', 'vm').expected).toEqual(Object.keys(searchFields['host'] ?? {}));
  });

  test('of an unknown sort field offers the sortable fields, without tags', () => {
    const { expected } = failure('sortby x', 'vm');
    expect(expected).toContain('name');
    expect(expected).not.toContain('tag');
    expect(Object.keys(searchFields['vm'] ?? {})).toContain('tag');
  });
});

test('limits conditions on related objects to sixteen', () => {
  const many = (count: number, more = '') =>
    `${Array.from({ length: count }, () => 'host.name=h').join(' or ')}${more}`;
  const own = Array.from({ length: 20 }, () => 'name=a').join(' and ');
  expect(parseSearch(many(16, ` ${own}`), 'vm').where).toMatchObject({ op: 'all' });
  expect(failure(many(16, ' or hosts=h'), 'vm').message).toBe(
    `more than 16 conditions on related objects (character ${many(16, ' or ').length + 1})`,
  );
});
