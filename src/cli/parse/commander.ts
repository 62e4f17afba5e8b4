/** Commander commands, built from descriptors, with the global flags. */
import { Argument, type Command as Commander, Option } from 'commander';
import { UsageError } from '../../client/errors.ts';
import { type Command, formatCommandName } from '../args/command.ts';
import {
  type ArgumentSpec,
  createBlankValueError,
  createRepeatedFlagError,
  type FlagSpec,
  mayArgumentBeBlank,
  mayFlagBeBlank,
  parseArgumentNotation,
  parseFlagNotation,
} from '../args/parameters.ts';
import { fitPage, lineLength } from '../help/layout.ts';
import { renderCommandPage } from '../help/pages.ts';
import { settingNames, settings } from '../session/settings.ts';
import { parseDuration } from '../text/duration.ts';

/** Runs a command with parsed arguments and flags. */
export type CommandRunner = (
  command: Command,
  parsed: Commander,
  positionals: readonly unknown[],
) => Promise<void>;

/**
 * Adds a command below its noun; a command without a verb becomes the action of the noun.
 * `wholeHelp` selects the complete help page.
 */
export function mountCommand(
  noun: Commander,
  command: Command,
  run: CommandRunner,
  hasCompleteHelp = false,
): void {
  const parsed = command.verb === undefined ? noun : noun.command(command.verb);
  parsed.aliases(command.aliases).description(command.summary);
  for (const one of command.arguments) parsed.addArgument(createArgument(one));
  for (const one of command.flags) addFlag(parsed, one);
  parsed.configureHelp({
    formatHelp: (_, { helpWidth = lineLength }) =>
      fitPage(renderCommandPage(command, hasCompleteHelp), helpWidth),
  });
  const { hintForArguments } = command;
  if (hintForArguments) parsed.allowExcessArguments(true);
  // After the arguments, commander passes the options and the command.
  parsed.action((...parts: readonly unknown[]) => {
    if (hintForArguments && parsed.args.length > 0) {
      throw new UsageError(
        `${formatCommandName(command)} takes no arguments: ${parsed.args.join(' ')}`,
        {
          hint: hintForArguments(parsed.args, parsed.opts()),
        },
      );
    }
    const values = parts.slice(0, -2);
    for (const [index, spec] of command.arguments.entries()) {
      if (mayArgumentBeBlank(spec)) continue;
      if ([values[index]].flat().some(isBlank))
        throw createBlankValueError(parseArgumentNotation(spec.notation).name);
    }
    return run(command, parsed, values);
  });
}

function isBlank(value: unknown): boolean {
  return typeof value === 'string' && value.trim() === '';
}

/** Refuses an empty value before any other parser runs. */
function refuseBlank(option: Option): void {
  if (option.isBoolean()) return;
  const parse = option.parseArg ?? (option.variadic ? collect : (text: string) => text);
  option.argParser((text, previous: unknown) => {
    if (isBlank(text)) throw createBlankValueError(option.long ?? option.flags);
    return parse(text, previous);
  });
}

function createArgument({ notation, doc, choices, default: value }: ArgumentSpec): Argument {
  const argument = new Argument(notation, doc);
  if (choices) argument.choices(choices);
  if (value !== undefined) argument.default(parseArgumentNotation(notation).many ? [value] : value);
  return argument;
}

function addFlag(parsed: Commander, spec: FlagSpec): void {
  const { value } = parseFlagNotation(spec.notation);
  const notations = [
    spec.notation,
    ...(spec.aliases ?? []).map((name) => (value === undefined ? name : `${name} ${value}`)),
  ];
  for (const notation of notations) {
    const option = new Option(notation, spec.doc);
    if (spec.choices) option.choices(spec.choices);
    if (spec.parse) option.argParser(spec.parse);
    if (value === '<duration>') checkDuration(option);
    if (spec.repeatable) option.argParser(collect);
    if (!mayFlagBeBlank(spec)) refuseBlank(option);
    if (!spec.repeatable) refuseRepetition(option);
    if (spec.default !== undefined) option.default(spec.default);
    if (spec.required) option.makeOptionMandatory();
    parsed.addOption(option);
    if (spec.negatable) parsed.addOption(new Option(notation.replace(/^--/, '--no-')));
  }
}

/** Refuses an invalid duration before the command sends a request. The value remains a text. */
function checkDuration(option: Option): void {
  option.argParser((text) => {
    parseDuration(text, option.long ?? option.flags);
    return text;
  });
}

/** Refuses a repeated flag with one value, because the intended value is unclear. */
function refuseRepetition(option: Option): void {
  if (option.isBoolean() || option.variadic) return;
  const parse = option.parseArg;
  let isGiven = false;
  option.argParser((text, previous: unknown) => {
    if (isGiven) throw createRepeatedFlagError(option.long ?? option.flags);
    isGiven = true;
    return parse ? parse(text, previous) : text;
  });
}

function collect(value: string, before: unknown): readonly unknown[] {
  return [...(Array.isArray(before) ? before : []), value];
}

const globalOptions = new WeakSet<Option>();

/** Adds the global flags to a command, except those with a name that the command uses. */
export function addGlobalFlags(command: Commander): void {
  for (const name of settingNames) {
    const { flags, doc } = settings[name];
    if (flags === undefined) continue;
    const option = new Option(flags, doc).hideHelp();
    const taken = command.options.some(
      (own) => own.long === option.long || (own.short !== undefined && own.short === option.short),
    );
    if (taken) continue;
    refuseRepetition(option);
    globalOptions.add(option);
    command.addOption(option);
  }
}

/** Values of the global flags, given before or after the name of the command. */
export function getGlobalValues(command: Commander): Readonly<Record<string, unknown>> {
  const values: Record<string, unknown> = {};
  for (let at: Commander | null = command; at; at = at.parent) {
    for (const option of at.options) {
      const name = option.attributeName();
      if (!globalOptions.has(option) || at.getOptionValueSource(name) !== 'cli') continue;
      values[name] ??= at.getOptionValue(name);
    }
  }
  return values;
}
