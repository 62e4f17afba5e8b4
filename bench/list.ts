/** What a long list costs: wall time over that of `curl | jq .` for the same list, and memory. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { median, startSite, vmctl } from './support/site.ts';

const quick = process.argv.includes('--quick');
const rounds = quick ? 1 : 5;
const vms = quick ? 100 : 10_000;

const site = await startSite('--inventory', `hosts=50,vms=${vms}`, '--speed', '0');
const env = { ...site.env, API: site.apiUrl };

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
  await site.stop();
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
