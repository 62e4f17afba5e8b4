/** `vmctl top`: load of hosts and machines, live in a terminal, in plain lines elsewhere. */
import type { ApiObject } from '../../client/client.ts';
import { UsageError } from '../../client/errors.ts';
import { pause } from '../../client/retry.ts';
import { command, noun } from '../args/command.ts';
import { argument, flag } from '../args/parameters.ts';
import { formatOf, isTable, printAs } from '../output/print.ts';
import { redrawn } from '../output/progress.ts';
import { type CommandContext, wholeNumber } from '../session/command-context.ts';
import { write } from '../session/io.ts';
import { durationOf } from '../text/duration.ts';
import { OperationRunner } from '../verbs/operation-runner.ts';

interface TopFlags {
  readonly interval: string;
  readonly count?: string;
  readonly limit?: string;
  readonly by: string;
}

type Row = Readonly<Record<string, unknown>>;

/** What is measured of a kind, and where it is listed. */
interface Kind {
  readonly path: string;
  readonly columns: readonly string[];
  readonly isMeasured: (item: ApiObject) => boolean;
  readonly row: (item: ApiObject, values: ReadonlyMap<string, number>) => Row;
}

const kinds: Readonly<Record<string, Kind>> = {
  hosts: {
    path: '/hosts',
    columns: ['name', 'status', 'cpu', 'memory', 'memory_used', 'memory_total', 'vms'],
    isMeasured: () => true,
    row: (host, values) => {
      const used = values.get('memory.used');
      const total = values.get('memory.total');
      return {
        id: host['id'],
        name: host['name'],
        status: host['status'],
        cpu: sum(values.get('cpu.current.user'), values.get('cpu.current.system')),
        memory: share(used, total),
        memory_used: used,
        memory_total: total,
        vms: (host['summary'] as ApiObject | undefined)?.['active'],
      };
    },
  },
  vms: {
    path: '/vms',
    columns: ['name', 'status', 'cpu', 'memory', 'memory_used', 'network', 'host'],
    isMeasured: ({ status }) => status !== 'down' && status !== 'suspended',
    row: (vm, values) => {
      const used = values.get('memory.used');
      return {
        id: vm['id'],
        name: vm['name'],
        status: vm['status'],
        cpu: values.get('cpu.current.total'),
        memory: share(used, Number(vm['memory'])),
        memory_used: used,
        network: values.get('network.current.total'),
        host: (vm['host'] as ApiObject | undefined)?.['name'],
      };
    },
  },
};

function sum(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : round(a + b);
}

/** In percent. */
function share(used: number | undefined, total: number | undefined): number | undefined {
  return used === undefined || !total ? undefined : round((100 * used) / total);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

async function top(cli: CommandContext, name: string, flags: TopFlags): Promise<void> {
  const kind = kinds[name];
  if (!kind) throw new UsageError(`top: unknown kind "${name}"`);
  if (!['cpu', 'memory', 'name'].includes(flags.by)) {
    throw new UsageError(`--by ${flags.by}: not cpu, memory or name`);
  }
  const interval = durationOf(flags.interval, '--interval');
  const limit = wholeNumber(flags.limit, '--limit') ?? Infinity;
  const inPlace = cli.io.stdout.isTTY === true && isTable(formatOf(cli));
  const count = wholeNumber(flags.count, '--count') ?? (inPlace ? Infinity : 1);
  const runner = await OperationRunner.begin(cli, {});
  for (let look = 1; ; look += 1) {
    const rows = sorted(await measured(runner, kind), flags.by).slice(0, limit);
    await show(cli, name, kind, rows, look === 1, inPlace);
    if (look >= count) return;
    await pause(interval, cli.signal);
  }
}

/** One request for all objects of a kind, with their statistics. */
async function measured(runner: OperationRunner, kind: Kind): Promise<readonly Row[]> {
  const follow = kind.path === '/vms' ? 'statistics,host' : 'statistics';
  const items = await runner.list({ path: kind.path, follow });
  return items.filter(kind.isMeasured).map((item) => kind.row(item, valuesOf(item)));
}

function valuesOf(item: ApiObject): ReadonlyMap<string, number> {
  const list = item['statistics'];
  if (!Array.isArray(list)) return new Map();
  return new Map(
    (list as readonly ApiObject[]).flatMap((one) => {
      const [first] = (one['values'] ?? []) as readonly ApiObject[];
      const datum = first?.['datum'];
      return datum === undefined ? [] : [[String(one['name']), Number(datum)] as const];
    }),
  );
}

function sorted(rows: readonly Row[], by: string): readonly Row[] {
  const byName = (a: Row, b: Row) => (String(a['name']) < String(b['name']) ? -1 : 1);
  return [...rows].sort((a, b) =>
    by === 'name' ? byName(a, b) : Number(b[by] ?? -1) - Number(a[by] ?? -1) || byName(a, b),
  );
}

const meanings = { memory_used: 'bytes', memory_total: 'bytes' } as const;

/** On a terminal the screen is drawn anew; elsewhere each look has its time in front. */
async function show(
  cli: CommandContext,
  noun: string,
  { columns }: Kind,
  rows: readonly Row[],
  isFirst: boolean,
  inPlace: boolean,
): Promise<void> {
  const format = formatOf(cli);
  const machine = format === 'json' || format === 'jsonl';
  if (inPlace) await write(cli.io.stdout, redrawn);
  const time = new Date().toISOString();
  const items = inPlace ? rows : rows.map((row) => ({ time, ...row }));
  await printAs(
    cli,
    machine && !isFirst ? 'jsonl' : format,
    { noun, items, columns: inPlace ? columns : ['time', ...columns], meanings },
    (isFirst || inPlace) && !cli.on('noHeaders'),
  );
}

export default noun({
  name: 'top',
  doc: 'Show CPU, memory and network usage of hosts and VMs',
  position: 80,
  section: 'Monitor',
  commands: [
    command({
      arguments: [
        argument('[kind]', 'hosts or vms', { choices: Object.keys(kinds), default: 'hosts' }),
      ],
      flags: [
        flag('--interval <duration>', 'poll interval', { default: '5s' }),
        flag('--count <n>', 'number of refreshes (off a terminal: 1)'),
        flag('--limit <n>', 'number of rows'),
        flag('--by <column>', 'order: cpu, memory or name', {
          default: 'cpu',
        }),
      ],
      notes: 'CPU, memory and network are in percent.',
      examples: [
        'vmctl top hosts',
        'vmctl top vms --by memory --limit 10',
        'vmctl top vms --count 3 --interval 10s -o jsonl',
      ],
      unshowable: 'many',
      onlyReads: true,
      run: (cli, [kind], flags) => top(cli, kind, flags),
    }),
  ],
});
