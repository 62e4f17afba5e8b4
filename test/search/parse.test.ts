/** Grammar of the search language. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { searchFields } from '../../src/model/derive/search.ts';
import type { Expression, SearchQuery, SearchValue } from '../../src/search/ast.ts';
import { parseSearch, SearchError } from '../../src/search/parse.ts';

/** Wednesday. */
const now = new Date('2024-06-05T13:45:00.000Z');

function parse(text: string, type = 'vm'): SearchQuery {
  return parseSearch(text, type, now);
}

function failure(text: string, type = 'vm'): SearchError {
  try {
    parse(text, type);
  } catch (error) {
    if (error instanceof SearchError) return error;
    throw error;
  }
  throw new Error(`The search ${text} was accepted.`);
}

function valueText(value: SearchValue): string {
  switch (value.kind) {
    case 'text':
    case 'tag':
      return value.pattern.pieces.join('*');
    case 'user':
      return [value.name, ...(value.domain ? [value.domain] : [])]
        .map(({ pieces }) => pieces.join('*'))
        .join(' at ');
    case 'word':
      return value.word;
    case 'bool':
    case 'number':
      return String(value.value);
    case 'size':
      return `${value.from}..${value.until}`;
    case 'date':
      return value.from.replace(/T00:00:00.000Z$/, '');
    case 'span':
      return `${value.seconds} s`;
    case 'severity':
      return value.words.join('|');
    case 'absent':
      return 'absent';
  }
}

/** An expression as one line, with parentheses that show its structure. */
function line(expression: Expression | undefined): string {
  if (!expression) return '';
  switch (expression.op) {
    case 'all':
      return `(${expression.of.map(line).join(' & ')})`;
    case 'any':
      return `(${expression.of.map(line).join(' | ')})`;
    case 'text': {
      const { through, negated, pattern } = expression;
      return `${negated ? 'not ' : ''}text ${through?.fields ?? ''}[${pattern.pieces.join('*')}]`;
    }
    case 'compare': {
      const { through, name, relation, value } = expression;
      return `${through ? `${through.fields}.` : ''}${name} ${relation} ${valueText(value)}`;
    }
  }
}

function whole(text: string, type = 'vm'): string {
  return line(parse(text, type).where);
}

describe('conditions', () => {
  test.each([
    ['', ''],
    ['  \t ', ''],
    ['name=web', 'name = web'],
    ['NAME = web', 'name = web'],
    ['name=web*', 'name = web*'],
    ['name=**a***b', 'name = *a*b'],
    ['name="two words"', 'name = two words'],
    ['name = "50%_*"', 'name = 50%_*'],
    ['name=a=b', 'name = a=b'],
    ['name=and', 'name = and'],
    ['name!=web', 'name != web'],
    ['name=""', 'name = absent'],
    ['name!=NULL', 'name != absent'],
    ['name="null"', 'name = absent'.replace('absent', 'null')],
    ['quota=null', 'quota = absent'],
    ['name=a and status=up', '(name = a & status = up)'],
    ['name=a AND status=up OR id=1', '((name = a & status = up) | id = 1)'],
    ['name=a or status=up and id=1', '(name = a | (status = up & id = 1))'],
    ['name=a status=up', '(name = a & status = up)'],
    ['name=a or name=b status=up', '((name = a | name = b) & status = up)'],
    ['status=up name=a or name=b', '(status = up & (name = a | name = b))'],
    ['web', 'text [*web*]'],
    ['"two words"', 'text [*two words*]'],
    ['10.0.0.1', 'text [*10.0.0.1*]'],
    ['web and status=up', '(text [*web*] & status = up)'],
    ['status=up web', '(status = up & text [*web*])'],
    ['hosts.name=h', 'host.name = h'],
    ['Host.Status = NonResponsive', 'host.status = non_responsive'],
    ['host=h', 'text host[*h*]'],
    ['host!=h', 'not text host[*h*]'],
    ['web host=h template=t', '(text [*web*] & text host[*h*] & text template[*t*])'],
    ['users.usrname=joe@example.com', 'user.usrname = joe at example.com'],
    ['storage.name=nfs*', 'storage_domain.name = nfs*'],
    ['vnic.mac=02*', 'vm_nic.mac = 02*'],
  ])('%s', (text, expected) => {
    expect(whole(text)).toBe(expected);
  });

  test('free text searches the text fields of the object', () => {
    const { where } = parse('web', 'cluster');
    expect(where).toMatchObject({ op: 'text' });
    if (where?.op !== 'text') return;
    expect(where.fields.map(({ name }) => name)).toEqual([
      'name',
      'description',
      'comment',
      'compatibility_level',
      'cpu_type',
    ]);
  });

  test('a field of a reference contains its steps', () => {
    expect(parse('storage.name=x').where).toMatchObject({
      op: 'compare',
      field: { path: 'name' },
      through: {
        type: 'storage_domain',
        steps: [{ back: 'disk_attachment.vm' }, { follow: 'disk' }, { follow: 'storage_domains' }],
      },
    });
  });
});

