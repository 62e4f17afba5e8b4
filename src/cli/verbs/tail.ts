/** Continuous output of events: `events list --tail`. */

import { getErrorMessage } from '../../caught-errors.ts';
import type {} from '../../client/client.ts';
import { UsageError } from '../../client/errors.ts';
import { EventCursor, followEvents } from '../../client/follow-events.ts';
import { escapeControlChars } from '../../escape-control-chars.ts';
import { enums } from '../../model/enums.ts';
import type { Resource } from '../../model/resource.ts';
import { type ParsedFile, parseJsonFile } from '../../wire/json-file.ts';
import { formatPlain } from '../output/cells.ts';
import { selectColumns } from '../output/column-selection.ts';
import { getFormat, isTable, printAs, showsColumns } from '../output/print.ts';
import { parseCount } from '../session/command-context.ts';
import { write } from '../session/io.ts';
import { readPrivate, requireWritable, writeOptionFile } from '../session/private-file.ts';
import { parseDuration, parseTimerDuration } from '../text/duration.ts';
import { addNames } from './list-enrichment.ts';
import type { Run } from './run.ts';

/** Prints events until `--count`, `--until-idle` or Ctrl-C ends the command. */
export async function runTail(run: Run): Promise<void> {
  const { cli, client, options, query } = run;
  const count = parseCount(options['count'], '--count');
  const idle = parseOptionalDuration(options['untilIdle'], '--until-idle');
  const interval = parseOptionalDuration(options['interval'], '--interval') ?? 2_000;
  const { from, max, search, case_sensitive: caseSensitive } = query;
  const since = options['since'] === undefined ? undefined : parseInstant(String(options['since']));
  const severities = parseSeverities(options['severity']);
  const file = typeof options['cursor'] === 'string' ? options['cursor'] : undefined;
  const storedCursor = file === undefined ? undefined : readCursor(file);
  if (file !== undefined) requireWritable('--cursor', file);
  const isWanted = combineFilters(severities, run.isWanted);
  let lastNews = Date.now();
  let storedState: string | undefined;
  let isBegin = true;
  let isFirst = true;
  let isTroubled = false;
  const following = followEvents(client, {
    interval: idle === undefined ? interval : Math.min(interval, Math.max(idle / 2, 50)),
    signal: cli.signal,
    ...(typeof from === 'number' ? { from } : {}),
    ...(typeof max === 'number' ? { last: max } : {}),
    ...(since ? { since } : {}),
    ...(isWanted ? { isWanted } : {}),
    ...(typeof search === 'string' ? { search } : {}),
    ...(typeof caseSensitive === 'boolean' ? { caseSensitive } : {}),
    ...(storedCursor ? { cursor: storedCursor } : {}),
    ...(count === undefined ? {} : { count }),
    onServerUnavailable: (error) => {
      if (!isTroubled) cli.warn(`${error.message}; retrying`);
      isTroubled = true;
    },
  });
  for await (const { events, cursor } of following) {
    // The idle time starts after the first poll.
    if (isBegin || events.length > 0) lastNews = Date.now();
    isBegin = false;
    if (events.length > 0) {
      await printEvents(run, events, isFirst);
      isFirst = false;
      isTroubled = false;
    }
    // The cursor covers printed events only.
    const state = JSON.stringify(cursor.state);
    const isNews = state !== storedState && !cli.isDryRun;
    if (file !== undefined && isNews)
      writeOptionFile(
        '--cursor',
        file,
        `${state}
`,
      );
    storedState = state;
    if (idle !== undefined && Date.now() - lastNews >= idle) return;
  }
}

/** Combines `--severity` and `--on`; undefined if all events are wanted. */
function combineFilters(
  severities: ReadonlySet<string> | undefined,
  isAbout: Run['isWanted'],
): ((event: Resource<'event'>) => boolean) | undefined {
  if (!severities && !isAbout) return undefined;
  return (event) =>
    (severities?.has(String(event.severity)) ?? true) && (isAbout?.({ ...event }) ?? true);
}

