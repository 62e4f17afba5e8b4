/** Durable changes, compared with bare SQLite and with more clients. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../src/server/store/driver.ts';
import { pairRow, takeTurns, type Work } from './support/rounds.ts';
import { MeasuredServer } from './support/server.ts';
import { answer, quick, roundsOr } from './support/settings.ts';

const clients = 16;
/** Changes of each client in a round. */
const changes = quick ? 5 : 200;

const folder = mkdtempSync(join(tmpdir(), 'vmctl-bench-'));
const server = await MeasuredServer.start(['--inventory', `hosts=10,vms=${clients}`]);
try {
  const ids = await server.vmIds(clients);
  if (ids.length < clients) throw new Error(`the server has no ${clients} VMs`);
  // Approximate size of a VM in the database.
  const document = String(await server.get(`/vms/${ids[0]}`));
  const db = await openDatabase(join(folder, 'bare.db'));
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  db.exec('CREATE TABLE objects (id INTEGER PRIMARY KEY, document TEXT NOT NULL)');
  const insert = db.prepare('INSERT INTO objects (document) VALUES (?)');

  let number = 0;
  const change = async (id: string) => {
    for (let index = 0; index < changes; index += 1) {
      number += 1;
      await server.ask('PUT', `/vms/${id}`, { body: { description: `change ${number}` } });
    }
  };
  /** Changes per second of several clients, each with its VM. */
  const rate = async (of: readonly string[]) => {
    const began = performance.now();
    await Promise.all(of.map(change));
    return (1_000 * changes * of.length) / (performance.now() - began);
  };
  const works = new Map<string, Work<number>>([
    [
      'SQLite',
      async () => {
        const began = performance.now();
        // A statement outside of a transaction is committed before it returns.
        for (let index = 0; index < changes; index += 1) insert.run(document);
        return (1_000 * changes) / (performance.now() - began);
      },
    ],
    ['1 client', () => rate(ids.slice(0, 1))],
    [`${clients} clients`, () => rate(ids)],
  ]);
  const turns = await takeTurns(works, roundsOr(5));
  db.close();
  const pairs = [
    {
      ...{ name: 'durable changes, 1 client', ours: '1 client', peer: 'SQLite', reach: 0.4 },
      beside: 'bare SQLite, insert + commit (FULL)',
    },
    {
      ...{ name: `durable changes, ${clients} clients`, ours: `${clients} clients`, reach: 3 },
      peer: '1 client',
    },
  ];
  answer(
    pairs.flatMap((pair) => {
      const row = pairRow(turns, { ...pair, direction: 'at least' }, '/s', (value) => value);
      return row ? [row] : [];
    }),
  );
} finally {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
