/** `events list --tail`: prints what happens while it happens. */
import type { ApiObject } from '../../client/client.ts';
import { UsageError } from '../../client/errors.ts';
import { EventCursor, followEvents } from '../../client/follow-events.ts';
import { escapeControlChars } from '../../escape-control-chars.ts';
import { enums } from '../../model/enums.ts';
import { type ParsedFile, parseJsonFile } from '../../wire/json-file.ts';
import { plainText } from '../output/cells.ts';
import { columnsOf } from '../output/column-selection.ts';
import { formatOf, isTable, printAs, showsColumns } from '../output/print.ts';
import { wholeNumber } from '../session/command-context.ts';
import { write } from '../session/io.ts';
import { readPrivate, requireWritable, writeOptionFile } from '../session/private-file.ts';
import { durationOf } from '../text/duration.ts';
import { fillNames } from './list-enrichment.ts';
import type { Run } from './run.ts';

/** Prints events until `--count` or `--until-idle` ends it, or Ctrl-C. */
export async function runTail(run: Run): Promise<void> {
  const { cli, client, options, query } = run;
  const count = wholeNumber(options['count'], '--count');
  const idle = durationIn(options['untilIdle'], '--until-idle');
  const interval = durationIn(options['interval'], '--interval') ?? 2_000;
  const { from, max, search, case_sensitive: caseSensitive } = query;
  const since = options['since'] === undefined ? undefined : instantOf(String(options['since']));
  const severities = severitiesOf(options['severity']);
  const file = typeof options['cursor'] === 'string' ? options['cursor'] : undefined;
  const kept = file === undefined ? undefined : readCursor(file);
  if (file !== undefined) requireWritable('--cursor', file);
  let lastNews = Date.now();
  let keptState: string | undefined;
  let isBegin = true;
  let isFirst = true;
  let isTroubled = false;
  const following = followEvents(client, {
    interval: idle === undefined ? interval : Math.min(interval, Math.max(idle / 2, 50)),
    signal: cli.signal,
    ...(typeof from === 'number' ? { from } : {}),
    ...(typeof max === 'number' ? { last: max } : {}),
    ...(since ? { since } : {}),
    ...(severities ? { isWanted: ({ severity }) => severities.has(String(severity)) } : {}),
    ...(typeof search === 'string' ? { search } : {}),
    ...(typeof caseSensitive === 'boolean' ? { caseSensitive } : {}),
    ...(kept ? { cursor: kept } : {}),
    ...(count === undefined ? {} : { count }),
    onServerUnavailable: (error) => {
      if (!isTroubled) cli.warn(`${error.message}; retrying`);
      isTroubled = true;
    },
  });
  for await (const { events, cursor } of following) {
    // Until there is a place to begin nothing has been looked at.
    if (isBegin || events.length > 0) lastNews = Date.now();
    isBegin = false;
    if (events.length > 0) {
      await show(run, events, isFirst);
      isFirst = false;
      isTroubled = false;
    }
    // Only what was printed is done with.
    const state = JSON.stringify(cursor.state);
    const isNews = state !== keptState && !cli.isDryRun;
    if (file !== undefined && isNews)
      writeOptionFile(
        '--cursor',
        file,
        `${state}
`,
      );
    keptState = state;
    if (idle !== undefined && Date.now() - lastNews >= idle) return;
  }
}

/** A moment, or how long ago it was: `10m`, `2030-01-31T12:00:00Z`. */
function instantOf(text: string): Date {
  const instant = new Date(text);
  if (/^\d{4}-/.test(text) && !Number.isNaN(instant.getTime())) return instant;
  if (/^\d{4}-/.test(text)) {
    throw new UsageError(`--since ${text}: not a moment`, {
      hint: 'use 2030-01-31T12:00:00Z, or a duration such as 10m',
    });
  }
  return new Date(Date.now() - durationOf(text, '--since'));
}

/** The words of `error,alert`, or those above one: `>normal`. All where none are given. */
function severitiesOf(value: unknown): ReadonlySet<string> | undefined {
  if (value === undefined) return undefined;
  const words: readonly string[] = enums.log_severity;
  const [, sign = '', list = ''] = /^(>=?|)\s*(.*)$/.exec(String(value).toLowerCase()) ?? [];
  const given = list.split(',').map((word) => word.trim());
  const unknown = given.find((word) => !words.includes(word));
  if (unknown !== undefined || (sign !== '' && given.length > 1)) {
    throw new UsageError(`--severity ${String(value)}: not a severity`, {
      hint: `use ${words.join(', ')}, separated by commas, or '>normal'`,
    });
  }
  if (sign === '') return new Set(given);
  const at = words.indexOf(given[0] ?? '');
  return new Set(words.slice(sign === '>' ? at + 1 : at));
}

/** Where an earlier run ended; nothing before the first. */
function readCursor(file: string): EventCursor | undefined {
  const text = readPrivate(file, 'trusted');
  if (text === undefined) return undefined;
  const refused = (message: string) =>
    new UsageError(message, {
      hint: 'use another file with --cursor, or remove this one to start with new events',
    });
  let parsed: ParsedFile;
  try {
    parsed = parseJsonFile(text, file);
  } catch (error) {
    throw refused((error as Error).message);
  }
  const { value: cursor, place } = parsed;
  const { floor, told } = cursor;
  if (Number.isSafeInteger(floor) && Array.isArray(told) && told.every(Number.isSafeInteger)) {
    return new EventCursor(floor as number, told as number[]);
  }
  const wrong = Number.isSafeInteger(floor) ? 'told' : 'floor';
  throw refused(`${place.at(wrong).position()}: not a cursor of an earlier run`);
}

/** One line for each event; what was printed is never moved to make columns fit. */
async function show(run: Run, events: readonly ApiObject[], isFirst: boolean): Promise<void> {
  const { cli } = run;
  const format = formatOf(cli);
  if (isTable(format) && cli.setting('columns') === undefined) {
    const inUtc = cli.on('utc') ? (await import('../output/utc.ts')).inUtc : undefined;
    for (const event of events) {
      await write(cli.io.stdout, `${lineOf(inUtc?.(event, 'event') ?? event)}\n`);
    }
    return;
  }
  const frame = { noun: 'events', type: 'event' };
  const columns = showsColumns(cli) ? columnsOf(cli, frame) : [];
  const items = await fillNames(run.client, 'event', events, columns);
  const headers = isFirst && !cli.on('noHeaders');
  await printAs(cli, format === 'json' ? 'jsonl' : format, { ...frame, items }, headers);
}

function lineOf(event: ApiObject): string {
  const { id, time, severity, description } = event;
  const parts = [plainText(id), plainText(time), plainText(severity).padEnd(7)];
  return escapeControlChars.line([...parts, plainText(description)].join('  '));
}

function durationIn(value: unknown, flag: string): number | undefined {
  return value === undefined ? undefined : durationOf(String(value), flag);
}