describe('values', () => {
  test.each([
    ['vm', 'status=PoweringUp', 'status = powering_up'],
    ['vm', 'status=powering_up', 'status = powering_up'],
    ['vm', 'status=MigratingFrom', 'status = migrating'],
    ['vm', 'type=HighPerformance', 'type = high_performance'],
    ['host', 'status != NonResponsive', 'status != non_responsive'],
    ['host', 'status != non_responsive', 'status != non_responsive'],
    ['data_center', 'status=NonResponsive', 'status = problematic'],
    ['disk', 'disk_type=lun', 'disk_type = lun'],
    ['disk', 'status=OK', 'status = ok'],
    ['disk', 'allocation_policy=Sparse', 'allocation_policy = true'],
    ['disk', 'allocation_policy=preallocated', 'allocation_policy = false'],
    ['storage_domain', 'type=NFS', 'type = nfs'],
    ['storage_domain', 'free_size<10', 'free_size < 10737418240..11811160064'],
    ['vm', 'memory>=1024', 'memory >= 1073741824..1074790400'],
    ['vm', 'memory=8000000000000', 'memory = 8388608000000000000..8388608000001048576'],
    ['vm', 'next_run_config_exists=TRUE', 'next_run_config_exists = true'],
    ['vm', 'uptime > 2', 'uptime > 172800 s'],
    ['vm', 'uptime > 1.12:30', 'uptime > 131400 s'],
    ['vm', 'uptime < 0:05:10.5', 'uptime < 310.5 s'],
    ['vm', 'tag=web', 'tag = web'],
    ['vm', 'cpu_usage > 80', 'cpu_usage > 80'],
    ['vm', 'domain=example.com', 'domain = example.com'],
    ['network', 'vlanid=-1', 'vlanid = -1'],
    ['disk', 'size > 9223372036854775806', 'size > 9223372036854775806'],
    ['event', 'severity > normal', 'severity > warning|error|alert'],
    ['event', 'severity <= Warning', 'severity <= normal|warning'],
    ['event', 'severity != error', 'severity != normal|warning|alert'],
    ['event', 'usrname=joe', 'usrname = joe'],
    ['event', 'usrname=joe@doe@internal', 'usrname = joe@doe at internal'],
    ['event', 'time > Today', 'time > 2024-06-05'],
    ['event', 'time = yesterday', 'time = 2024-06-04'],
    ['event', 'time > monday', 'time > 2024-06-03'],
    ['event', 'time > Wednesday', 'time > 2024-05-29'],
    ['event', 'time > 2024-05-31', 'time > 2024-05-31'],
    ['event', 'time > 2024-05-31T08:30:00Z', 'time > 2024-05-31T08:30:00.000Z'],
    ['event', 'time > "2024-05-31 08:30"', 'time > 2024-05-31T08:30:00.000Z'],
    ['event', 'time > 2024-05-31T08:30:00+02:00', 'time > 2024-05-31T06:30:00.000Z'],
    ['event', 'time > 5/31/24', 'time > 2024-05-31'],
    ['event', 'time > 5/31/1999', 'time > 1999-05-31'],
    ['event', 'time > 5/31/99', 'time > 1999-05-31'],
    ['event', 'time > "5/31/24 8:30 PM"', 'time > 2024-05-31T20:30:00.000Z'],
    ['event', 'time > "May 31, 2024"', 'time > 2024-05-31'],
    ['event', 'time > "Friday, May 31, 2024, 12:00:01 AM"', 'time > 2024-05-31T00:00:01.000Z'],
    ['template', 'creationdate = "December 1, 2023"', 'creationdate = 2023-12-01'],
  ])('%s: %s', (type, text, expected) => {
    expect(whole(text, type)).toBe(expected);
  });

  test('a date is the 24 hours from its start', () => {
    expect(parse('time=today', 'event').where).toMatchObject({
      value: { from: '2024-06-05T00:00:00.000Z', until: '2024-06-06T00:00:00.000Z' },
    });
  });
});

