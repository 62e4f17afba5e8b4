/** Output flags and the formats in which they have an effect. Without an effect they are refused. */
import { UsageError } from '../../client/errors.ts';
import type { CommandContext } from '../session/command-context.ts';
import type { Printed } from '../session/printed.ts';
import {
  type Format,
  formats,
  isGiven,
  longFlag,
  type SettingName,
  settings,
} from '../session/settings.ts';
import { formatOf, isTable } from './print.ts';

type Effects = Partial<Readonly<Record<SettingName, readonly Format[]>>>;

const delimited: readonly Format[] = ['csv', 'tsv'];
const tabular: readonly Format[] = ['table', 'wide', ...delimited];
const documents: readonly Format[] = ['json', 'jsonl', 'yaml'];
const forPrograms = formats.filter((format) => !isTable(format));

const ofObjects: Effects = {
  output: formats,
  query: formats,
  columns: [...tabular, ...documents],
  sort: formats,
  noHeaders: tabular,
  csvSafe: delimited,
  utc: [...tabular, ...documents, 'xml'],
};

/** Tables have nothing, or sentences. */
const ofPrograms: Effects = {
  ...ofObjects,
  query: forPrograms,
  columns: [...delimited, ...documents],
  sort: forPrograms,
  noHeaders: delimited,
  utc: [...delimited, ...documents, 'xml'],
};

const never: Effects = Object.fromEntries(Object.keys(ofObjects).map((name) => [name, []]));

/** Formats in which each flag has an effect, by the kind of output of a command. */
const effective: Readonly<Record<Printed, Effects>> = {
  objects: ofObjects,
  object: { ...ofObjects, sort: [], noHeaders: delimited },
  row: { ...ofObjects, sort: [] },
  stream: { ...ofObjects, sort: [], noHeaders: delimited },
  outcomes: ofPrograms,
  outcome: { ...ofPrograms, sort: [] },
  requests: {
    ...never,
    output: ['table', ...documents],
    query: documents,
    columns: documents,
    sort: documents,
  },
  report: ofPrograms,
  definition: { ...never, output: ['yaml', 'json'] },
  text: never,
  // Notes and errors are JSON then as well.
  nothing: { ...never, output: ['json', 'jsonl'] },
};

const reasons: Readonly<Record<Printed, string>> = {
  objects: 'it prints objects',
  object: 'it prints one object',
  row: 'it prints one object',
  stream: 'it prints objects as they occur',
  outcomes: 'it prints nothing in text formats',
  outcome: 'it prints one object',
  requests: 'it prints requests',
  report: 'it prints a report',
  definition: 'it prints a definition, in YAML or JSON',
  text: 'its output has only one form',
  nothing: 'it prints nothing on standard output',
};

/** A command, as far as the flags of its output are concerned. */
export interface Invocation {
  /** Noun and verb. */
  readonly name: string;
  readonly prints: Printed;
  /** It changes nothing: `--dry-run` runs it. */
  readonly onlyReads: boolean;
  /** Those of the flags of every command that were typed for it, as commander parsed them. */
  readonly typed: Readonly<Record<string, unknown>>;
}

/** Refuses typed flags that have no effect on the output of the command, or in the requested format. */
export function checkOutputFlags(
  cli: CommandContext,
  { name: of, prints, typed, onlyReads }: Invocation,
): void {
  const printed = cli.dryRunMode ? printedByDryRun(cli, prints, onlyReads) : prints;
  for (const [name, allowed] of Object.entries(effective[printed])) {
    if (!isGiven(name as SettingName, typed)) continue;
    const flag = flagOf(name as SettingName);
    if (allowed.length === 0) {
      throw new UsageError(`${of} ${flag}: ${reasons[printed]}`, {
        hint: `remove ${flag}`,
      });
    }
    const format = formatOf(cli);
    if (name === 'output') {
      if (allowed.includes(format)) continue;
      throw new UsageError(`${of} -o ${format}: ${reasons[printed]}`, {
        hint: `remove -o, or use -o ${allowed.join(' or ')}`,
      });
    }
    if (allowed.includes(format)) continue;
    // What is chosen of one object, or of events as they occur, is a table with headers.
    const isTableIfChosen = printed === 'object' || printed === 'stream';
    if (name === 'noHeaders' && isTableIfChosen && isTable(format) && isChosen(cli)) continue;
    const why =
      format === 'raw'
        ? `${flag} is not valid with -o raw, which prints the unchanged response`
        : `${flag} has no effect with -o ${format}`;
    throw new UsageError(why, {
      hint: `remove it, or use -o ${allowed.join(', ')}`,
    });
  }
  if (isGiven('columns', typed) && cli.on('query')) {
    throw new UsageError('--columns and --query exclude each other', {
      hint: 'use one of them',
    });
  }
}

/** What is printed instead if requests are held back. */
function printedByDryRun(cli: CommandContext, prints: Printed, onlyReads: boolean): Printed {
  if (prints === 'text' || (onlyReads && !cli.on('curl'))) return prints;
  // Commands with a plan print the plan.
  return prints === 'report' ? 'objects' : 'requests';
}

function isChosen(cli: CommandContext): boolean {
  return cli.setting('columns') !== undefined || cli.on('query');
}

/** Refuses all but `-o` and `--query` for a command that prints what the service answers. */
export function refuseOutputFlags(cli: CommandContext, command: string): void {
  for (const name of ['columns', 'sort', 'noHeaders', 'csvSafe', 'utc'] as const) {
    if (cli.setting(name)?.origin !== 'flag') continue;
    throw new UsageError(
      `${command} ${flagOf(name)}: not valid; the command prints the unchanged response`,
      {
        hint: `remove ${flagOf(name)}; --query selects from the response`,
      },
    );
  }
}

function flagOf(name: SettingName): string {
  return longFlag(settings[name]) ?? name;
}
