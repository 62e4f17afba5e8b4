/**
 * What requests to the server cost: ratios to a GET by id, with a small site and a large one, and
 * the memory that a large one takes; and what it costs to fill one. Every figure is CPU time of the
 * server.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median } from './support/site.ts';

const vmctl = join(process.cwd(), 'bin/vmctl.js');
const quick = process.argv.includes('--quick');
const rounds = quick ? 1 : 7;
const requests = quick ? 5 : 300;
const [few, filled, many] = quick ? [10, 100, 100] : [1_000, 10_000, 100_000];

/**
 * The server tells its CPU time when it is asked: what the system tells is in hundredths. Its threads
 * load this, too, and have no channel.
 */
const teller =
  'if (process.channel) { process.on("message", () => process.send(process.cpuUsage())); process.channel.unref(); }';

interface Running {
  /** CPU time since the start, in milliseconds. */
  readonly cpu: () => Promise<number>;
  /** Resident memory, in MiB. */
  readonly memory: () => number;
  readonly get: (path: string, accept?: string) => Promise<string>;
  readonly stop: () => Promise<void>;
}

async function start(inventory: string): Promise<Running> {
  const folder = mkdtempSync(join(tmpdir(), 'vmctl-bench-'));
  const readyFile = join(folder, 'ready.json');
  const child = spawn(
    process.execPath,
    [
      ...['--import', `data:text/javascript,${encodeURIComponent(teller)}`],
      ...[vmctl, 'serve', '--data', join(folder, 'data'), '--inventory', inventory],
      ...['--listen', '127.0.0.1:0', '--images-listen', '127.0.0.1:0', '--speed', '0'],
      ...['--ready-file', readyFile],
    ],
    {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      env: { ...process.env, VMCTL_SERVE_PASSWORD: 'bench' },
    },
  );
  while (!existsSync(readyFile)) {
    if (child.exitCode !== null) throw new Error(`The server ended with ${child.exitCode}.`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const ready = JSON.parse(readFileSync(readyFile, 'utf8')) as Record<string, string>;
  const agent = new Agent({ keepAlive: true, ca: readFileSync(ready['ca_file'] ?? '') });
  const authorization = `Basic ${Buffer.from('admin@internal:bench').toString('base64')}`;
  return {
    cpu: () => cpuOf(child),
    memory: () => {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
      return Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1]) / 1024;
    },
    get: (path, accept = 'application/json') =>
      new Promise((resolve, reject) => {
        const headers = { Accept: accept, Authorization: authorization };
        const outgoing = request(`${ready['api_url']}${path}`, { agent, headers }, (response) => {
          let text = '';
          response.on('data', (piece: Buffer) => {
            text += piece.toString();
          });
          response.on('end', () => resolve(text));
        });
        outgoing.on('error', reject);
        outgoing.end();
      }),
    stop: async () => {
      child.kill('SIGTERM');
      await once(child, 'exit');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function cpuOf(child: ChildProcess): Promise<number> {
  child.send('cpu');
  const [usage] = (await once(child, 'message')) as [NodeJS.CpuUsage];
  return (usage.user + usage.system) / 1_000;
}

interface Work {
  readonly paths: readonly string[];
  readonly accept?: string;
}

/** CPU of the server per request, in milliseconds; rounds of all works take turns. */
async function costs<Name extends string>(
  server: Running,
  works: Readonly<Record<Name, Work>>,
): Promise<Record<Name, number>> {
  const names = Object.keys(works) as Name[];
  const values = new Map(names.map((name) => [name, [] as number[]]));
  for (let round = 0; round <= rounds; round++) {
    for (const name of names) {
      const { paths, accept } = works[name];
      const before = await server.cpu();
      for (let index = 0; index < requests; index++) {
        await server.get(paths[index % paths.length] ?? '/', accept);
      }
      // The first round warms up.
      if (round > 0) values.get(name)?.push(((await server.cpu()) - before) / requests);
    }
  }
  return Object.fromEntries(names.map((name) => [name, median(values.get(name) ?? [])])) as Record<
    Name,
    number
  >;
}

async function measure(vms: number) {
  const server = await start(`hosts=100,vms=${vms}`);
  try {
    const digits = Math.max(2, String(vms).length);
    const name = (number: number) => `vm-${String(number).padStart(digits, '0')}`;
    const list = JSON.parse(await server.get('/vms?max=20')) as { vm: { id: string }[] };
    const byId = list.vm.map(({ id }) => `/vms/${id}`);
    const byName = Array.from(
      { length: 20 },
      (_, index) => `/vms?search=name%3D${name(index * 3 + 1)}`,
    );
    const pageOf = (number: number) => `/vms?search=sortby%20name%20asc%20page%20${number}&max=100`;
    const page = [pageOf(3)];
    // More than the server keeps in memory: each is made anew.
    const pages = Array.from({ length: 300 }, (_, index) => pageOf(index + 1));
    const cost = await costs(server, {
      byId: { paths: byId },
      byName: { paths: byName },
      page: { paths: page },
      newPage: { paths: pages },
      byIdXml: { paths: byId, accept: 'application/xml' },
      pageXml: { paths: page, accept: 'application/xml' },
    });
    return { ...cost, memory: server.memory() };
  } finally {
    await server.stop();
  }
}

/** CPU time until a server is ready, in milliseconds. */
async function startUp(inventory: string): Promise<number> {
  const values: number[] = [];
  for (let round = 0; round < (quick ? 1 : 3); round++) {
    const server = await start(inventory);
    values.push(await server.cpu());
    await server.stop();
  }
  return median(values);
}

console.log(`server on Node ${process.version}; CPU of the server`);
const fill = ((await startUp(`vms=${filled}`)) - (await startUp('empty'))) / 1_000;
const small = await measure(few);
const large = await measure(many);

/** What a figure may be above its limit before it counts as missed: other work disturbs it. */
const noise = 1.15;

/** Prints a figure beside what it has to reach; a run that is not quick fails where it does not. */
function tell(what: string, figure: number, unit: string, limit: number): void {
  const missed = !quick && figure > limit * noise;
  if (missed) process.exitCode = 1;
  const digits = unit === 'MiB' ? 0 : 2;
  const text = `${figure.toFixed(digits)} ${unit}  (reach ${limit})${missed ? '  MISSED' : ''}`;
  console.log(`${what.padEnd(52)} ${text}`);
}

console.log(
  `GET by id: ${large.byId.toFixed(2)} ms in JSON, ${large.byIdXml.toFixed(2)} ms in XML`,
);
tell(`search name= / GET by id, ${many} VMs`, large.byName / large.byId, 'x', 3);
tell(`search name=, ${many} VMs / ${few} VMs`, large.byName / small.byName, 'x', 1.5);
tell(`page of 100 by name / GET by id, ${many} VMs, JSON`, large.page / large.byId, 'x', 15);
tell(`page of 100 by name / GET by id, ${many} VMs, XML`, large.pageXml / large.byIdXml, 'x', 15);
console.log(
  `such a page that was not asked for since the last change: ${(large.newPage / large.byId).toFixed(1)} x in JSON`,
);
tell(`inventory of ${filled} VMs with disks and interfaces`, fill, 's', 2);
tell(`memory of the server, ${many} VMs`, large.memory, 'MiB', 400);
