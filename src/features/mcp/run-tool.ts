/**
 * Tool calls: converts the input of an agent to a command line, runs it and converts its output.
 */

import { Readable } from 'node:stream';
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { type Command, formatCommandName } from '../../cli/args/command.ts';
import { parseFlagNotation } from '../../cli/args/parameters.ts';
import type { CommandRunner } from '../../cli/commands/embedded/command-runner.ts';
import { toErrorObject } from '../../cli/output/error-report.ts';
import { settingNames, settings } from '../../cli/session/settings.ts';
import { UsageError } from '../../client/errors.ts';
import type { NounTool } from './tools.ts';

/** Input of a tool call. */
interface ToolInput {
  readonly verb?: string;
  readonly arguments?: readonly string[];
  readonly flags?: Readonly<Record<string, unknown>>;
  readonly input?: string;
}

type ValidInput = ToolInput & Readonly<Record<string, unknown>>;

/** Result of a tool call, as the protocol defines it. */
export interface ToolOutcome {
  readonly content: { readonly type: 'text'; readonly text: string }[];
  readonly isError?: true;
  // The protocol permits further members.
  readonly [member: string]: unknown;
}

/** Global flags that agents may set: those for output and dry runs. */
const allowedSettings: ReadonlySet<string> = new Set([
  ...['columns', 'sort', 'query', 'utc', 'dryRun', 'timeout', 'yes'],
]);

/** Flags that make a list run until it is interrupted. */
const endlessFlags: ReadonlySet<string> = new Set(['--watch', '--tail', '--cursor', '--interval']);

/** Maximum length of a result in characters, to limit the context of the agent. */
const maxLength = 100_000;

/** Default timeout, so that a stuck operation does not block the agent. */
const defaultTimeout = '5m';

/** Runs a tool call. Never throws: errors become results. */
export async function runTool(
  runner: CommandRunner,
  tool: NounTool,
  input: Readonly<Record<string, unknown>>,
): Promise<ToolOutcome> {
  try {
    checkInput(input);
    const command = findCommand(tool, input.verb);
    const words = [
      ...formatCommandName(command).split(' '),
      ...formatFlags(command, input.flags ?? {}),
    ];
    const all = [...words, '--', ...(input.arguments ?? [])];
    const flags = { output: 'json', timeout: defaultTimeout };
    // Standard input of the process is the protocol; commands must not read it.
    const options = { flags, input: Readable.from([input.input ?? '']) };
    const { out, notes, error } = command.onlyReads
      ? await runner.runReadOnly(all, options)
      : await runner.runChanging(all, options);
    const printed = [truncateText(out.trim()), notes.trim()];
    if (error !== undefined) return createFailure(error, ...printed);
    return { content: createContent(...printed) };
  } catch (error) {
    return createFailure(error);
  }
}

/** Validates the input against the schema of the tool. Throws `UsageError`. */
function checkInput(value: Readonly<Record<string, unknown>>): asserts value is ValidInput {
  const { verb, arguments: words = [], flags = {}, input } = value;
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

function createFailure(error: unknown, ...printed: readonly string[]): ToolOutcome {
  return {
    content: createContent(JSON.stringify(toErrorObject(error)), ...printed),
    isError: true,
  };
}

function createContent(...all: readonly string[]): ToolOutcome['content'] {
  const shown = all.filter((text) => text !== '');
  return (shown.length > 0 ? shown : ['done']).map((text) => ({ type: 'text', text }));
}

function truncateText(text: string): string {
  if (text.length <= maxLength) return text;
  return (
    `${text.slice(0, maxLength)}\n... truncated after ${maxLength} of ${text.length} characters: ` +
    'use the flags search, limit, columns or query to get less'
  );
}

function findCommand({ name, commands }: NounTool, verb: string | undefined): Command {
  const found = commands.find((one) => one.verb === verb);
  if (found) return found;
  const verbs = commands.map((one) => one.verb).join(', ');
  throw new UsageError(
    verb === undefined ? `${name}: verb missing` : `${name}: unknown verb "${verb}"`,
    { hint: `use one of ${verbs}` },
  );
}

/** Command-line flags for the input. Refuses flags that agents may not set. */
function formatFlags(
  command: Command,
  flags: Readonly<Record<string, unknown>>,
): readonly string[] {
  return Object.entries(flags).flatMap(([name, value]) => {
    const flag = `--${name.replace(/^--?/, '').replaceAll('_', '-')}`;
    // Other characters could add a value or a second flag.
    if (!/^--[a-zA-Z][\w-]*$/.test(flag))
      throw new UsageError(`"${name}" is not the name of a flag`);
    const notation = checkFlag(command, flag);
    if (typeof value !== 'boolean') {
      const values: readonly unknown[] = Array.isArray(value) ? value : [value];
      const isText = values.every((one) => typeof one === 'string' || typeof one === 'number');
      if (isText) return values.map((one) => `${flag}=${String(one)}`);
      throw new UsageError(`${flag}: neither a text nor a number`);
    }
    // Without a value, the flag would consume "--", and arguments would become flags.
    if (notation?.includes('<')) {
      throw new UsageError(`${flag}: the flag takes a value`, { hint: `use ${notation}` });
    }
    return [value ? flag : flag.replace(/^--/, '--no-')];
  });
}

/** Returns the notation of a flag; undefined if it is unknown. Refuses flags that agents may not set. */
function checkFlag(command: Command, flag: string): string | undefined {
  if (endlessFlags.has(flag)) {
    throw new UsageError(`${flag}: not available, because the call would never end`, {
      hint: 'call the tool again later instead',
    });
  }
  if (flag === '--help') {
    throw new UsageError('--help: not available to agents', { hint: 'use the tool help' });
  }
  const own = command.flags.find(
    ({ notation, aliases = [] }) =>
      parseFlagNotation(notation).long === flag || aliases.includes(flag),
  );
  if (own) return own.notation;
  const setting = settingNames.find((name) => {
    const { flags } = settings[name];
    return flags !== undefined && parseFlagNotation(flags).long === flag;
  });
  // The command parser refuses unknown flags.
  if (setting === undefined) return undefined;
  if (allowedSettings.has(setting)) return settings[setting].flags;
  throw new UsageError(`${flag}: not available to agents`, {
    hint: `available global flags: ${listAllowedFlags().join(', ')}`,
  });
}

function listAllowedFlags(): readonly string[] {
  const allowed = settingNames.filter((name) => allowedSettings.has(name));
  return allowed.map((name) => parseFlagNotation(settings[name].flags ?? '').long.slice(2));
}

/** Protocol error for an unknown tool. */
export function unknownToolError(name: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `unknown tool "${name}"`);
}
