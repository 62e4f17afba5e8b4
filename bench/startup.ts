/** What it costs to start: CPU time of whole commands over that of `node -e 0`, interleaved. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const vmctl = join(process.cwd(), 'bin/vmctl.js');
const quick = process.argv.includes('--quick');
const rounds = quick ? 1 : 15;

/** CPU seconds, user and system, of one run of a command. */
function cpu(command: readonly string[], env: NodeJS.ProcessEnv): number {
  const script = 'TIMEFORMAT="%U %S"; { time "$@" > /dev/null 2>&4; } 4>/dev/null';
  const output = execFileSync('bash', ['-c', `${script} 2>&1`, 'bash', ...command], {
    env,
    encoding: 'utf8',
  });
  const [user = 0, system = 0] = output.trim().split(' ').map(Number);
  return user + system;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

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
    vmctl,
    'serve',
    '--memory',
    ...['--listen', '127.0.0.1:0', '--images-listen', '127.0.0.1:0'],
    ...['--ready-file', readyFile],
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
};

const node = process.execPath;
const commands: Readonly<Record<string, { command: string[]; reach: string }>> = {
  'vmctl --version': { command: [node, vmctl, '--version'], reach: '1.25' },
  'vmctl --help': { command: [node, vmctl, '--help'], reach: '1.8' },
  'vmctl __complete': {
    command: [node, vmctl, '__complete', 'vms', 'create', '--'],
    reach: '1.8',
  },
  'vmctl vms list': {
    command: [node, vmctl, 'vms', 'list'],
    reach: '2.3 (Node 20), 4.0 (Node 24)',
  },
};
const bare: number[] = [];
const measured = new Map(Object.keys(commands).map((name) => [name, [] as number[]]));
try {
  for (let round = 0; round <= rounds; round++) {
    const base = cpu([node, '-e', '0'], env);
    // The first round warms up caches, and signs in.
    if (round > 0) bare.push(base);
    for (const [name, { command }] of Object.entries(commands)) {
      const cost = cpu(command, env);
      if (round > 0) measured.get(name)?.push(cost);
    }
  }
} finally {
  // It keeps its compiled code at the end, in the folder that is removed.
  const ended = once(server, 'exit');
  server.kill('SIGTERM');
  await ended;
  rmSync(folder, { recursive: true, force: true });
}

const base = median(bare);
console.log(
  `start-up on Node ${process.version}, ${rounds} rounds; node -e 0: ${base.toFixed(3)} s of CPU`,
);
if (process.env['NODE_EXTRA_CA_CERTS']) {
  console.log(
    'NODE_EXTRA_CA_CERTS is set: Node 20 reads these certificates at every start, also for node -e 0;\nwithout them all ratios of Node 20 are higher',
  );
}
for (const [name, costs] of measured) {
  const cost = median(costs);
  const ratio = (cost / base).toFixed(2);
  console.log(
    `${name.padEnd(18)} ${cost.toFixed(3)} s  ${ratio} x  (reach ${commands[name]?.reach})`,
  );
}
