/**
 * `vmctl __complete WORDS... WORD`: what the last word may become, a line for each with what it is
 * behind a tab. The shells ask this at every press of the key: it never signs in and never fails.
 */

import { nextWordIndex } from '../args/argv-scan.ts';
import { nounOf } from '../args/catalog.ts';
import { findPlugin, findPlugins } from '../plugins/find-plugins.ts';
import { EffectiveSettings } from '../session/effective-settings.ts';
import type { Io } from '../session/io.ts';
import { type Choice, nounChoices, type Offer } from './choice.ts';
import { CommandLine, type FlagGiven } from './command-line.ts';
import { lineShells, readLine, writeWord } from './shell-line.ts';
import { commandsOf, type FlagChoice, globalFlags, type ValueChoice } from './table.ts';
import { ValueChoices } from './value-choices.ts';

/**
 * Prints the choices for the last of the words, which may be empty, as a shell asks for them:
 * `__complete` with words; `__complete-zsh` as well, and `__complete-line SHELL LINE` with the line as
 * it is typed: then the first line says `files`, `nospace` or nothing.
 */
export async function complete(argv: readonly string[], io: Io): Promise<number> {
  try {
    io.stdout.write(await answer(argv, io));
  } catch {
    // Nothing to offer; an error in the middle of a line that is being typed helps nobody.
  }
  return 0;
}

async function answer([asked = '', ...rest]: readonly string[], io: Io): Promise<string> {
  if (asked !== '__complete-line') {
    const offer = await offerFor(rest, io);
    const text = offer.choices.map(([word, doc]) => `${word}\t${doc}\n`).join('');
    return asked === '__complete' ? text : `${headOf(offer)}\n${text}`;
  }
  const shell = lineShells.find((one) => one === rest[0]);
  if (shell === undefined) return '';
  const line = readLine(shell, rest[1] ?? io.env['VMCTL_COMPLETE_LINE'] ?? '', rest[2]);
  const offer = await offerFor(line.words.slice(1), io);
  const lines = offer.choices.flatMap(([word, doc]) => {
    const text = writeWord(shell, line, word);
    if (text === undefined) return [];
    if (shell === 'bash') return [text];
    return [shell === 'fish' ? `${text}\t${doc}` : `${text}\t${word}\t${doc}`];
  });
  return [headOf(offer), ...lines, ''].join('\n');
}

/** What the shell has to do beside showing the choices. */
function headOf({ choices, files }: Offer): string {
  if (files) return 'files';
  const [[only = ''] = [], ...others] = choices;
  return others.length === 0 && /[/=.,]$/.test(only) ? 'nospace' : '';
}

async function offerFor(words: readonly string[], io: Io): Promise<Offer> {
  const typed = words.at(-1) ?? '';
  const offer = await offerFrom(words.slice(0, -1), typed, io);
  return { ...offer, choices: offer.choices.filter(([word]) => word.startsWith(typed)) };
}

async function offerFrom(before: readonly string[], typed: string, io: Io): Promise<Offer> {
  const at = nextWordIndex(before);
  const noun = at < 0 ? undefined : nounOf(before[at] ?? '');
  if (at >= 0 && !noun) {
    return { choices: [], files: findPlugin(io.env, before[at] ?? '') !== undefined };
  }
  const commands = noun ? commandsOf(noun.name) : [];
  const verbAt = noun ? nextWordIndex(before, at + 1) : -1;
  const verb = before[verbAt] ?? '';
  const command = commands.find(({ names }) => names.length === 0 || names.includes(verb));
  const flags = [...(command?.flags ?? []), ...globalFlags()];
  const line = new CommandLine(before, flags, noun?.name, command);
  const configured = new EffectiveSettings(io.env);
  configured.useOptions(line.connection);
  const values = new ValueChoices(io, configured, line);

  if (line.open?.value) return await listed(values, line.open.value, typed, '');
  if (line.isPlain || !typed.startsWith('-')) {
    if (!noun) return { choices: nounChoices(findPlugins(io.env)) };
    if (!command) return { choices: commands.map(({ names, doc }) => [names[0] ?? '', doc]) };
    return await argumentOffer(values, line, typed);
  }
  const [, name, value] = /^(--[\w-]+=)(.*)$/s.exec(typed) ?? [];
  if (name !== undefined && value !== undefined) {
    const choice = flags.find(({ names }) => names.includes(name.slice(0, -1)))?.value;
    return choice ? await listed(values, choice, value, name) : { choices: [] };
  }
  if (/^--\w+\./.test(typed) && flags.some(({ names }) => names.includes('--set'))) {
    return await listed(values, { of: 'assignment' }, typed.slice(2), '--');
  }
  return { choices: flagChoices(flags, line.given) };
}

async function argumentOffer(
  values: ValueChoices,
  { command, words }: CommandLine,
  typed: string,
): Promise<Offer> {
  const all = command?.arguments ?? [];
  const argument = all[words.length] ?? all.findLast(({ many }) => many);
  if (!argument) return { choices: [] };
  const offer = await values.of(argument, typed);
  if (!argument.many || offer.files) return offer;
  // What is named already is not offered again.
  return { choices: offer.choices.filter(([word]) => word === typed || !words.includes(word)) };
}

/** The words that the value of a flag may be; of a list the last part is completed. */
async function listed(
  values: ValueChoices,
  { many, ...one }: ValueChoice,
  typed: string,
  prefix: string,
): Promise<Offer> {
  const isOneAtATime = one.of === 'kinds' || one.of === 'assignment';
  const comma = many && !isOneAtATime ? typed.lastIndexOf(',') + 1 : 0;
  const start = `${prefix}${typed.slice(0, comma)}`;
  const { choices, files } = await values.of(one, typed.slice(comma));
  return {
    choices: choices.map(([word, doc]): Choice => [`${start}${word}`, doc]),
    ...(files ? { files } : {}),
  };
}

/** The flags; those that have their one value already are left out. */
function flagChoices(flags: readonly FlagChoice[], given: readonly FlagGiven[]): readonly Choice[] {
  const free = flags.filter((flag) => flag.value?.many || !given.some((one) => one.flag === flag));
  const choices = new Map(free.map(({ names: [name = ''], doc }) => [name, doc] as const));
  return [...choices, ['--help', 'Help for the command']];
}
