/** `vmctl top`: load of hosts and VMs, redrawn on a terminal, otherwise in plain lines. */

import { UsageError } from '../../client/errors.ts';
import { poll } from '../../client/poll.ts';
import type { Resource } from '../../model/resource.ts';
import { defineCommand, defineNoun } from '../args/command.ts';
import { defineArgument, defineFlag } from '../args/parameters.ts';
import { getFormat, isTable, printAs } from '../output/print.ts';
import { clearScreen } from '../output/progress.ts';
import { type CommandContext, parseCount } from '../session/command-context.ts';
import { write } from '../session/io.ts';
import { parseTimerDuration } from '../text/duration.ts';
import { OperationRunner } from '../verbs/operation-runner.ts';
import { TopKeys } from './top/top-keys.ts';
import { Trends } from './top/trends.ts';

interface TopFlags {
  readonly interval: string;
  readonly count?: string;
  readonly limit?: string;
  readonly by: string;
}

type Row = Readonly<Record<string, unknown>>;

/** Statistics and columns of a kind. */
interface MeasuredKind {
  readonly columns: readonly string[];
  /** Reads all objects with their statistics in one request. */
  readonly measure: (runner: OperationRunner) => Promise<readonly Row[]>;
}

const kinds: Readonly<Record<string, MeasuredKind>> = {
  hosts: {
    columns: ['name', 'status', 'cpu', 'memory', 'memory_used', 'memory_total', 'vms'],
    measure: async (runner) =>
      (await runner.list({ path: '/hosts', follow: 'statistics' })).map(createHostRow),
  },
  vms: {
    columns: ['name', 'status', 'cpu', 'memory', 'memory_used', 'network', 'host'],
    measure: async (runner) =>
      (await runner.list({ path: '/vms', follow: 'statistics,host' }))
        .filter(({ status }) => status !== 'down' && status !== 'suspended')
        .map(createVmRow),
  },
};

function createHostRow({ id, name, status, summary, statistics }: Resource<'host'>): Row {
  const values = readStatistics(statistics);
  const used = values.get('memory.used');
  const total = values.get('memory.total');
  return {
    ...{ id, name, status },
    cpu: addValues(values.get('cpu.current.user'), values.get('cpu.current.system')),
    memory: toPercent(used, total),
    memory_used: used,
    memory_total: total,
    vms: summary?.active,
  };
}

function createVmRow({ id, name, status, memory, host, statistics }: Resource<'vm'>): Row {
  const values = readStatistics(statistics);
  const used = values.get('memory.used');
  return {
    ...{ id, name, status },
    cpu: values.get('cpu.current.total'),
    memory: toPercent(used, Number(memory)),
    memory_used: used,
    network: values.get('network.current.total'),
    host: host?.name,
  };
}

function addValues(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : round(a + b);
}

