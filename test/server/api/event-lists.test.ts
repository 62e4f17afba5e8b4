/** Lists of events from an id (specification 6): their cost does not depend on earlier events. */
import { beforeAll, describe, expect, it } from 'vitest';
import { dialects } from '../../../src/model/dialect.ts';
import { listOperations } from '../../../src/model/index.ts';
import type { Resource } from '../../../src/model/resource.ts';
import { read } from '../../../src/server/api/generic.ts';
import { listOptions } from '../../../src/server/api/list-options.ts';
import { resolveCollection } from '../../../src/server/core/collection-ref.ts';
import type { RuleContext } from '../../../src/server/core/context.ts';
import { readJson } from '../../../src/server/store/kinds.ts';
import { runSlices } from '../../../src/server/store/slices.ts';
import { leaseNames } from '../../../src/server/store/temporary-tables.ts';
import type { Transaction } from '../../../src/server/store/transaction.ts';
import { useWorld } from '../support/world.ts';

type Event = Resource<'event'> & { index: number };

const world = useWorld();
/** Many times the number of events that one statement may read. */
const many = 30_000;
/** All events, newest first. */
let all: readonly Event[];
let last = 0;

beforeAll(async () => {
  all = await world.run((ctx) => {
    for (let number = 0; number < many; number += 1) {
      ctx.addEvent({
        code: number % 5,
        severity: number % 3 === 0 ? 'error' : 'normal',
        description: `number ${number % 7}`,
        origin: 'test',
        custom_id: -1,
      });
    }
    const listed = ctx.tx.list('event') as Event[];
    return listed.sort((one, other) => other.index - one.index);
  });
  last = all[0]?.index ?? 0;
}, 120_000);

/** The events of a list request, through the API code. */
function list(ctx: RuleContext, query: Readonly<Record<string, string>>): Event[] {
  const ref = resolveCollection(ctx.tx, '/events', []);
  const operation = listOperations('/events').find(({ name }) => name === 'list');
  if (!operation) throw new Error('The model has no list of events.');
  const names = leaseNames();
  const request = { parameters: new Map(Object.entries(query)) };
  const options = listOptions(ctx, ref, request, dialects.standard, operation, names);
  const parts = options ? runSlices(read(ctx, ref, options)) : [];
  names.release(ctx.tx);
  return parts.flatMap(({ objects }) => objects() as Event[]);
}

const froms = [1, 500, many / 2, many - 6_000, many - 300, many - 10, many];
const queries: readonly (readonly [Record<string, string>, (event: Event) => boolean])[] = [
  [{ max: '100' }, () => true],
  [{}, () => true],
  [{ max: '20', search: 'severity=error' }, ({ severity }) => severity === 'error'],
  [{ search: 'message="number 3"' }, ({ description }) => description === 'number 3'],
];

it.each(queries)('start at the id, newest first: %j', async (query, fits) => {
  await world.run((ctx) => {
    for (const before of froms) {
      const from = last - many + before;
      const expected = all.filter((event) => event.index >= from && fits(event));
      const found = list(ctx, { ...query, from: String(from) });
      const ids = expected.slice(0, Number(query['max'] ?? many)).map(({ id }) => id);
      expect(
        found.map(({ id }) => id),
        `from ${from}`,
      ).toEqual(ids);
    }
  });
});

it('can have another requested order', async () => {
  await world.run((ctx) => {
    const from = last - 9_000;
    const query = { from: String(from), search: 'sortby message', max: '50' };
    const found = list(ctx, query).map(({ description }) => description);
    expect(found).toEqual(Array(50).fill('number 0'));
  });
});

describe('read no earlier events', () => {
  /** Number of read events, after a first request has cached the number of rows. */
  const looked = (ctx: RuleContext, query: Readonly<Record<string, string>>) => {
    list(ctx, query);
    return rowsLookedAt(ctx.tx, () => list(ctx, query));
  };

  it.each(['', 'severity=error', 'message="number 3"', 'sortby time'])(
    'read only the few matching events: %j',
    async (search) => {
      await world.run((ctx) => {
        const found = looked(ctx, { max: '100', search, from: String(last - 20) });
        // Another index finds at most 5,000 rows before the search reads them.
        expect(found).toBeLessThan(many / 3);
      });
    },
  );

  it('read many events without a match in slices', async () => {
    await world.run((ctx) => {
      const search = 'message=*nothing*';
      const found = looked(ctx, { max: '100', search, from: String(last - many / 3) });
      expect(found).toBeLessThan((2 * many) / 3);
    });
  });
});

/** Number of rows that the statements of the work collect or skip. */
function rowsLookedAt(tx: Transaction, work: () => void): number {
  const plain = tx.statement.bind(tx);
  let rows = 0;
  tx.statement = (sql) => {
    const statement = plain(sql);
    const passes = sql.includes('rowid > ? AND o_event.rowid <= ?');
    if (!passes && !sql.includes('json_group_array(row)')) return statement;
    const get: typeof statement.get = (...values) => {
      const row = statement.get(...values);
      rows += passes
        ? Number(values[1]) - Number(values[0])
        : readJson<number[]>(String(row?.['rows'])).length;
      return row;
    };
    return { ...statement, get };
  };
  try {
    work();
  } finally {
    tx.statement = plain;
  }
  return rows;
}
