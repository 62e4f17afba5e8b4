/**
 * Cost of requests in a site ten times as large: a million VMs and five million events, compared
 * with a tenth of both, in turn. `--data FOLDER` keeps the sites for the next run.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createRow, type Row } from './report/row.ts';
import { fillGreatSite } from './support/great-site.ts';
import { takeTurns, type Work } from './support/rounds.ts';
import { MeasuredServer } from './support/server.ts';
import { answer, data as given, quick, roundsOr, say } from './support/settings.ts';

const rounds = roundsOr(5);
const [few, many] = quick ? [20, 200] : [100_000, 1_000_000];
const eventsOfEach = 5;
const requests = quick ? 2 : 100;

/** Paths of requests by a unique number, so that no response is cached. */
type Paths = (number: number) => string;

const folder = given === undefined ? mkdtempSync(join(tmpdir(), 'vmctl-bench-')) : resolve(given);
const servers: MeasuredServer[] = [];
try {
  const works = new Map<string, Work<number>>();
  for (const vms of [few, many]) {
    const site = join(folder, String(vms));
    if (!existsSync(join(site, 'vmctl.db'))) {
      const began = performance.now();
      await fillGreatSite(site, { vms, events: eventsOfEach * vms });
      say(`${vms} VMs were made in ${((performance.now() - began) / 1_000).toFixed(0)} s`);
    }
    const server = await MeasuredServer.start([], { data: site });
    servers.push(server);
    say(`with ${vms} VMs the server is ready after ${server.readyAfter.toFixed(2)} s`);
    for (const [name, paths] of Object.entries(await readPaths(server, vms))) {
      works.set(`${name}, ${vms}`, measureCpuTime(server, paths));
    }
  }
  const turns = await takeTurns(works, rounds);
  const names = [...turns.keys()].flatMap((key) => key.match(/^(.*), \d+$/)?.[1] ?? []);
  answer([
    ...[...new Set(names)].map(
      (name): Row =>
        createRow({
          ...{ name: `${name}, ${many} VMs, CPU`, beside: `the same among ${few} VMs` },
          ...{
            ours: turns.get(`${name}, ${many}`) ?? [],
            peer: turns.get(`${name}, ${few}`) ?? [],
          },
          ...{ unit: 'ms', reach: 1.5, direction: 'at most' },
        }),
    ),
    createRow({
      name: `memory with ${many} VMs, ${eventsOfEach * many} events`,
      ...{ ours: [servers.at(-1)?.memory() ?? 0], unit: 'MiB', reach: 600, direction: 'at most' },
    }),
  ]);
} finally {
  for (const server of servers) await server.stop();
  if (given === undefined) rmSync(folder, { recursive: true, force: true });
}

async function readPaths(server: MeasuredServer, vms: number): Promise<Record<string, Paths>> {
  const digits = Math.max(2, String(vms).length);
  /** Unique names at equal distances. */
  const createName = (number: number) => {
    const step = Math.max(1, Math.floor(vms / (requests * (rounds + 1) * 2)));
    return `vm-${String(((number * step) % vms) + 1).padStart(digits, '0')}`;
  };
  const ids: string[] = [];
  for (let number = 0; number < requests; number += 1) {
    const found = await server.get(`/vms?search=name%3D${createName(2 * number + 1)}`);
    const { vm = [] } = JSON.parse(String(found)) as { vm?: { id: string }[] };
    ids.push(...vm.map(({ id }) => id));
  }
  const newest = await server.get('/events?max=1');
  const { event = [] } = JSON.parse(String(newest)) as { event?: { id: string }[] };
  const last = Number(event[0]?.id);
  const pages = Math.max(1, Math.floor(few / 100));
  return {
    'GET by id': (number) => `/vms/${ids[number % ids.length]}`,
    'search name=': (number) => `/vms?search=name%3D${createName(2 * number)}`,
    'page of 100 by name': (number) =>
      `/vms?search=sortby%20name%20asc%20page%20${1 + (number % pages)}&max=100`,
    'events since an id': (number) => `/events?from=${last - 10 - (number % 1_000)}&max=100`,
    'newest events of a VM': (number) =>
      `/events?search=vm.name%3D${createName(2 * number)}%20sortby%20time%20desc&max=10`,
  };
}

/** CPU milliseconds of the server for each request. */
function measureCpuTime(server: MeasuredServer, paths: Paths): Work<number> {
  let number = 0;
  return async () => {
    const before = await server.cpu();
    for (let index = 0; index < requests; index += 1) {
      number += 1;
      await server.get(paths(number));
    }
    return (1_000 * ((await server.cpu()) - before)) / requests;
  };
}
