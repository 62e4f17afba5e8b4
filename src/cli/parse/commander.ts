/** Commander's commands, built from descriptors, with the flags that every command has. */
import { Argument, type Command as Commander, Option } from 'commander';
import type { Command } from '../args/command.ts';
import {
  type ArgumentSpec,
  argumentMayBeBlank,
  argumentParts,
  blankValue,
  type FlagSpec,
  flagMayBeBlank,
  flagParts,
  givenTwice,
} from '../args/parameters.ts';
import { fitted, lineLength } from '../help/layout.ts';
import { commandPage } from '../help/pages.ts';
import { settingNames, settings } from '../session/settings.ts';

/** What runs a command with its arguments and flags. */
export type Runner = (
  command: Command,
  parsed: Commander,
  positionals: readonly unknown[],
) => Promise<void>;

/**
 * Adds a command below its noun; one without a verb becomes what the noun itself does. `wholeHelp`
 * leaves nothing out of its page.
 */
export function mount(noun: Commander, command: Command, run: Runner, wholeHelp = false): void {
  const parsed = command.verb === undefined ? noun : noun.command(command.verb);
  parsed.aliases(command.aliases).description(command.summary);
  for (const one of command.arguments) parsed.addArgument(argumentOf(one));
  for (const one of command.flags) addFlag(parsed, one);
  parsed.configureHelp({
    formatHelp: (_, { helpWidth = lineLength }) =>
      fitted(commandPage(command, wholeHelp), helpWidth),
  });
  // Behind the arguments stand the options and the command itself.
  parsed.action((...parts: readonly unknown[]) => {
    const values = parts.slice(0, -2);
    for (const [index, spec] of command.arguments.entries()) {
      if (argumentMayBeBlank(spec)) continue;
      if ([values[index]].flat().some(isBlank)) throw blankValue(argumentParts(spec.notation).name);
    }
    return run(command, parsed, values);
  });
}

function isBlank(value: unknown): boolean {
  return typeof value === 'string' && value.trim() === '';
}

/** Refuses an empty value before anything else is done with it. */
function refuseBlank(option: Option): void {
  if (option.isBoolean()) return;
  const parse = option.parseArg ?? (option.variadic ? collect : (text: string) => text);
  option.argParser((text, previous: unknown) => {
    if (isBlank(text)) throw blankValue(option.long ?? option.flags);
    return parse(text, previous);
  });
}

function argumentOf({ notation, doc, choices, default: value }: ArgumentSpec): Argument {
  const argument = new Argument(notation, doc);
  if (choices) argument.choices(choices);
  if (value !== undefined) argument.default(argumentParts(notation).many ? [value] : value);
  return argument;
}

function addFlag(parsed: Commander, spec: FlagSpec): void {
  const { value } = flagParts(spec.notation);
  const notations = [
    spec.notation,
    ...(spec.aliases ?? []).map((name) => (value === undefined ? name : `${name} ${value}`)),
  ];
  for (const notation of notations) {
    const option = new Option(notation, spec.doc);
    if (spec.choices) option.choices(spec.choices);
    if (spec.parse) option.argParser(spec.parse);
    if (spec.repeatable) option.argParser(collect);
    if (!flagMayBeBlank(spec)) refuseBlank(option);
    if (!spec.repeatable) once(option);
    if (spec.default !== undefined) option.default(spec.default);
    if (spec.required) option.makeOptionMandatory();
    parsed.addOption(option);
    if (spec.negatable) parsed.addOption(new Option(notation.replace(/^--/, '--no-')));
  }
}

/** A flag with one value is refused where it is given again: which of them counts, nobody knows. */
function once(option: Option): void {
  if (option.isBoolean() || option.variadic) return;
  const parse = option.parseArg;
  let isGiven = false;
  option.argParser((text, previous: unknown) => {
    if (isGiven) throw givenTwice(option.long ?? option.flags);
    isGiven = true;
    return parse ? parse(text, previous) : text;
  });
}

function collect(value: string, before: unknown): readonly unknown[] {
  return [...(Array.isArray(before) ? before : []), value];
}

/** The options that every command has. */
const global = new WeakSet<Option>();

/** Adds them to a command, except where it has one of the same name itself. */
export function addGlobalFlags(command: Commander): void {
  for (const name of settingNames) {
    const { flags, doc } = settings[name];
    if (flags === undefined) continue;
    const option = new Option(flags, doc).hideHelp();
    const taken = command.options.some(
      (own) => own.long === option.long || (own.short !== undefined && own.short === option.short),
    );
    if (taken) continue;
    once(option);
    global.add(option);
    command.addOption(option);
  }
}

/** Their values for a command, given before or behind its name. */
export function globalValues(command: Commander): Readonly<Record<string, unknown>> {
  const values: Record<string, unknown> = {};
  for (let at: Commander | null = command; at; at = at.parent) {
    for (const option of at.options) {
      const name = option.attributeName();
      if (!global.has(option) || at.getOptionValueSource(name) !== 'cli') continue;
      values[name] ??= at.getOptionValue(name);
    }
  }
  return values;
}
