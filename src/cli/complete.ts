/**
 * `vmctl __complete WORDS... WORD`: what the last word may become, a line for each with what it is
 * behind a tab. The shells ask this at every press of the key: it never connects and never fails.
 */
import { type Noun, nounOf, nouns } from './catalog.ts';
import { Cli } from './cli.ts';
import type { Io } from './io.ts';
import { specialNouns } from './nouns/index.ts';
import { homeOf } from './resources/collections.ts';
import { knownNames } from './session/known-names.ts';
import {
  type CommandEntry,
  describeCommand,
  type FlagEntry,
  globalFlags,
  verbsOfNoun,
} from './tree.ts';
import { wordPosition } from './words.ts';

type Choice = readonly [word: string, doc: string];

/** Prints the choices for the last of the words, which may be empty. */
export async function complete(
  words: readonly string[],
  io: Io,
  signal: AbortSignal,
): Promise<number> {
  try {
    const choices = await choicesFor(unsplit(words), new Cli(io, signal));
    io.stdout.write(choices.map(([word, doc]) => `${word}\t${doc}\n`).join(''));
  } catch {
    // Nothing to offer; an error in the middle of a line that is being typed helps nobody.
  }
  return 0;
}

/** Bash takes `--flag=value` apart at the sign. */
function unsplit(words: readonly string[]): readonly string[] {
  const last = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  if (last === '=') return [...before, ''];
  return before.at(-1) === '=' ? [...before.slice(0, -1), last] : words;
}

async function choicesFor(words: readonly string[], cli: Cli): Promise<readonly Choice[]> {
  const typed = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  const at = wordPosition(before);
  const noun = at < 0 ? undefined : nounOf(before[at] ?? '');
  if (at >= 0 && !noun) return [];
  const verbAt = noun ? wordPosition(before, at + 1) : -1;
  const command = noun
    ? await describeCommand(noun, verbAt < 0 ? undefined : before[verbAt], specialNouns, cli)
    : undefined;
  const flags = [...(command?.flags ?? []), ...globalFlags()];
  const asked = flagIn(before.at(-1) ?? '', flags);
  if (asked) return asked.type === 'switch' ? [] : valuesFor(cli, asked, typed, '');
  const [, name, value] = /^(--[\w-]+=)(.*)$/s.exec(typed) ?? [];
  if (name !== undefined && value !== undefined) {
    const flag = flagIn(name.slice(0, -1), flags);
    return flag ? valuesFor(cli, flag, value, name) : [];
  }
  if (typed.startsWith('-')) return startingWith(typed, flagChoices(flags));
  if (!noun)
    return startingWith(
      typed,
      nouns.map(({ name, doc }): Choice => [name, doc]),
    );
  if (!command) return startingWith(typed, await verbsOfNoun(noun, specialNouns, cli));
  const given = before.slice(verbAt + 1).filter((word) => !word.startsWith('-')).length;
  return startingWith(typed, argumentChoices(cli, noun, command, given, typed));
}

/** The flag whose value comes next. */
function flagIn(word: string, flags: readonly FlagEntry[]): FlagEntry | undefined {
  if (!word.startsWith('-')) return undefined;
  const found = flags.find(({ flag, aliases }) => flag === word || aliases.includes(word));
  return found?.type === 'switch' ? undefined : found;
}

function flagChoices(flags: readonly FlagEntry[]): readonly Choice[] {
  const choices = new Map(flags.map(({ flag, doc }) => [flag, doc] as const));
  return [...choices, ['--help', 'Explain the command instead of running it.']];
}

/** The words that a value may be; of a list the last part is completed. */
function valuesFor(cli: Cli, flag: FlagEntry, typed: string, prefix: string): readonly Choice[] {
  const comma = flag.many ? typed.lastIndexOf(',') + 1 : 0;
  const start = `${prefix}${typed.slice(0, comma)}`;
  if (flag.type === 'kind/ref') return startingWith(typed, withKinds(cli, typed));
  const contexts = () =>
    flag.flag === '--context' || flag.flag === '--confirm' ? contextNames(cli) : [];
  const [form = '', type = ''] = flag.type.split(' ').slice(-2);
  const home = form === 'ref' ? homeOf(type) : undefined;
  const values =
    flag.values ??
    (home ? knownNames(cli, home.noun) : flag.type === 'bool' ? ['true', 'false'] : contexts());
  return values
    .filter((value) => value.startsWith(typed.slice(comma)))
    .map((value): Choice => [`${start}${value}`, '']);
}

function argumentChoices(
  cli: Cli,
  noun: Noun,
  command: CommandEntry,
  given: number,
  typed: string,
): readonly Choice[] {
  const values = command.arguments.flatMap((argument) => argument.values ?? []);
  if (values.length > 0) return values.map((value): Choice => [value, '']);
  const argument = command.arguments[given] ?? command.arguments.findLast(({ many }) => many);
  if (argument && /^kind\/ref/.test(argument.name)) return withKinds(cli, typed);
  if (noun.api) {
    const kind = argument && (nounOf(argument.name)?.api ? nounOf(argument.name) : noun);
    return kind ? knownNames(cli, kind.name).map((name): Choice => [name, '']) : [];
  }
  if (noun.name === 'context') return contextNames(cli).map((name): Choice => [name, '']);
  const takesNouns = ['help', 'commands', 'explain'].includes(noun.name);
  return takesNouns ? nouns.map(({ name, doc }): Choice => [name, doc]) : [];
}

function contextNames(cli: Cli): readonly string[] {
  return Object.keys(cli.configuration.contexts);
}

/** `vms/web01`: first the kinds, then what is known of one. */
function withKinds(cli: Cli, typed: string): readonly Choice[] {
  const at = typed.indexOf('/');
  if (at < 0)
    return nouns.filter(({ api }) => api).map(({ name, doc }): Choice => [`${name}/`, doc]);
  const kind = nounOf(typed.slice(0, at));
  if (!kind) return [];
  const start = typed.slice(0, at + 1);
  return knownNames(cli, kind.name).map((name): Choice => [`${start}${name}`, '']);
}

function startingWith(typed: string, choices: readonly Choice[]): readonly Choice[] {
  return choices.filter(([word]) => word.startsWith(typed));
}