describe('order and page', () => {
  const name = { field: { path: 'name' }, descending: false };

  test.each([
    ['sortby memory', [{ field: { path: 'memory' }, descending: false }, name]],
    ['SORTBY NAME ASC', [{ field: { path: 'name' }, descending: false }, name]],
    ['status=up sortby memory desc', [{ field: { path: 'memory' }, descending: true }, name]],
    ['status=up', [name]],
  ])('%s', (text, order) => {
    expect(parse(text)).toMatchObject({ order });
    expect(parse(text).page).toBeUndefined();
  });

  test.each([
    ['page 1', 1],
    ['sortby name page 2', 2],
    ['SORTBY NAME ASC PAGE 3', 3],
    ['name=a or name=b sortby name desc page 2147483647 ', 2147483647],
  ])('%s', (text, page) => {
    expect(parse(text).page).toBe(page);
  });

  test.each([
    ['event', [{ field: { path: 'index' }, descending: true }]],
    ['disk', [{ field: { path: 'alias' } }, { field: { path: 'id' } }]],
    ['network', [{ field: { path: 'data_center.name' } }, { field: { path: 'name' } }]],
    ['job', [{ field: { path: 'start_time' } }]],
    ['host', [{ field: { path: 'name' } }]],
  ])('the default order of %s', (type, order) => {
    expect(parse('', type)).toMatchObject({ order });
  });
});

describe('searches of existing clients', () => {
  test.each([
    ['vm', 'name="x"', 'name = x'],
    ['disk', 'name=x and vm_names=y', '(name = x & vm_names = y)'],
    ['vm', 'id=6b7a2f0e-59a4-4f0c-8d7b-000000000001', 'id = 6b7a2f0e-59a4-4f0c-8d7b-000000000001'],
    ['vm', 'datacenter=x', 'datacenter = x'],
    ['cluster', 'datacenter=x', 'text data_center[*x*]'],
    ['vm', 'pool=x', 'pool = x'],
    ['vm', 'tag=x', 'tag = x'],
    ['vm', 'status=up', 'status = up'],
    ['disk', 'disk_type=lun', 'disk_type = lun'],
    ['data_center', 'Clusters.name=x', 'cluster.name = x'],
    ['vm', 'storage.name=x', 'storage_domain.name = x'],
    ['event', 'correlation_id=x', 'correlation_id = x'],
    ['job', 'correlation_id=x', 'correlation_id = x'],
    ['event', 'type=842 or type=841', '(type = 842 | type = 841)'],
    ['event', 'type=885 and host.name=x', '(type = 885 & host.name = x)'],
    ['event', 'type=1158 and message=*x*', '(type = 1158 & message = *x*)'],
    ['event', 'type=1152 and vm.id=uuid', '(type = 1152 & vm.id = uuid)'],
    ['vm', 'SORTBY NAME ASC page 4', ''],
    ['event', 'sortby time desc page 4', ''],
    ['vm', 'name="v" and description="v2"', '(name = v & description = v2)'],
    ['host', 'status != non_responsive', 'status != non_responsive'],
    ['host', 'vms.status=up', 'vm.status = up'],
    ['vm', 'users.name=joe', 'user.name = joe'],
    ['event', 'severity > normal sortby time desc', 'severity > warning|error|alert'],
  ])('%s: %s', (type, text, expected) => {
    expect(whole(text, type)).toBe(expected);
  });
});