/** Returns a percentage. */
function toPercent(used: number | undefined, total: number | undefined): number | undefined {
  return used === undefined || !total ? undefined : round((100 * used) / total);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

async function runTop(cli: CommandContext, name: string, flags: TopFlags): Promise<void> {
  const kind = kinds[name];
  if (!kind) throw new UsageError(`top: unknown kind "${name}"`);
  if (!['cpu', 'memory', 'name'].includes(flags.by)) {
    throw new UsageError(`--by ${flags.by}: not cpu, memory or name`);
  }
  const interval = parseTimerDuration(flags.interval, '--interval');
  const limit = parseCount(flags.limit, '--limit') ?? Infinity;
  const inPlace = cli.io.stdout.isTTY === true && isTable(getFormat(cli));
  const count = parseCount(flags.count, '--count') ?? (inPlace ? Infinity : 1);
  const runner = await OperationRunner.create(cli, {});
  if (inPlace) {
    await redraw(cli, name, kind, runner, { interval, limit, count, by: flags.by });
    return;
  }
  let reads = 0;
  for await (const all of poll({
    read: () => kind.measure(runner),
    interval,
    signal: cli.signal,
  })) {
    reads += 1;
    await printRows(cli, name, kind, sortRows(all, flags.by).slice(0, limit), reads === 1, false);
    if (reads >= count) return;
  }
}

interface RedrawOptions {
  readonly interval: number;
  readonly limit: number;
  readonly count: number;
  readonly by: string;
}

/** Lines of the terminal below the rows and above them: titles, cursor. */
const otherLines = 2;

/** Redraws the screen after each poll and each key, until the user quits. */
async function redraw(
  cli: CommandContext,
  name: string,
  kind: MeasuredKind,
  runner: OperationRunner,
  { interval, limit, count, by }: RedrawOptions,
): Promise<void> {
  const keys = new TopKeys(cli, by);
  const trends = new Trends(cli.io.env);
  let all: readonly Row[] = [];
  let reads = 0;
  // Keys and polls must not draw at the same time.
  let drawn = Promise.resolve();
  const draw = async () => {
    const { lines } = keys;
    const room = Math.max(1, (cli.io.stdout.rows ?? 24) - lines.length - otherLines);
    const rows = sortRows(all, keys.by).slice(0, Math.min(limit, room));
    const width = cli.io.stdout.columns ?? 80;
    const shown = { ...kind, columns: trends.addColumns(kind.columns, width) };
    await printRows(cli, name, shown, trends.fill(rows, width), reads === 1, true);
    if (lines.length > 0) await write(cli.io.stdout, `${lines.join('\n')}\n`);
  };
  keys.onChange(() => {
    if (reads > 0 && !keys.signal.aborted) drawn = drawn.then(draw);
  });
  const signal = AbortSignal.any([cli.signal, keys.signal]);
  try {
    for await (const read of poll({ read: () => kind.measure(runner), interval, signal })) {
      if (keys.signal.aborted) return;
      all = read;
      trends.add(read);
      reads += 1;
      drawn = drawn.then(draw);
      await drawn;
      if (reads >= count) return;
    }
  } catch (error) {
    if (!keys.signal.aborted) throw error;
  } finally {
    keys.close();
  }
}

function readStatistics(
  statistics: readonly Resource<'statistic'>[] = [],
): ReadonlyMap<string, number> {
  return new Map(
    statistics.flatMap(({ name, values }) => {
      const datum = values?.[0]?.datum;
      return datum === undefined ? [] : [[String(name), datum] as const];
    }),
  );
}

function sortRows(rows: readonly Row[], by: string): readonly Row[] {
  const byName = (a: Row, b: Row) => (String(a['name']) < String(b['name']) ? -1 : 1);
  return [...rows].sort((a, b) =>
    by === 'name' ? byName(a, b) : Number(b[by] ?? -1) - Number(a[by] ?? -1) || byName(a, b),
  );
}

const meanings = { memory_used: 'bytes', memory_total: 'bytes' } as const;

/** Redraws the screen of a terminal; otherwise prints rows with their time. */
async function printRows(
  cli: CommandContext,
  noun: string,
  { columns }: MeasuredKind,
  rows: readonly Row[],
  isFirst: boolean,
  inPlace: boolean,
): Promise<void> {
  const format = getFormat(cli);
  const isJson = format === 'json' || format === 'jsonl';
  if (inPlace) await write(cli.io.stdout, clearScreen);
  const time = new Date().toISOString();
  const items = inPlace ? rows : rows.map((row) => ({ time, ...row }));
  await printAs(
    cli,
    isJson && !isFirst ? 'jsonl' : format,
    { noun, items, columns: inPlace ? columns : ['time', ...columns], meanings },
    (isFirst || inPlace) && !cli.isOn('noHeaders'),
  );
}

export default defineNoun({
  name: 'top',
  doc: 'Show CPU, memory and network usage of hosts and VMs',
  position: 80,
  section: 'Monitor',
  commands: [
    defineCommand({
      arguments: [
        defineArgument('[kind]', 'hosts or vms', { choices: Object.keys(kinds), default: 'hosts' }),
      ],
      flags: [
        defineFlag('--interval <duration>', 'poll interval', { default: '5s' }),
        defineFlag('--count <n>', 'number of refreshes (off a terminal: 1)'),
        defineFlag('--limit <n>', 'number of rows'),
        defineFlag('--by <column>', 'order: cpu, memory or name', {
          default: 'cpu',
        }),
      ],
      notes:
        'CPU, memory and network are in percent. On a terminal, the last line shows the keys: q quits, ? shows all.',
      examples: [
        'vmctl top hosts',
        'vmctl top vms --by memory --limit 10',
        'vmctl top vms --count 3 --interval 10s -o jsonl',
      ],
      unshowable: 'many',
      onlyReads: true,
      run: (cli, [kind], flags) => runTop(cli, kind, flags),
    }),
  ],
});