/** Flags that apply to `--tail` only, with the flag for a list. */
const tailFlags: Readonly<Record<string, { readonly flag: string; readonly instead?: string }>> = {
  cursor: { flag: '--cursor' },
  count: { flag: '--count', instead: '--limit' },
  since: { flag: '--since', instead: "--search 'time>today'" },
  severity: { flag: '--severity', instead: "--search 'severity=error'" },
  untilIdle: { flag: '--until-idle' },
  interval: { flag: '--interval', instead: '--watch 5s' },
};

/** Throws `UsageError` for a flag that has no effect on a list without `--tail` or `--watch`. */
export function refuseFlagsOfTail(options: Run['options']): void {
  if (options['tail'] !== undefined || options['watch'] !== undefined) return;
  const found = Object.entries(tailFlags).find(([name]) => options[name] !== undefined);
  if (!found) return;
  const [, { flag, instead }] = found;
  throw new UsageError(`${flag} requires --tail`, {
    hint: instead === undefined ? 'add --tail' : `add --tail, or use ${instead}`,
  });
}

/** Parses a time or an age: `2030-01-31T12:00:00Z`, `10m`. */
function parseInstant(text: string): Date {
  const instant = new Date(text);
  if (/^\d{4}-/.test(text) && !Number.isNaN(instant.getTime())) return instant;
  if (/^\d{4}-/.test(text)) {
    throw new UsageError(`--since ${text}: not a moment`, {
      hint: 'use 2030-01-31T12:00:00Z, or a duration such as 10m',
    });
  }
  return new Date(Date.now() - parseDuration(text, '--since'));
}

/** Parses severities: a list (`error,alert`) or a lower bound (`>normal`). Undefined means all. */
function parseSeverities(value: unknown): ReadonlySet<string> | undefined {
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

/** Reads the cursor of an earlier run; undefined before the first. */
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
    throw refused(getErrorMessage(error));
  }
  const { value: cursor, place } = parsed;
  const { floor, told } = cursor;
  if (isInteger(floor) && Array.isArray(told) && told.every(isInteger)) {
    return new EventCursor(floor, told);
  }
  const wrong = isInteger(floor) ? 'told' : 'floor';
  throw refused(`${place.at(wrong).position()}: not a cursor of an earlier run`);
}

/** Prints one line for each event. Columns are not aligned, because earlier lines cannot change. */
async function printEvents(
  run: Run,
  events: readonly Resource<'event'>[],
  isFirst: boolean,
): Promise<void> {
  const { cli } = run;
  const format = getFormat(cli);
  if (isTable(format) && cli.setting('columns') === undefined) {
    const inUtc = cli.isOn('utc') ? (await import('../output/utc.ts')).convertToUtc : undefined;
    for (const event of events) {
      await write(cli.io.stdout, `${formatEvent(inUtc?.(event, 'event') ?? event)}\n`);
    }
    return;
  }
  const frame = { noun: 'events', type: 'event' };
  const columns = showsColumns(cli) ? selectColumns(cli, frame) : [];
  const items = await addNames(run.client, 'event', events, columns);
  const headers = isFirst && !cli.isOn('noHeaders');
  await printAs(cli, format === 'json' ? 'jsonl' : format, { ...frame, items }, headers);
}

function formatEvent(event: Resource<'event'>): string {
  const { id, time, severity, description } = event;
  const parts = [formatPlain(id), formatPlain(time), formatPlain(severity).padEnd(7)];
  return escapeControlChars.line([...parts, formatPlain(description)].join('  '));
}

function parseOptionalDuration(value: unknown, flag: string): number | undefined {
  return value === undefined ? undefined : parseTimerDuration(String(value), flag);
}

function isInteger(value: unknown): value is number {
  return Number.isSafeInteger(value);
}
