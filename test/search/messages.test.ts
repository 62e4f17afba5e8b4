/** What a search that does not parse is told: the problem, the place, and what could stand there. */
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
    ['vm', ';name=a', '; is not allowed in a search at character 1'],
    ['vm', 'name=a;', '; is not allowed in a search at character 7'],
    ['vm', "name='a'", "' is not allowed in a search at character 6"],
    ['vm', 'name=a\\ ', 'a search may not end with a backslash at character 7'],
    ['vm', 'name=a or', 'the search ends at character 10; expected a condition'],
    ['vm', 'name=a or page 2', 'unexpected page at character 11; expected a condition'],
    ['vm', 'and', 'unexpected and at character 1; expected a condition'],
    ['vm', '<1', 'unexpected relation at character 1; expected a field'],
    ['vm', '(name=a)', 'parentheses are not supported at character 1; expected a condition'],
    ['vm', 'name=a )', 'parentheses are not supported at character 8; expected a condition'],
    ['vm', '"name"=a', 'a field in quotes at character 1; expected a field'],
    ['vm', 'name>a', '> does not go with name at character 5; expected =, !='],
    ['vm', 'Host<=a', '<= does not go with Host at character 5; expected =, !='],
    ['vm', 'name=', 'the search ends at character 6; expected a value'],
    ['vm', 'name=!=a', 'a second relation at character 6; expected a value'],
    ['vm', 'name= <a', 'a second relation at character 7; expected a value'],
    ['vm', 'name="a', 'the search ends inside quotes at character 8; expected "'],
    [
      'vm',
      'name=a"b"',
      'quotes that do not surround the whole value at character 7; expected a blank',
    ],
    [
      'vm',
      'name="a"b',
      'quotes that do not surround the whole value at character 8; expected a blank',
    ],
    [
      'vm',
      'name="a""b"',
      'quotes that do not surround the whole value at character 8; expected a blank',
    ],
    [
      'vm',
      'one two',
      'a second text to look for at character 5; ' +
        'expected a field and a relation, or quotes around several words',
    ],
    ['vm', 'memory>""', 'an empty value at character 8; expected a value, or = or != before it'],
    ['vm', 'memory=x', 'x is no integer at character 8; expected an integer'],
    ['vm', `memory=${long}`, `${begins} is no integer at character 8; expected an integer`],
    ['vm', `memory=${long.slice(1)}`, `${long.slice(1)} is no integer at character 8`],
    [
      'vm',
      'memory=9223372036854775807',
      '9223372036854775807 is no integer of 64 bits at character 8; expected an integer',
    ],
    [
      'vm',
      'uptime>x',
      'x is no duration at character 8; expected days, days.hours:minutes or hours:minutes',
    ],
    ['event', 'time>soon', `soon is no date at character 6; expected ${dates}`],
    [
      'event',
      'severity>loud',
      'loud is no severity at character 10; expected normal, warning, error, alert',
    ],
    [
      'vm',
      'next_run_config_exists=maybe',
      'maybe is no value of the field at character 24; expected true, false',
    ],
    ['vm', `${long}=a`, `unknown field ${begins} at character 1; expected name, `],
    ['vm', `${long.slice(1)}=a`, `unknown field ${long.slice(1)} at character 1; expected name, `],
    ['vm', 'name=a x=1', 'unknown field x at character 8; expected name, '],
    ['vm', 'Host.X=1', 'unknown field X of host at character 6; expected name, '],
    ['vm', `hosts.${long}=1`, `unknown field ${begins} of host at character 7; expected name, `],
    ['vm', 'sortby', 'the search ends at character 7; expected name, '],
    ['vm', 'sortby X', 'x is no field to sort by at character 8; expected name, '],
    ['vm', 'sortby =', ' is no field to sort by at character 8; expected name, '],
    ['vm', 'sortby tag', 'tag is no field to sort by at character 8; expected name, '],
    ['vm', 'sortby name desc asc', 'unexpected text at character 18; expected page, the end'],
    ['vm', 'sortby name asc desc', 'unexpected text at character 17; expected page, the end'],
    ['vm', 'page 2 name=a', 'unexpected text at character 8; expected the end'],
    ['vm', 'sortby name page 2 x', 'unexpected text at character 20; expected the end'],
    ['vm', 'page 2x', 'no page number at character 6; expected a number from 1 to 2147483647'],
    ['vm', 'page x2', 'no page number at character 6; expected a number from 1 to 2147483647'],
  ])('%s: %s', (type, text, message) => {
    const error = failure(text, type);
    expect(error.message.slice(0, message.length)).toBe(message);
    if (!message.endsWith(', ')) expect(error.message.startsWith(message)).toBe(true);
    expect(error.name).toBe('SearchError');
    const place = ` at character ${error.position + 1}`;
    expect(error.message.startsWith(error.problem + place)).toBe(true);
  });

  test('of an unknown field names all that are offered, and the references', () => {
    const { expected } = failure('x=1', 'vm');
    const offered = Object.entries(searchFields['vm'] ?? {}).filter(([, { hidden }]) => !hidden);
    expect(expected.slice(0, offered.length)).toEqual(offered.map(([name]) => name));
    expect(expected.slice(offered.length)).toContain('host.');
    expect(failure('host.x=1', 'vm').expected).toEqual(Object.keys(searchFields['host'] ?? {}));
  });

  test('of what nothing is sorted by names what can be, which tags cannot', () => {
    const { expected } = failure('sortby x', 'vm');
    expect(expected).toContain('name');
    expect(expected).not.toContain('tag');
    expect(Object.keys(searchFields['vm'] ?? {})).toContain('tag');
  });
});

test('conditions on related objects are counted by themselves, sixteen of them at most', () => {
  const many = (count: number, more = '') =>
    `${Array.from({ length: count }, () => 'host.name=h').join(' or ')}${more}`;
  const own = Array.from({ length: 20 }, () => 'name=a').join(' and ');
  expect(parseSearch(many(16, ` ${own}`), 'vm').where).toMatchObject({ op: 'all' });
  expect(failure(many(16, ' or hosts=h'), 'vm').message).toBe(
    `more than 16 conditions on related objects at character ${many(16, ' or ').length + 1}`,
  );
});