describe('refusals', () => {
  test.each([
    ['vm', 'foo=1', 0, 'name'],
    ['vm', 'name=a and foo=1', 11, 'status'],
    ['vm', 'host.foo=1', 5, 'name'],
    ['vm', 'nic.mac=1', 0, 'host.'],
    ['vm', 'constructor=1', 0, 'name'],
    ['vm', 'host.__proto__=1', 5, 'name'],
    ['vm', 'name=', 5, 'a value'],
    ['vm', 'name= ', 6, 'a value'],
    ['vm', 'name==a', 5, 'a value'],
    ['vm', 'name=="a"', 5, 'a value'],
    ['vm', '=a', 0, 'a field'],
    ['vm', 'name=a or', 9, 'a condition'],
    ['vm', 'and name=a', 0, 'a condition'],
    ['vm', 'name=a and or name=b', 11, 'a condition'],
    ['vm', 'name=a and sortby name', 11, 'a condition'],
    ['vm', 'name="a', 7, '"'],
    ['vm', 'name="a"b', 7, 'a blank'],
    ['vm', 'name=a"b"', 6, 'a blank'],
    ['vm', '"name"=a', 0, 'a field'],
    ['vm', '(name=a)', 0, 'a condition'],
    ['vm', `${'('.repeat(10_000)}name=a`, 0, 'a condition'],
    ['vm', 'one two', 4, 'a field and a relation, or quotes around several words'],
    ['vm', 'host=a and hosts=b', 17, 'a field and a relation, or quotes around several words'],
    ['vm', 'name>a', 4, '='],
    ['vm', 'host>a', 4, '!='],
    ['vm', 'memory>""', 7, 'a value, or = or != before it'],
    ['vm', 'status=sleeping', 7, 'up'],
    ['vm', 'status=up*', 7, 'up'],
    ['vm', 'memory=1.5', 7, 'an integer'],
    ['vm', 'memory=1GiB', 7, 'an integer'],
    ['vm', 'memory=9223372036854775807', 7, 'an integer'],
    ['vm', 'cpu_usage=9223372036854775808', 10, 'an integer'],
    ['vm', 'next_run_config_exists=maybe', 23, 'true'],
    ['vm', 'creationdate=today', 12, '>'],
    ['vm', 'creationdate>soon', 13, 'today'],
    ['vm', 'creationdate>2024-02-30', 13, 'today'],
    ['vm', 'uptime>long', 7, 'days, days.hours:minutes or hours:minutes'],
    ['vm', 'uptime>1.25:00', 7, 'days, days.hours:minutes or hours:minutes'],
    ['event', 'severity>loud', 9, 'alert'],
    ['event', 'type>5', 4, '='],
    ['vm', 'sortby', 6, 'name'],
    ['vm', 'sortby foo', 7, 'name'],
    ['vm', 'sortby tag', 7, 'name'],
    ['vm', 'sortby name memory', 12, 'page'],
    ['vm', 'sortby name asc desc', 16, 'page'],
    ['vm', 'sortby name name=a', 12, 'page'],
    ['vm', 'page', 4, 'a number from 1 to 2147483647'],
    ['vm', 'page 0', 5, 'a number from 1 to 2147483647'],
    ['vm', 'page -1', 5, 'a number from 1 to 2147483647'],
    ['vm', 'page two', 5, 'a number from 1 to 2147483647'],
    ['vm', 'page 1000000000000000000', 5, 'a number from 1 to 2147483647'],
    ['vm', 'page 2147483648', 5, 'a number from 1 to 2147483647'],
    ['vm', 'page 2 name=a', 7, 'the end'],
    ['vm', 'page 2 page 3', 7, 'the end'],
    ['job', 'name=a', 0, 'correlation_id'],
  ])('%s: %s', (type, text, position, expected) => {
    const error = failure(text, type);
    expect(error.position).toBe(position);
    expect(error.expected).toContain(expected);
    expect(error.message).toContain(`(character ${position + 1})`);
    expect(error.message).toContain(expected);
    expect(error.message.length).toBeLessThan(1500);
  });

  test.each([
    ["name='a'", 5],
    ['name="a;b"', 7],
    ["x' OR 1=1 --", 1],
    ['name=a\\', 6],
    ['name=a\\ ', 6],
  ])('refuses %s, whose character searches must not contain', (text, position) => {
    expect(failure(text)).toMatchObject({ position });
  });

  test('limits conditions to 256', () => {
    const many = (count: number) => Array.from({ length: count }, () => 'id=1').join(' or ');
    expect(parse(many(256)).where).toMatchObject({ op: 'any' });
    expect(failure(many(257))).toMatchObject({ position: 256 * 8, expected: ['the end'] });
  });

  test('accepts hidden fields without offering them', () => {
    expect(whole('_event_vm_id=1', 'event')).toBe('_event_vm_id = 1');
    expect(failure('x=1', 'event').expected).not.toContain('_event_vm_id');
  });

  test('throws for a type that is not searchable', () => {
    expect(() => parse('', 'toString')).toThrow('Objects of type toString are not searchable.');
  });
});

describe('any text', () => {
  const types = Object.keys(searchFields);
  const words = [
    ...['name', 'status', 'host.name', 'hosts', 'time', 'severity', 'memory', 'tag', 'usrname'],
    ...['and', 'or', 'sortby', 'page', 'asc', 'desc', '=', '!=', '<', '>', '<=', '>=', '"', '*'],
    ...['(', ')', 'up', '1', '-1', 'today', '1.1:1', '5/5/24', 'null', '""', "'", ';', '\\', '.'],
  ];
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(fc.constantFrom(...words, ' ', ' '), { maxLength: 20 }).map((all) => all.join('')),
    fc.array(fc.constantFrom(...words), { maxLength: 12 }).map((all) => all.join(' ')),
  );

  test('gives a query, or a SearchError with a position in the text', () => {
    fc.assert(
      fc.property(text, fc.constantFrom(...types), (search, type) => {
        try {
          const query = parse(search, type);
          expect(query.order.length).toBeGreaterThan(0);
        } catch (error) {
          if (!(error instanceof SearchError)) throw error;
          expect(error.position).toBeGreaterThanOrEqual(0);
          expect(error.position).toBeLessThanOrEqual(search.length);
        }
      }),
      { numRuns: 5000 },
    );
  });
});
