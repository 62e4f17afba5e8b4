/** `events list --tail`: prints what happens while it happens. */
import type { Thing } from '../../client/client.ts';
import { UsageError } from '../../client/errors.ts';
import { followEvents } from '../../client/events.ts';
import { durationOf } from '../cli.ts';
import { write } from '../io.ts';
import { plainText } from '../output/cells.ts';
import { harmless } from '../output/harmless.ts';
import { formatOf, isTable, printAs } from '../output/print.ts';
import type { Run } from './run.ts';

/** Prints events until `--count` or `--until-idle` ends it, or Ctrl-C. */
export async function runTail(run: Run): Promise<void> {
  const { cli, client, options, query } = run;
  const count = wholeNumber(options['count'], '--count');
  const idle = durationIn(options['untilIdle'], '--until-idle');
  const interval = durationIn(options['interval'], '--interval') ?? 2_000;
  const { from, max, search, case_sensitive: caseSensitive } = query;
  let lastNews = Date.now();
  let told = 0;
  let isTroubled = false;
  const following = followEvents(client, {
    interval: idle === undefined ? interval : Math.min(interval, Math.max(idle / 2, 50)),
    signal: cli.signal,
    ...(typeof from === 'number' ? { from } : {}),
    ...(typeof max === 'number' ? { last: max } : {}),
    ...(typeof search === 'string' ? { search } : {}),
    ...(typeof caseSensitive === 'boolean' ? { caseSensitive } : {}),
    onTrouble: (error) => {
      if (!isTroubled) cli.warn(`${error.message}; trying again`);
      isTroubled = true;
    },
  });
  for await (const events of following) {
    const shown = count === undefined ? events : events.slice(0, count - told);
    if (shown.length > 0) {
      await show(run, shown, told === 0);
      told += shown.length;
      lastNews = Date.now();
      isTroubled = false;
    }
    if (count !== undefined && told >= count) return;
    if (idle !== undefined && Date.now() - lastNews >= idle) return;
  }
}

/** One line for each event; what was printed is never moved to make columns fit. */
async function show(run: Run, events: readonly Thing[], isFirst: boolean): Promise<void> {
  const { cli } = run;
  const format = formatOf(cli);
  if (isTable(format) && cli.setting('columns') === undefined) {
    for (const event of events) await write(cli.io.stdout, `${lineOf(event)}\n`);
    return;
  }
  const view = { noun: 'events', type: 'event', items: events };
  await printAs(cli, format === 'json' ? 'jsonl' : format, view, isFirst && !cli.on('noHeaders'));
}

function lineOf(event: Thing): string {
  const { id, time, severity, description } = event;
  const parts = [plainText(id), plainText(time), plainText(severity).padEnd(7)];
  return harmless.line([...parts, plainText(description)].join('  '));
}

function wholeNumber(value: unknown, flag: string): number | undefined {
  if (value === undefined) return undefined;
  const number = Number(value);
  if (Number.isInteger(number) && number > 0) return number;
  throw new UsageError(`${flag} ${String(value)}: not a whole number above 0`);
}

function durationIn(value: unknown, flag: string): number | undefined {
  return value === undefined ? undefined : durationOf(String(value), flag);
}
