/**
 * Requests per second of the server's CPU, compared with a bare `node:https` server with the same
 * bytes.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Row } from './report/row.ts';
import { BareServer, playBare } from './support/bare-server.ts';
import { pairRow, takeTurns, type Work } from './support/rounds.ts';
import { authorization, MeasuredServer } from './support/server.ts';
import { answer, quick, roundsOr } from './support/settings.ts';

interface Case {
  readonly name: string;
  readonly path: string;
  readonly accept: string;
  /** Requests in a round. */
  readonly requests: number;
  readonly reach: number;
}

const vms = quick ? 20 : 1_000;

async function measure(
  server: MeasuredServer,
  uncached: MeasuredServer,
  one: Case,
  folder: string,
): Promise<Row[]> {
  const { name, path, accept, requests, reach } = one;
  const { body, contentType } = await server.ask('GET', path, { accept });
  const file = join(folder, 'body');
  writeFileSync(file, body);
  const tls = (leaf: string) => join(server.data, 'tls', leaf);
  const files = { key: tls('server.key'), cert: tls('server.pem'), ca: server.caFile, body: file };
  const bare = await BareServer.start(files, contentType);
  const rate = (who: { cpu(): Promise<number> }, get: () => Promise<Buffer>) => async () => {
    const before = await who.cpu();
    for (let index = 0; index < requests; index += 1) {
      const got = await get();
      if (got.length !== body.length) throw new Error(`${path}: the answer has changed`);
    }
    return requests / ((await who.cpu()) - before);
  };
  try {
    const works = new Map<string, Work<number>>([
      ['ours', rate(server, () => server.get(path, accept))],
      ['uncached', rate(uncached, () => uncached.get(path, accept))],
      ['bare', rate(bare, () => bare.get({ Accept: accept, Authorization: authorization }))],
    ]);
    const turns = await takeTurns(works, roundsOr(5));
    const pair = { name, ours: 'ours', peer: 'bare', beside: 'bare node:https, same bytes', reach };
    const cache = { ...pair, peer: 'uncached', beside: 'without the object cache', reach: 1.5 };
    return [pair, cache].flatMap((compared) => {
      const row = pairRow(turns, { ...compared, direction: 'at least' }, '/CPU-s', (rate) => rate);
      return row ?? [];
    });
  } finally {
    await bare.stop();
  }
}

if (!playBare(process.argv.slice(2))) {
  const folder = mkdtempSync(join(tmpdir(), 'vmctl-bench-'));
  const options = ['--inventory', `hosts=10,vms=${vms}`, '--seed', '1'];
  const server = await MeasuredServer.start(options);
  const uncached = await MeasuredServer.start(options, {
    env: { VMCTL_SERVE_OBJECT_CACHE: 'off' },
  });
  try {
    const [id = ''] = await server.vmIds(1);
    const [few, many] = quick ? [2, 10] : [20, 2_000];
    const rows: Row[] = [];
    for (const form of ['XML', 'JSON']) {
      const accept = `application/${form.toLowerCase()}`;
      const one = { name: `GET one VM, ${form}, TLS keep-alive`, path: `/vms/${id}` };
      const list = { name: `list of ${vms} VMs, ${form}`, path: `/vms?max=${vms}` };
      rows.push(
        ...(await measure(
          server,
          uncached,
          { ...one, accept, requests: many, reach: 0.5 },
          folder,
        )),
        ...(await measure(
          server,
          uncached,
          { ...list, accept, requests: few, reach: 0.25 },
          folder,
        )),
      );
    }
    answer(rows);
  } finally {
    await server.stop();
    await uncached.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
