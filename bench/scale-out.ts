/**
 * Site in PostgreSQL: cost of a request with one server and with several, changes and lists of a
 * large site compared with SQLite. CPU is that of the servers and of PostgreSQL.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { createDatabase, postgresPrograms, startCluster } from '../test/support/postgres.ts';
import type { Row } from './report/row.ts';
import { type Pair, pairRow, type Turns, takeTurns, type Work } from './support/rounds.ts';
import { MeasuredServer } from './support/server.ts';
import { answer, quick, roundsOr } from './support/settings.ts';

const rounds = roundsOr(3);
const gets = quick ? 10 : 2_000;
const changes = quick ? 5 : 100;
const requests = quick ? 3 : 100;
const [few, many, pageSize] = quick ? [20, 50, 2] : [1_000, 100_000, 100];
const atMost = 'at most' as const;
const get = 'GET by id';
const page = `page of ${pageSize}`;

if (postgresPrograms() === undefined) {
  const row = { beside: '', unit: '', ours: null, peer: null, ratio: null, spread: null };
  const missing = 'PostgreSQL is not installed';
  answer([{ ...row, name: 'a site in PostgreSQL', reach: null, direction: atMost, missing }]);
} else {
  // With durable commits, as in production.
  const cluster = startCluster([]);
  try {
    answer([...(await servers()), ...(await lists())]);
  } finally {
    cluster.remove();
  }

  /** CPU seconds of PostgreSQL since its start, of running and ended processes. */
  function postgresCpu(): number {
    const postmaster = String(cluster.pid());
    let ticks = 0;
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      try {
        const text = readFileSync(join('/proc', pid, 'stat'), 'utf8');
        const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
        if (pid === postmaster)
          ticks += fields.slice(11, 15).reduce((sum, one) => sum + Number(one), 0);
        else if (fields[1] === postmaster) ticks += Number(fields[11]) + Number(fields[12]);
      } catch {
        // The process has just exited.
      }
    }
    return ticks / 100;
  }

  async function sumCpuTime(all: readonly MeasuredServer[]): Promise<number> {
    const own = await Promise.all(all.map((server) => server.cpu()));
    return own.reduce((sum, one) => sum + one, postgresCpu());
  }

  /** Reads with one, two and three servers, and changes compared with SQLite. */
  async function servers(): Promise<Row[]> {
    const database = await createDatabase(cluster.folder);
    const inventory = ['--inventory', `hosts=10,vms=${few}`];
    const shared: MeasuredServer[] = [];
    const alone = await MeasuredServer.start(inventory);
    try {
      for (let count = 0; count < 3; count += 1) {
        const images = shared[0] ? ['--images', join(shared[0].data, 'images')] : [];
        shared.push(
          await MeasuredServer.start([...inventory, '--store', database.address, ...images]),
        );
      }
      const [first] = shared;
      if (!first) throw new Error('there is no server');
      const ids = await first.vmIds(20);
      const [own = ''] = await alone.vmIds(1);
      const read = (count: number) => async () => {
        const asked = shared.slice(0, count);
        const before = await sumCpuTime(shared);
        await Promise.all(
          asked.map(async (server, index) => {
            for (let number = index; number < gets; number += count) {
              await server.get(`/vms/${ids[number % ids.length]}`);
            }
          }),
        );
        return (1_000 * ((await sumCpuTime(shared)) - before)) / gets;
      };
      let changed = 0;
      const change = (server: MeasuredServer, id: string) => async () => {
        const began = performance.now();
        for (let count = 0; count < changes; count += 1) {
          changed += 1;
          await server.ask('PUT', `/vms/${id}`, { body: { description: `change ${changed}` } });
        }
        return (performance.now() - began) / changes;
      };
      const works = new Map<string, Work<number>>([
        ['1 server', read(1)],
        ['2 servers', read(2)],
        ['3 servers', read(3)],
        ['PostgreSQL', change(first, ids[0] ?? '')],
        ['SQLite', change(alone, own)],
      ]);
      const turns = await takeTurns(works, rounds);
      const one = { peer: '1 server', direction: atMost };
      return createRows(turns, [
        { ...one, name: 'GET by id with 2 servers, CPU of all', ours: '2 servers', reach: 1.18 },
        { ...one, name: 'GET by id with 3 servers, CPU of all', ours: '3 servers', reach: 1.18 },
        {
          ...{ name: 'a change in PostgreSQL, time', ours: 'PostgreSQL', peer: 'SQLite' },
          ...{ reach: 4, direction: atMost },
        },
      ]);
    } finally {
      for (const server of [...shared, alone]) await server.stop();
    }
  }

  /** Search, page and GET of a large site, relative to GET, in PostgreSQL and in SQLite. */
  async function lists(): Promise<Row[]> {
    const database = await createDatabase(cluster.folder);
    const inventory = ['--inventory', `hosts=100,vms=${many}`];
    const turns = new Map<string, readonly number[]>();
    for (const [store, options] of [
      ['SQLite', []],
      ['PostgreSQL', ['--store', database.address]],
    ] as const) {
      const server = await MeasuredServer.start([...inventory, ...options]);
      if (store === 'PostgreSQL') await settle(database.address);
      try {
        const costs = await listCosts(server);
        for (const [name, values] of costs) {
          // Relative to the cost of a GET, as in bench/server.ts.
          const beside = (value: number, round: number) => value / (costs.get(get)?.[round] ?? 1);
          turns.set(`${name}, ${store}`, name === get ? values : values.map(beside));
        }
      } finally {
        await server.stop();
      }
    }
    const pair = (name: string, what: string): Pair => ({
      ...{ name: `${name}, ${many} VMs, in PostgreSQL, ${what}`, ours: `${name}, PostgreSQL` },
      ...{ peer: `${name}, SQLite`, beside: 'SQLite, the same', reach: 2, direction: atMost },
    });
    const beside = 'CPU beside GET';
    return [
      ...createRows(turns, [pair(get, 'CPU')]),
      ...createRows(turns, [pair('search name=', beside), pair(page, beside)], 'x'),
    ];
  }

  /** Runs the maintenance that PostgreSQL would start later for this number of rows. */
  async function settle(address: string): Promise<void> {
    const client = new pg.Client({ connectionString: address });
    await client.connect();
    await client.query('VACUUM ANALYZE');
    await client.end();
  }

  async function listCosts(server: MeasuredServer): Promise<Turns<number>> {
    const ids = await server.vmIds(20);
    const digits = Math.max(2, String(many).length);
    const cost = (path: (number: number) => string) => {
      let number = 0;
      return async () => {
        const before = await sumCpuTime([server]);
        for (let count = 0; count < requests; count += 1) {
          await server.get(path(number));
          number += 1;
        }
        return (1_000 * ((await sumCpuTime([server])) - before)) / requests;
      };
    };
    const works = new Map<string, Work<number>>([
      [get, cost((number) => `/vms/${ids[number % ids.length]}`)],
      [
        'search name=',
        cost(
          (number) =>
            `/vms?search=name%3Dvm-${String(3 * (number % 20) + 1).padStart(digits, '0')}`,
        ),
      ],
      [
        page,
        cost((number) => `/vms?search=sortby%20name%20asc%20page%20${number + 11}&max=${pageSize}`),
      ],
    ]);
    return takeTurns(works, rounds);
  }
}

function createRows(turns: Turns<number>, pairs: readonly Pair[], unit = 'ms'): Row[] {
  return pairs.flatMap((pair) => {
    const row = pairRow(turns, pair, unit, (value) => value);
    return row ? [row] : [];
  });
}
