/**
 * Completion for the shells: `vmctl __complete WORDS... WORD`.
 * Prints a choice per line with its description after a tab. The shells call it on each key press:
 * it never signs in and never fails.
 */

import { findNextArgument } from '../args/argv-scan.ts';
import { findNoun } from '../args/catalog.ts';
import type { UserCommands } from '../args/user-commands.ts';
import { findPlugin } from '../plugins/find-plugins.ts';
import { EffectiveSettings } from '../session/effective-settings.ts';
import type { Io } from '../session/io.ts';
import { type Choice, listNounChoices, type Offer } from './choice.ts';
import { CommandLine, type FlagGiven } from './command-line.ts';
import { lineShells, quoteWord, splitLine } from './shell-line.ts';
import { type FlagChoice, readCommands, readGlobalFlags, type ValueChoice } from './table.ts';
import { ValueChoices } from './value-choices.ts';

/**
 * Prints the choices for the last word, which may be empty. `__complete` and `__complete-zsh`
 * receive words, `__complete-line SHELL LINE` the typed line. Except for `__complete`, the first
 * line is `files`, `nospace` or empty.
 */
export async function complete(
  argv: readonly string[],
  io: Io,
  own: UserCommands,
): Promise<number> {
  try {
    io.stdout.write(await renderAnswer(argv, io, own));
  } catch {
    // No choices: an error message in the middle of a typed line is useless.
  }
  return 0;
}

async function renderAnswer(
  [asked = '', ...rest]: readonly string[],
  io: Io,
  own: UserCommands,
): Promise<string> {
  if (asked !== '__complete-line') {
    const offer = await createOffer(rest, io, own);
    const text = offer.choices.map(([word, doc]) => `${word}\t${doc}\n`).join('');
    return asked === '__complete' ? text : `${getInstruction(offer)}\n${text}`;
  }
  const shell = lineShells.find((one) => one === rest[0]);
  if (shell === undefined) return '';
  const line = splitLine(shell, rest[1] ?? io.env['VMCTL_COMPLETE_LINE'] ?? '', rest[2]);
  const offer = await createOffer(line.words.slice(1), io, own);
  const lines = offer.choices.flatMap(([word, doc]) => {
    const text = quoteWord(shell, line, word);
    if (text === undefined) return [];
    if (shell === 'bash') return [text];
    return [shell === 'fish' ? `${text}\t${doc}` : `${text}\t${word}\t${doc}`];
  });
  return [getInstruction(offer), ...lines, ''].join('\n');
}

/** Instruction for the shell in the first line. */
function getInstruction({ choices, files }: Offer): string {
  if (files) return 'files';
  const [[only = ''] = [], ...others] = choices;
  return others.length === 0 && /[/=.,]$/.test(only) ? 'nospace' : '';
}

async function createOffer(words: readonly string[], io: Io, own: UserCommands): Promise<Offer> {
  const typed = words.at(-1) ?? '';
  const offer = await createUnfilteredOffer(words.slice(0, -1), typed, io, own);
  return { ...offer, choices: offer.choices.filter(([word]) => word.startsWith(typed)) };
}

async function createUnfilteredOffer(
  before: readonly string[],
  typed: string,
  io: Io,
  own: UserCommands,
): Promise<Offer> {
  const at = findNextArgument(before);
  const word = before[at];
  if (word === undefined || findNoun(word)) return await completeCommand(before, typed, io, own);
  const plugin = findPlugin(io.env, word);
  if (plugin) {
    const { completePlugin } = await import('../plugins/complete-plugin.ts');
    const words = [...before.slice(at + 1), typed];
    const choices = await completePlugin(plugin, before.slice(0, at), words, io.env);
    return choices ? { choices } : { choices: [], files: true };
  }
  const replaced = await own.replaceWords(before, io.env);
  return replaced ? await completeCommand(replaced, typed, io, own) : { choices: [] };
}

