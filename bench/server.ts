/**
 * What requests to the server cost: ratios to a GET by id, with a small site and a large one, and
 * the memory that a large one takes. Every figure is CPU time of the server.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const vmctl = join(process.cwd(), 'bin/vmctl.js');
const quick = process.argv.includes('--quick');
const rounds = quick ? 1 : 7;
const requests = quick ? 5 : 200;
const [few, many] = quick ? [10, 100] : [1_000, 100_000];

interface Running {
  readonly cpu: () => number;
  readonly memory: () => number;
  readonly get: (path: string) => Promise<string>;
  readonly stop: () => Promise<void>;
}

async function start(vms: number): Promise<Running> {
  const folder = mkdtempSync(join(tmpdir(), 'vmctl-bench-'));
  const readyFile = join(folder, 'ready.json');
  const child = spawn(
    process.execPath,
    [
      vmctl,
      'serve',
      ...['--data', join(folder, 'data'), '--inventory', `hosts=100,vms=${vms}`, '--speed', '0'],
      ...['--listen', '127.0.0.1:0', '--images-listen', '127.0.0.1:0'],
      ...['--ready-file', readyFile],
    ],
    { stdio: 'ignore', env: { ...process.env, VMCTL_SERVE_PASSWORD: 'bench' } },
  );
  while (!existsSync(readyFile)) await new Promise((resolve) => setTimeout(resolve, 20));
  const ready = JSON.parse(readFileSync(readyFile, 'utf8')) as Record<string, string>;
  const agent = new Agent({ keepAlive: true, ca: readFileSync(ready['ca_file'] ?? '') });
  const authorization = `Basic ${Buffer.from('admin@internal:bench').toString('base64')}`;
  return {
    cpu: () => {
      const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ');
      return Number(fields?.[11]) + Number(fields?.[12]);
    },
    memory: () => {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
      return Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1]) / 1024;
    },
    get: (path) =>
      new Promise((resolve, reject) => {
        const headers = { Accept: 'application/json', Authorization: authorization };
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
      await new Promise((resolve) => child.once('exit', resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** CPU of the server per request, in ticks of the system; the median of some rounds. */
async function cost(server: Running, paths: readonly string[]): Promise<number> {
  const values: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const before = server.cpu();
    for (let index = 0; index < requests; index++) {
      await server.get(paths[index % paths.length] ?? '/');
    }
    // The first round warms up.
    if (round > 0) values.push((server.cpu() - before) / requests);
  }
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

async function measure(vms: number) {
  const server = await start(vms);
  try {
    const digits = Math.max(2, String(vms).length);
    const name = (number: number) => `vm-${String(number).padStart(digits, '0')}`;
    const list = JSON.parse(await server.get('/vms?max=20')) as { vm: { id: string }[] };
    const byId = await cost(
      server,
      list.vm.map(({ id }) => `/vms/${id}`),
    );
    const byName = await cost(
      server,
      Array.from({ length: 20 }, (_, index) => `/vms?search=name%3D${name(index * 3 + 1)}`),
    );
    const page = await cost(server, ['/vms?search=sortby%20name%20asc%20page%203&max=100']);
    return { byId, byName, page, memory: server.memory() };
  } finally {
    await server.stop();
  }
}

const small = await measure(few);
const large = await measure(many);
const ratio = (a: number, b: number) => (a / b).toFixed(2);
console.log(`server on Node ${process.version}; CPU of the server, ratios`);
console.log(
  `search name= / GET by id, ${many} VMs   ${ratio(large.byName, large.byId)} x  (reach 3)`,
);
console.log(
  `search name=, ${many} VMs / ${few} VMs   ${ratio(large.byName, small.byName)} x  (reach 1.5)`,
);
console.log(
  `page of 100 by name / GET by id, ${many} VMs   ${ratio(large.page, large.byId)} x  (reach 15)`,
);
console.log(`memory of the server, ${many} VMs   ${large.memory.toFixed(0)} MiB  (reach 400)`);
