/**
 * What it costs to show somebody no more than they may see: pages of a user with a permission on
 * every tenth machine over the same pages of the administrator, and for how long the event loop of
 * the server stands still for one of them.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fillGreatSite } from './support/great-site.ts';
import { median, vmctl } from './support/site.ts';

const quick = process.argv.includes('--quick');
const rounds = quick ? 5 : 15;
const vms = quick ? 10_000 : 100_000;
const permissions = vms / 10;

/**
 * Tells the most CPU time that passed between two turns of the event loop since it was last asked, in
 * milliseconds: what others take of a busy machine is not of the server.
 */
const teller = `
if (process.channel) {
  let most = 0;
  let before = process.cpuUsage();
  const look = () => {
    const { user, system } = process.cpuUsage(before);
    most = Math.max(most, (user + system) / 1e3);
    before = process.cpuUsage();
  };
  setInterval(look, 1).unref();
  process.on('message', () => { process.send(most); most = 0; });
  process.channel.unref();
}`;

const pages: Readonly<Record<string, string>> = {
  'VMs, followed': '/vms?max=100&follow=nics,diskattachments.disk',
  VMs: '/vms?max=100',
  'page 5 of VMs': '/vms?max=100&search=page%205',
  'VMs by memory': '/vms?max=100&search=sortby%20memory',
  'VMs on a host': '/vms?max=100&search=host.name%3Dhost1',
  'VMs by name': '/vms?max=100&search=name%3D*77*',
  disks: '/disks?max=100',
  'disks, followed': '/disks?max=100&follow=storagedomains',
  clusters: '/clusters',
  'storage domains': '/storagedomains',
  events: '/events?max=100',
};

const fill = process.argv.indexOf('--fill');
if (fill > 0) {
  // A process of its own: the database is free for the server when it has ended.
  console.log((await fillGreatSite(process.argv[fill + 1] ?? '', { vms, permissions })).vm);
  process.exit();
}

const folder = mkdtempSync(join(tmpdir(), 'vmctl-bench-'));
const data = join(folder, 'data');
const own = [process.argv[1] ?? '', '--fill', data, ...(quick ? ['--quick'] : [])];
const vm = execFileSync(process.execPath, own, { encoding: 'utf8' }).trim();
const readyFile = join(folder, 'ready.json');
const server = spawn(
  process.execPath,
  [
    ...['--import', `data:text/javascript,${encodeURIComponent(teller)}`],
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
  console.log(`${vms} VMs, a user with ${permissions} permissions, over the administrator`);
  for (const [name, path] of Object.entries(all)) {
    const times = { admin: [] as number[], jane: [] as number[] };
    let stood = 0;
    for (let round = 0; round <= rounds; round++) {
      for (const who of ['admin', 'jane'] as const) {
        await standing();
        const took = await get(agent, `${ready['api_url']}${path}`, who);
        if (round > 0) times[who].push(took);
        const stands = await standing();
        if (who === 'jane') stood = Math.max(stood, stands);
      }
    }
    const ratio = median(times.jane) / median(times.admin);
    const shown = `${median(times.jane).toFixed(1)} ms`.padStart(10);
    console.log(
      `${name.padEnd(18)} ${ratio.toFixed(2).padStart(6)} x (reach 3) ${shown}; the loop stood still for ${stood.toFixed(0)} ms at most (reach 50)`,
    );
  }
  agent.destroy();
} finally {
  const ended = once(server, 'exit');
  server.kill('SIGTERM');
  await ended;
  rmSync(folder, { recursive: true, force: true });
}

/** The longest that the event loop stood still since this was last asked, in milliseconds. */
async function standing(): Promise<number> {
  // What was asked for has been answered; a turn of the loop is enough to be counted.
  await new Promise((resolve) => setTimeout(resolve, 5));
  const told = once(server, 'message');
  server.send('tell');
  const [delay] = (await told) as [number];
  return delay;
}

/** Milliseconds until all of an answer is there. */
function get(agent: Agent, url: string, who: string): Promise<number> {
  const began = performance.now();
  const authorization = `Basic ${Buffer.from(`${who}@internal:bench`).toString('base64')}`;
  const headers = { Accept: 'application/json', Authorization: authorization };
  return new Promise((resolve, reject) => {
    request(url, { agent, headers }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${url}: ${response.statusCode}`));
      response.resume();
      response.on('end', () => resolve(performance.now() - began));
    })
      .on('error', reject)
      .end();
  });
}