/** Completes words of `vmctl`; a verb of other tools counts as the one that `vmctl` suggests. */
async function completeCommand(
  given: readonly string[],
  typed: string,
  io: Io,
  own: UserCommands,
): Promise<Offer> {
  const before = await replaceForeignVerb(given, io, own);
  const at = findNextArgument(before);
  const noun = at < 0 ? undefined : findNoun(before[at] ?? '');
  const commands = noun ? readCommands(noun.name) : [];
  const verbAt = noun ? findNextArgument(before, at + 1) : -1;
  const verb = before[verbAt] ?? '';
  const command = commands.find(({ names }) => names.length === 0 || names.includes(verb));
  const flags = [...(command?.flags ?? []), ...readGlobalFlags()];
  const line = new CommandLine(before, flags, noun?.name, command);
  const configured = new EffectiveSettings(io.env);
  configured.useOptions(line.connection);
  const values = new ValueChoices(io, configured, line);

  if (line.open?.value) return await completeValue(values, line.open.value, typed, '');
  if (line.isPlain || !typed.startsWith('-')) {
    if (!noun) {
      return { choices: listNounChoices(await own.listUserCommands(io.env)) };
    }
    if (!command) return { choices: commands.map(({ names, doc }) => [names[0] ?? '', doc]) };
    return await completeArgument(values, line, typed);
  }
  const [, name, value] = /^(--[\w-]+=)(.*)$/s.exec(typed) ?? [];
  if (name !== undefined && value !== undefined) {
    const choice = flags.find(({ names }) => names.includes(name.slice(0, -1)))?.value;
    return choice ? await completeValue(values, choice, value, name) : { choices: [] };
  }
  if (/^--\w+\./.test(typed) && flags.some(({ names }) => names.includes('--set'))) {
    return await completeValue(values, { of: 'assignment' }, typed.slice(2), '--');
  }
  return { choices: listFlagChoices(flags, line.given) };
}

async function replaceForeignVerb(
  before: readonly string[],
  io: Io,
  own: UserCommands,
): Promise<readonly string[]> {
  const at = findNextArgument(before);
  const noun = findNoun(before[at] ?? '');
  const verbAt = findNextArgument(before, at + 1);
  const verb = before[verbAt];
  if (at < 0 || !noun?.api || verbAt < 0 || verb === undefined) return before;
  if (readCommands(noun.name).some(({ names }) => names.includes(verb))) return before;
  return (await own.replaceWords(before, io.env)) ?? before;
}

async function completeArgument(
  values: ValueChoices,
  { command, words }: CommandLine,
  typed: string,
): Promise<Offer> {
  const all = command?.arguments ?? [];
  const argument = all[words.length] ?? all.findLast(({ many }) => many);
  if (!argument) return { choices: [] };
  const offer = await values.listChoices(argument, typed);
  if (!argument.many || offer.files) return offer;
  // Named objects are not offered again.
  return { choices: offer.choices.filter(([word]) => word === typed || !words.includes(word)) };
}

/** Returns the choices for the value of a flag. For a list, completes the last element. */
async function completeValue(
  values: ValueChoices,
  { many, ...one }: ValueChoice,
  typed: string,
  prefix: string,
): Promise<Offer> {
  const isOneAtATime = one.of === 'kinds' || one.of === 'assignment';
  const comma = many && !isOneAtATime ? typed.lastIndexOf(',') + 1 : 0;
  const start = `${prefix}${typed.slice(0, comma)}`;
  const { choices, files } = await values.listChoices(one, typed.slice(comma));
  return {
    choices: choices.map(([word, doc]): Choice => [`${start}${word}`, doc]),
    ...(files ? { files } : {}),
  };
}

/** Returns the flags, without those that already have their only value. */
function listFlagChoices(
  flags: readonly FlagChoice[],
  given: readonly FlagGiven[],
): readonly Choice[] {
  const free = flags.filter((flag) => flag.value?.many || !given.some((one) => one.flag === flag));
  const choices = new Map(free.map(({ names: [name = ''], doc }) => [name, doc] as const));
  return [...choices, ['--help', 'Help for the command']];
}
