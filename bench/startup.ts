/** What it costs to start: CPU time of whole commands over that of `node -e 0`, interleaved. */
import { execFileSync } from 'node:child_process';
import { median, startSite, vmctl } from './support/site.ts';

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

const site = await startSite();
const { env } = site;
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
  await site.stop();
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
