/** Check of output flags: those without an effect on the output are refused. */
import { UsageError } from '../../client/errors.ts';
import type { CommandContext } from '../session/command-context.ts';
import type { OutputKind } from '../session/output-kind.ts';
import {
  type Format,
  formats,
  isGiven,
  longFlag,
  type SettingName,
  settingNames,
  settings,
} from '../session/settings.ts';
import { getFormat, isTable } from './print.ts';

type Effects = Partial<Readonly<Record<SettingName, readonly Format[]>>>;

const delimited: readonly Format[] = ['csv', 'tsv'];
const tabular: readonly Format[] = ['table', 'wide', ...delimited];
const documents: readonly Format[] = ['json', 'jsonl', 'yaml'];
const machineFormats = formats.filter((format) => !isTable(format));

const objectEffects: Effects = {
  output: formats,
  query: formats,
  columns: [...tabular, ...documents],
  sort: formats,
  noHeaders: tabular,
  csvSafe: delimited,
  fullTime: ['table', 'wide'],
  utc: [...tabular, ...documents, 'xml'],
};

/** Kinds of output whose tables are empty, or contain sentences. */
const machineEffects: Effects = {
  ...objectEffects,
  query: machineFormats,
  columns: [...delimited, ...documents],
  sort: machineFormats,
  noHeaders: delimited,
  fullTime: [],
  utc: [...delimited, ...documents, 'xml'],
};

const never: Effects = Object.fromEntries(Object.keys(objectEffects).map((name) => [name, []]));

/** Formats in which each flag has an effect, by the kind of output of a command. */
const effective: Readonly<Record<OutputKind, Effects>> = {
  objects: objectEffects,
  object: { ...objectEffects, sort: [], noHeaders: delimited },
  row: { ...objectEffects, sort: [] },
  stream: { ...objectEffects, sort: [], noHeaders: delimited },
  outcomes: machineEffects,
  outcome: { ...machineEffects, sort: [] },
  requests: {
    ...never,
    output: ['table', ...documents],
    query: documents,
    columns: documents,
    sort: documents,
  },
  report: machineEffects,
  definition: { ...never, output: ['yaml', 'json'] },
  text: never,
  // With JSON, notes and errors are JSON as well.
  nothing: { ...never, output: ['json', 'jsonl'] },
};

const reasons: Readonly<Record<OutputKind, string>> = {
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

/** Command, as far as output flags depend on it. */
export interface CommandOutput {
  readonly name: string;
  readonly prints: OutputKind;
  /** The command changes nothing, so `--dry-run` runs it. */
  readonly onlyReads: boolean;
  /** Typed global flags as commander parsed them. */
  readonly typed: Readonly<Record<string, unknown>>;
}

/**
 * Throws `UsageError` for typed flags without an effect on the output of the command, or in the
 * selected format.
 */
export function checkOutputFlags(
  cli: CommandContext,
  { name: of, prints, typed, onlyReads }: CommandOutput,
): void {
  const printed = cli.dryRunMode ? getDryRunKind(cli, prints, onlyReads) : prints;
  for (const name of settingNames) {
    const allowed = effective[printed][name];
    if (allowed === undefined || !isGiven(name, typed)) continue;
    const flag = getFlag(name);
    if (allowed.length === 0) {
      throw new UsageError(`${of} ${flag}: ${reasons[printed]}`, {
        hint: `remove ${flag}`,
      });
    }
    const format = getFormat(cli);
    if (name === 'output') {
      if (allowed.includes(format)) continue;
      throw new UsageError(`${of} -o ${format}: ${reasons[printed]}`, {
        hint: `remove -o, or use -o ${allowed.join(' or ')}`,
      });
    }
    if (allowed.includes(format)) continue;
    // A selection from one object, or from a stream, is a table with headers.
    const isTableIfChosen = printed === 'object' || printed === 'stream';
    if (name === 'noHeaders' && isTableIfChosen && isTable(format) && hasSelection(cli)) continue;
    const why =
      format === 'raw'
        ? `${flag} is not valid with -o raw, which prints the unchanged response`
        : `${flag} has no effect with -o ${format}`;
    throw new UsageError(why, {
      hint: `remove it, or use -o ${allowed.join(', ')}`,
    });
  }
  if (isGiven('columns', typed) && cli.isOn('query')) {
    throw new UsageError('--columns and --query exclude each other', {
      hint: 'use one of them',
    });
  }
}

/** Kind of output if requests are held back. */
function getDryRunKind(cli: CommandContext, prints: OutputKind, onlyReads: boolean): OutputKind {
  if (prints === 'text' || (onlyReads && !cli.isOn('curl'))) return prints;
  // Commands with a plan print the plan.
  return prints === 'report' ? 'objects' : 'requests';
}

function hasSelection(cli: CommandContext): boolean {
  return cli.setting('columns') !== undefined || cli.isOn('query');
}

/**
 * Refuses all output flags except `-o` and `--query`, for a command that prints the unchanged
 * response.
 */
export function refuseOutputFlags(cli: CommandContext, command: string): void {
  for (const name of ['columns', 'sort', 'noHeaders', 'csvSafe', 'fullTime', 'utc'] as const) {
    if (cli.setting(name)?.origin !== 'flag') continue;
    throw new UsageError(
      `${command} ${getFlag(name)}: not valid; the command prints the unchanged response`,
      {
        hint: `remove ${getFlag(name)}; --query selects from the response`,
      },
    );
  }
}

function getFlag(name: SettingName): string {
  return longFlag(settings[name]) ?? name;
}
