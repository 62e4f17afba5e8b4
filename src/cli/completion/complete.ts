/**
 * `vmctl __complete WORDS... WORD`: what the last word may become, a line for each with what it is
 * behind a tab. The shells ask this at every press of the key: it never connects and never fails.
 */

import { nextWordIndex } from '../args/argv-scan.ts';
import { nounOf, nouns } from '../args/catalog.ts';
import { EffectiveSettings } from '../session/effective-settings.ts';
import type { Io } from '../session/io.ts';
import { cachedNames } from '../session/name-cache.ts';
import {
  type CommandTable,
  commandsOf,
  type FlagChoice,
  globalFlags,
  type ValueChoice,
} from './table.ts';

type Choice = readonly [word: string, doc: string];

/** Prints the choices for the last of the words, which may be empty. */
export function complete(words: readonly string[], io: Io): number {
  try {
    const choices = new Completion(new EffectiveSettings(io.env)).of(unsplit(words));
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

class Completion {
  readonly #configured: EffectiveSettings;

  constructor(configured: EffectiveSettings) {
    this.#configured = configured;
  }

  of(words: readonly string[]): readonly Choice[] {
    const typed = words.at(-1) ?? '';
    const before = words.slice(0, -1);
    const at = nextWordIndex(before);
    const noun = at < 0 ? undefined : nounOf(before[at] ?? '');
    if (at >= 0 && !noun) return [];
    const commands = noun ? commandsOf(noun.name) : [];
    const verbAt = noun ? nextWordIndex(before, at + 1) : -1;
    const command = commandNamed(before[verbAt], commands);
    const flags = [...(command?.flags ?? []), ...globalFlags()];
    const flagBefore = flagIn(before.at(-1) ?? '', flags);
    if (flagBefore) return this.#values(flagBefore, typed, '');
    const [, name, value] = /^(--[\w-]+=)(.*)$/s.exec(typed) ?? [];
    if (name !== undefined && value !== undefined) {
      const flag = flagIn(name.slice(0, -1), flags);
      return flag ? this.#values(flag, value, name) : [];
    }
    if (typed.startsWith('-')) return startingWith(typed, flagChoices(flags));
    if (!noun) return startingWith(typed, nounChoices());
    if (!command) {
      const verbs = commands.map(({ names, doc }): Choice => [names[0] ?? '', doc]);
      return startingWith(typed, verbs);
    }
    const start = command.names.length === 0 ? at : verbAt;
    const given = argumentsIn(before.slice(start + 1), flags);
    const argument = command.arguments[given] ?? command.arguments.findLast(({ many }) => many);
    return argument ? startingWith(typed, this.#choices(argument, typed)) : [];
  }

  /** The words that the value of a flag may be; of a list the last part is completed. */
  #values({ many, ...one }: ValueChoice, typed: string, prefix: string): readonly Choice[] {
    const comma = many && one.of !== 'kinds' ? typed.lastIndexOf(',') + 1 : 0;
    const start = `${prefix}${typed.slice(0, comma)}`;
    const rest = typed.slice(comma);
    const choices = startingWith(rest, this.#choices(one, rest));
    return choices.map(([word, doc]) => [`${start}${word}`, doc]);
  }

  #choices({ values, noun, of }: ValueChoice, typed: string): readonly Choice[] {
    const bare = (words: readonly string[]) => words.map((word): Choice => [word, '']);
    if (values) return bare(values);
    if (noun !== undefined) return bare(cachedNames(this.#configured, noun));
    if (of === 'contexts') return bare(Object.keys(this.#configured.configuration.contexts));
    if (of === 'nouns') return nounChoices();
    return of === 'kinds' ? this.#withKinds(typed) : [];
  }

  /** `vms/web01`: first the kinds, then what is known of one. */
  #withKinds(typed: string): readonly Choice[] {
    const at = typed.indexOf('/');
    if (at < 0)
      return nouns.filter(({ api }) => api).map(({ name, doc }): Choice => [`${name}/`, doc]);
    const kind = nounOf(typed.slice(0, at));
    if (!kind) return [];
    const start = typed.slice(0, at + 1);
    return cachedNames(this.#configured, kind.name).map((name): Choice => [`${start}${name}`, '']);
  }
}

/** The command that a word names; without verbs the noun is the command. */
function commandNamed(
  word: string | undefined,
  commands: readonly CommandTable[],
): CommandTable | undefined {
  return commands.find(({ names }) => names.length === 0 || names.includes(word ?? ''));
}

/** How many of the words are neither flags nor their values. */
function argumentsIn(words: readonly string[], flags: readonly FlagChoice[]): number {
  let count = 0;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (!word.startsWith('-')) count += 1;
    else if (flagIn(word, flags)) at += 1;
  }
  return count;
}

/** What may be the value of the flag, if it takes one. */
function flagIn(word: string, flags: readonly FlagChoice[]): ValueChoice | undefined {
  if (!word.startsWith('-')) return undefined;
  return flags.find(({ names }) => names.includes(word))?.value;
}

function flagChoices(flags: readonly FlagChoice[]): readonly Choice[] {
  const choices = new Map(flags.map(({ names: [name = ''], doc }) => [name, doc] as const));
  return [...choices, ['--help', 'Explain the command instead of running it.']];
}

function nounChoices(): readonly Choice[] {
  return nouns.map(({ name, doc }): Choice => [name, doc]);
}

function startingWith(typed: string, choices: readonly Choice[]): readonly Choice[] {
  return choices.filter(([word]) => word.startsWith(typed));
}
