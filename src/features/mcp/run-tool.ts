/** One use of a tool: from what an agent says to the words of a command, and back to what it printed. */

import { Readable } from 'node:stream';
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { type Command, nameOf } from '../../cli/args/command.ts';
import { flagParts } from '../../cli/args/parameters.ts';
import type { CommandRunner } from '../../cli/commands/embedded/command-runner.ts';
import { asObject } from '../../cli/output/error-report.ts';
import { settingNames, settings } from '../../cli/session/settings.ts';
import { UsageError } from '../../client/errors.ts';
import type { NounTool } from './tools.ts';

/** What an agent says. */
export interface ToolInput {
  readonly verb?: string;
  readonly arguments?: readonly string[];
  readonly flags?: Readonly<Record<string, unknown>>;
  readonly input?: string;
}

/** What came of it, as the protocol wants it. */
export interface ToolOutcome {
  readonly content: { readonly type: 'text'; readonly text: string }[];
  readonly isError?: true;
  // The protocol lets results have more members.
  readonly [member: string]: unknown;
}

/** Of the flags that every command has, those that are about what is printed, or hold it back. */
const allowedSettings: ReadonlySet<string> = new Set([
  ...['columns', 'sort', 'query', 'utc', 'dryRun', 'timeout', 'yes'],
]);

/** Flags with which a list goes on until somebody ends it. */
const endless: ReadonlySet<string> = new Set(['--watch', '--tail', '--cursor', '--interval']);

/** Characters of a result; more would fill the memory of an agent with one answer. */
const maxLength = 100_000;

/** An operation that hangs must not hang the agent. */
const usualTimeout = '5m';

/** Runs what an agent has asked for. Never throws: what goes wrong is the result. */
export async function runTool(
  runner: CommandRunner,
  tool: NounTool,
  input: ToolInput,
): Promise<ToolOutcome> {
  try {
    checkInput(input);
    const command = commandOf(tool, input.verb);
    const words = [...nameOf(command).split(' '), ...flagWords(command, input.flags ?? {})];
    const all = [...words, '--', ...(input.arguments ?? [])];
    const flags = { output: 'json', timeout: usualTimeout };
    const { out, notes, error } = command.onlyReads
      ? await runner.read(all, { flags })
      : await runner.change(all, {
          flags,
          ...(input.input === undefined ? {} : { input: Readable.from([input.input]) }),
        });
    const printed = [shortened(out.trim()), notes.trim()];
    if (error !== undefined) return failure(error, ...printed);
    return { content: texts(...printed) };
  } catch (error) {
    return failure(error);
  }
}

/** Refuses what is of another kind than the schema of the tool says. */
function checkInput({ verb, arguments: words = [], flags = {}, input }: ToolInput): void {
  const wrong =
    verb !== undefined && typeof verb !== 'string'
      ? 'verb: not a text'
      : !Array.isArray(words) || words.some((word) => typeof word !== 'string')
        ? 'arguments: not a list of strings'
        : typeof flags !== 'object' || flags === null || Array.isArray(flags)
          ? 'flags: not an object of flag names'
          : input !== undefined && typeof input !== 'string'
            ? 'input: not a text'
            : undefined;
  if (wrong !== undefined) throw new UsageError(wrong);
}

function failure(error: unknown, ...printed: readonly string[]): ToolOutcome {
  return { content: texts(JSON.stringify(asObject(error)), ...printed), isError: true };
}

function texts(...all: readonly string[]): ToolOutcome['content'] {
  const shown = all.filter((text) => text !== '');
  return (shown.length > 0 ? shown : ['done']).map((text) => ({ type: 'text', text }));
}

function shortened(text: string): string {
  if (text.length <= maxLength) return text;
  return (
    `${text.slice(0, maxLength)}\n... truncated after ${maxLength} of ${text.length} characters: ` +
    'use the flags search, limit, columns or query to get less'
  );
}

function commandOf({ name, commands }: NounTool, verb: string | undefined): Command {
  const found = commands.find((one) => one.verb === verb);
  if (found) return found;
  const verbs = commands.map((one) => one.verb).join(', ');
  throw new UsageError(
    verb === undefined ? `${name}: verb missing` : `${name}: unknown verb "${verb}"`,
    { hint: `use one of ${verbs}` },
  );
}

/** The flags as words. Refuses those that an agent may not set. */
function flagWords(command: Command, flags: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(flags).flatMap(([name, value]) => {
    const flag = `--${name.replace(/^--?/, '').replaceAll('_', '-')}`;
    // A name with more in it would be a flag with a value, and perhaps another flag.
    if (!/^--[a-zA-Z][\w-]*$/.test(flag))
      throw new UsageError(`"${name}" is not the name of a flag`);
    checkFlag(command, flag);
    if (value === true) return [flag];
    if (value === false) return [flag.replace(/^--/, '--no-')];
    return (Array.isArray(value) ? value : [value]).map((one) => `${flag}=${String(one)}`);
  });
}

function checkFlag(command: Command, flag: string): void {
  if (endless.has(flag)) {
    throw new UsageError(`${flag}: not available, because the call would never end`, {
      hint: 'call the tool again later instead',
    });
  }
  const isOwn = command.flags.some(
    ({ notation, aliases = [] }) => flagParts(notation).long === flag || aliases.includes(flag),
  );
  if (isOwn) return;
  const setting = settingNames.find((name) => {
    const { flags } = settings[name];
    return flags !== undefined && flagParts(flags).long === flag;
  });
  // Others are refused where the words are parsed.
  if (setting === undefined || allowedSettings.has(setting)) return;
  throw new UsageError(`${flag}: not available to agents`, {
    hint: `available global flags: ${[...allowedSettings].join(', ')}`,
  });
}

/** The error of a tool that there is not. */
export function unknownTool(name: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `unknown tool "${name}"`);
}
