/** What a long list costs: wall time over that of `curl | jq .` for the same list, and memory. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const vmctl = join(process.cwd(), 'bin/vmctl.js');
const quick = process.argv.includes('--quick');
const rounds = quick ? 1 : 5;
const vms = quick ? 100 : 10_000;

const folder = mkdtempSync(join(tmpdir(), 'vmctl-bench-'));
const readyFile = join(folder, 'ready.json');
const home = {
  ...process.env,
  XDG_CONFIG_HOME: join(folder, 'config'),
  XDG_STATE_HOME: join(folder, 'state'),
  XDG_CACHE_HOME: join(folder, 'cache'),
};
const server = spawn(
  process.execPath,
  [
    ...[vmctl, 'serve', '--memory', '--inventory', `hosts=50,vms=${vms}`, '--speed', '0'],
    ...['--listen', '127.0.0.1:0', '--images-listen', '127.0.0.1:0', '--ready-file', readyFile],
  ],
  { stdio: 'ignore', env: { ...home, VMCTL_SERVE_PASSWORD: 'bench' } },
);
while (!existsSync(readyFile)) await new Promise((resolve) => setTimeout(resolve, 20));
const ready = JSON.parse(readFileSync(readyFile, 'utf8')) as Record<string, string>;
const env = {
  ...home,
  VMCTL_URL: ready['base_url'],
  VMCTL_USERNAME: 'admin@internal',
  VMCTL_PASSWORD: 'bench',
  VMCTL_CA_FILE: ready['ca_file'],
  API: ready['api_url'],
};

interface Cost {
  readonly seconds: number;
  /** MiB, at most; of the command alone. */
  readonly memory: number;
}

/** Runs a command to its end, its output thrown away. */
async function run(command: readonly string[]): Promise<Cost> {
  const [file = '', ...words] = command;
  const began = performance.now();
  const child = spawn(file, words, { stdio: ['ignore', 'ignore', 'inherit'], env });
  let memory = 0;
  const look = setInterval(() => {
    try {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
      memory = Math.max(memory, Number(/^VmHWM:\s*(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024);
    } catch {
      // It has just ended, or there is no such file on this system.
    }
  }, 10);
  await new Promise((resolve) => child.once('exit', resolve));
  clearInterval(look);
  return { seconds: (performance.now() - began) / 1_000, memory };
}

const median = (values: readonly number[]) =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

const yardstick =
  'curl -s --cacert "$VMCTL_CA_FILE" -u admin@internal:bench -H "Accept: application/json" "$API/vms" | jq .';
const list = [process.execPath, vmctl, 'vms', 'list'];
const commands: Readonly<Record<string, readonly string[]>> = {
  'curl | jq .': ['sh', '-c', yardstick],
  'vms list -o json': [...list, '-o', 'json'],
  'vms list -o json --page-size 1000': [...list, '-o', 'json', '--page-size', '1000'],
  'vms list -o csv': [...list, '-o', 'csv'],
  'vms list -o xml': [...list, '-o', 'xml'],
  'vms list': list,
};
const costs = new Map(Object.keys(commands).map((name) => [name, [] as Cost[]]));
try {
  for (let round = 0; round <= rounds; round++) {
    for (const [name, command] of Object.entries(commands)) {
      const cost = await run(command);
      // The first round signs in and warms up.
      if (round > 0) costs.get(name)?.push(cost);
    }
  }
} finally {
  // It keeps its compiled code at the end, in the folder that is removed.
  const ended = once(server, 'exit');
  server.kill('SIGTERM');
  await ended;
  rmSync(folder, { recursive: true, force: true });
}
const base = median((costs.get('curl | jq .') ?? []).map(({ seconds }) => seconds));
console.log(
  `lists of ${vms} VMs on Node ${process.version}; curl | jq . takes ${base.toFixed(2)} s`,
);
for (const [name, all] of costs) {
  if (name === 'curl | jq .') continue;
  const ratio = median(all.map(({ seconds }) => seconds)) / base;
  const memory = Math.max(...all.map((one) => one.memory));
  console.log(
    `${name.padEnd(34)} ${ratio.toFixed(2)} x  (reach 1)  ${memory.toFixed(0)} MiB  (reach 150)`,
  );
}
