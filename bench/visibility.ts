/**
 * Cost of row-level permissions: pages of a user with a permission on every tenth VM, relative to
 * the same pages of the administrator, and event loop delay for both. `--data FOLDER` keeps the
 * site for the next run. `--only` selects pages whose name contains one of its words.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createRow, type Row } from './report/row.ts';
import { fillGreatSite } from './support/great-site.ts';
import { answer, data as given, only, quick, roundsOr } from './support/settings.ts';
import { vmctl } from './support/site.ts';

const rounds = roundsOr(15);
// A quick run only checks that pages succeed.
const vms = quick ? 300 : 100_000;
const permissions = vms / 10;

/**
 * Reports CPU time since the last report, and the maximum between two iterations of the event loop,
 * in milliseconds. This excludes other processes and other threads of the server.
 */
const reporter = `
if (process.channel) {
  let most = 0;
  let all = process.cpuUsage();
  let before = all;
  let began = performance.now();
  const look = () => {
    const { user, system } = process.cpuUsage(before);
    most = Math.max(most, Math.min((user + system) / 1e3, performance.now() - began));
    before = process.cpuUsage();
    began = performance.now();
  };
  setInterval(look, 1).unref();
  process.on('message', () => {
    const { user, system } = process.cpuUsage(all);
    process.send({ most, all: (user + system) / 1e3 });
    most = 0;
    all = process.cpuUsage();
  });
  process.channel.unref();
}`;

const pages: Readonly<Record<string, string>> = {
  'VMs, followed': '/vms?max=100&follow=nics,diskattachments.disk',
  VMs: '/vms?max=100',
  'page 5 of VMs': '/vms?max=100&search=page%205',
  'page 50 of VMs': '/vms?max=100&search=page%2050',
  'VMs by memory': '/vms?max=100&search=sortby%20memory',
  'VMs by cluster': '/vms?max=100&search=sortby%20cluster%20desc',
  'VMs by text': '/vms?max=100&search=description%3D*77*',
  'VMs by storage': '/vms?max=100&search=storage.name%3Ddata1',
  'VMs on a host': '/vms?max=100&search=host.name%3Dhost1',
  'VMs by name': '/vms?max=100&search=name%3D*77*',
  disks: '/disks?max=100',
  'disks, followed': '/disks?max=100&follow=storagedomains',
  'disks by VM': '/disks?max=100&search=vm_names%3D*77*',
  'disks of a domain': '/disks?max=100&search=storage.name%3Ddata1',
  hosts: '/hosts',
  'hosts by VMs': '/hosts?search=vms.name%3D*77*%20sortby%20active_vms',
  clusters: '/clusters',
  'storage domains': '/storagedomains',
  'domains by space': '/storagedomains?search=sortby%20used_size',
  'disks of domains': '/storagedomains?max=1&follow=disks',
  events: '/events?max=100',
  'all VMs': '/vms',
};

const fill = process.argv.indexOf('--fill');
if (fill > 0) {
  // Separate process, so that the database is closed before the server starts.
  process.stdout.write(
    (await fillGreatSite(process.argv[fill + 1] ?? '', { vms, permissions })).vm,
  );
  process.exit();
}

const folder = mkdtempSync(join(tmpdir(), 'vmctl-bench-'));
const data = given === undefined ? join(folder, 'data') : resolve(given);
const note = join(data, 'bench.txt');
if (!existsSync(note)) {
  const own = [process.argv[1] ?? '', '--fill', data, ...(quick ? ['--quick'] : [])];
  const filled = execFileSync(process.execPath, own, { encoding: 'utf8' });
  writeFileSync(note, filled);
}
const vm = readFileSync(note, 'utf8').trim();
const readyFile = join(folder, 'ready.json');
const server = spawn(
  process.execPath,
  [
    ...['--import', `data:text/javascript,${encodeURIComponent(reporter)}`],
    ...[vmctl, 'serve', '--data', data, '--ready-file', readyFile, '--speed', '0'],
    ...['--listen', '127.0.0.1:0', '--images-listen', '127.0.0.1:0'],
  ],
  {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: { ...process.env, VMCTL_SERVE_PASSWORD: 'bench' },
  },
);
try {
  while (!existsSync(readyFile)) {
    if (server.exitCode !== null) throw new Error(`The server ended with ${server.exitCode}.`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const ready = JSON.parse(readFileSync(readyFile, 'utf8')) as Record<string, string>;
  const agent = new Agent({ keepAlive: true, ca: readFileSync(ready['ca_file'] ?? '') });
  const all = {
    ...pages,
    'one VM': `/vms/${vm}`,
    'its disks': `/vms/${vm}/diskattachments`,
  };
  const rows: Row[] = [];
  for (const [name, path] of Object.entries(all)) {
    if (only && !only.some((word) => name.includes(word))) continue;
    const times = { admin: [] as number[], jane: [] as number[] };
    const still = { admin: [] as number[], jane: [] as number[] };
    for (let round = quick ? 1 : 0; round <= rounds; round++) {
      for (const who of ['admin', 'jane'] as const) {
        await report();
        await get(agent, `${ready['api_url']}${path}`, who);
        const { most, all } = await report();
        if (round === 0) continue;
        times[who].push(all);
        still[who].push(most);
      }
    }
    const common = { unit: 'ms', direction: 'at most' } as const;
    rows.push(
      createRow({
        ...{ ...common, name: `${name}, a user with ${permissions} permissions, CPU`, reach: 40 },
        ...{ beside: 'the administrator', ours: times.jane, peer: times.admin },
      }),
      createRow({
        ...{ ...common, name: `${name}, most between two turns of the event loop`, reach: 50 },
        ours: [Math.max(...still.jane, ...still.admin)],
      }),
    );
  }
  answer(rows);
  agent.destroy();
} finally {
  const ended = once(server, 'exit');
  server.kill('SIGTERM');
  await ended;
  rmSync(folder, { recursive: true, force: true });
}

interface Report {
  /** Maximum CPU time between two iterations of the event loop, and total; milliseconds. */
  readonly most: number;
  readonly all: number;
}

/** Activity of the server since the last report. */
async function report(): Promise<Report> {
  // The responses have arrived. One more iteration of the event loop completes the count.
  await new Promise((resolve) => setTimeout(resolve, 5));
  const message = once(server, 'message');
  server.send('report');
  const [usage] = (await message) as [Report];
  return usage;
}

/** Reads a complete response. */
function get(agent: Agent, url: string, who: string): Promise<void> {
  const authorization = `Basic ${Buffer.from(`${who}@internal:bench`).toString('base64')}`;
  const headers = { Accept: 'application/json', Authorization: authorization };
  return new Promise((resolve, reject) => {
    request(url, { agent, headers }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${url}: ${response.statusCode}`));
      response.resume();
      response.on('end', resolve);
    })
      .on('error', reject)
      .end();
  });
}
