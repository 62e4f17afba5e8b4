/** Flags of the output and the formats in which they have an effect: others are refused, not ignored. */
import { UsageError } from '../../client/errors.ts';
import type { CommandContext } from '../session/command-context.ts';
import { type Format, formats, type SettingName, settings } from '../session/settings.ts';
import { formatOf } from './print.ts';

const tabular: readonly Format[] = ['table', 'wide', 'csv', 'tsv'];
const documents: readonly Format[] = ['json', 'jsonl', 'yaml'];

/** By flag, the formats in which it changes something; `-o raw` has a check of its own. */
const effective: Partial<Readonly<Record<SettingName, readonly Format[]>>> = {
  columns: [...tabular, ...documents],
  sort: formats,
  noHeaders: tabular,
  csvSafe: ['csv', 'tsv'],
  utc: [...tabular, ...documents, 'xml'],
};

/** Refuses flags that have no effect in the format that is asked for. */
export function checkOutputFlags(cli: CommandContext): void {
  const given = Object.entries(effective).filter(
    ([name]) => cli.setting(name as SettingName)?.origin === 'flag',
  );
  if (given.length === 0) return;
  const format = formatOf(cli);
  for (const [name, allowed] of given) {
    if (format === 'raw' || allowed.includes(format)) continue;
    throw new UsageError(`${flagOf(name as SettingName)} has no effect with -o ${format}`, {
      hint: `leave it out, or choose -o ${allowed.join(', ')}`,
    });
  }
  if (cli.setting('columns')?.origin === 'flag' && cli.on('query')) {
    throw new UsageError('--columns and --query both choose what is printed', {
      hint: 'use one of them',
    });
  }
}

/** Refuses all of them for a command that prints something else than objects. */
export function refuseOutputFlags(cli: CommandContext, command: string): void {
  for (const name of Object.keys(effective) as SettingName[]) {
    if (cli.setting(name)?.origin !== 'flag') continue;
    throw new UsageError(`${command} ${flagOf(name)}: it prints what the service answers`, {
      hint: `leave ${flagOf(name)} out; --query selects from the answer`,
    });
  }
}

function flagOf(name: SettingName): string {
  return /--[\w-]+/.exec(settings[name].flags ?? '')?.[0] ?? name;
}
