/** Restart time of a large site, compared with a small one: after a stop and after a kill. */
import { execFileSync } from 'node:child_process';
import { rmSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isFullRun, recordResult } from './support/catalogue.ts';
import { FolderSite, MiB } from './support/site.ts';

const events = 1_000_000;
const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Copies an event of a closed database until it has `count` events. Uses a separate process, which
 * is certain to release the file.
 */
function addEvents(path: string): void {
  const program = `
    const Database = require('libsql');
    const db = new Database(process.argv[1]);
    db.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -400000');
    const columns = db.prepare("SELECT name FROM pragma_table_info('o_event')").all().map(({ name }) => name);
    const numbered = {
      id: 'number',
      index: 'number',
      doc: "json_set(doc, '$.id', CAST(number AS TEXT), '$.index', number)",
    };
    const values = columns.map((name) => numbered[name] ?? 'o.[' + name + ']');
    db.exec('WITH RECURSIVE numbers (number) AS (SELECT max([index]) + 1 FROM o_event' +
      ' UNION ALL SELECT number + 1 FROM numbers LIMIT ${events})' +
      ' INSERT INTO o_event (' + columns.map((name) => '[' + name + ']').join(', ') + ')' +
      ' SELECT ' + values.join(', ') + ' FROM numbers CROSS JOIN (SELECT * FROM o_event LIMIT 1) o;' +
      " UPDATE counter SET value = (SELECT max([index]) FROM o_event) WHERE name = 'event'");
    db.close();`;
  execFileSync(process.execPath, ['-e', program, path], { cwd: root, stdio: 'inherit' });
}

describe.skipIf(!isFullRun)('A6 a large site (full catalogue only)', () => {
  const small = new FolderSite();
  const large = new FolderSite();
  beforeAll(async () => {
    await small.start();
    await small.stop();
    await large.start('--inventory', 'hosts=50,vms=10000');
    await large.stop();
    addEvents(large.database);
    rmSync(`${large.database}.closed`);
    await large.start();
    await large.stop();
  }, 600_000);
  afterAll(async () => {
    await small.remove();
    await large.remove();
  });

  /** Milliseconds from the start of the process to the first response. */
  async function restarted(site: FolderSite): Promise<number> {
    const began = performance.now();
    await site.start();
    const answer = await site.api.json('GET', '/vms?max=1');
    expect(answer.status).toBe(200);
    return performance.now() - began;
  }

  it('A6 starts as fast as a small one after a stop', async () => {
    const times: [number, number][] = [];
    for (let turn = 0; turn < 5; turn++) {
      times.push([await restarted(large), await restarted(small)]);
      await large.stop();
      await small.stop();
    }
    const [slow = 0] = times.map(([time]) => time).sort((a, b) => a - b);
    const [fast = 0] = times.map(([, time]) => time).sort((a, b) => a - b);
    expect(slow / fast).toBeLessThan(2);
    await large.start();
    const count = (await large.api.json('GET', '/events?max=1')).json<{
      event: { id: string }[];
    }>();
    expect(Number(count.event[0]?.id)).toBeGreaterThan(events);
    await large.kill();
    const began = performance.now();
    await large.start();
    const checked = performance.now() - began;
    await large.stop();
    const size = Math.round(statSync(large.database).size / MiB);
    recordResult(
      'A6',
      `${Math.round(slow)} ms to the first answer (small site ${Math.round(fast)} ms); after kill -9, with a check of ${size} MiB, ${Math.round(checked)} ms`,
    );
  }, 300_000);
});
