/** Help pages of nouns and verbs, made from the same descriptions that the commands are made of. */
import type { EventEmitter } from 'node:events';
import type { Command, Option } from 'commander';
import { nouns } from '../args/catalog.ts';
import { type Verb, verbsOf } from '../verbs/derive-verbs.ts';
import { examplesOf } from '../verbs/examples.ts';
import type { VerbFlags } from '../verbs/flags.ts';
import { purposeOf } from '../verbs/purpose.ts';
import { aligned, wrapped } from './layout.ts';

/** What a noun can do. */
export function nounPage(noun: string, special: Readonly<Record<string, string>>): string {
  const known = nouns.find(({ name }) => name === noun);
  const rows = [
    ...verbsOf(noun).map((verb) => [verb.name, purposeOf(verb)] as const),
    ...Object.entries(special),
  ];
  const aliases = known?.aliases.length ? `Also called: ${known.aliases.join(', ')}\n` : '';
  return `${known?.doc ?? noun}.

Usage: vmctl ${noun} <verb> [refs...] [flags]

Verbs:
${aligned(rows)}
${aliases}vmctl ${noun} <verb> --help explains a verb.
`;
}

/** What a verb does, with examples first. */
export function verbPage(verb: Verb, flags: VerbFlags, command: Command): string {
  const name = `vmctl ${verb.noun} ${verb.name}`;
  const sections = [
    `${purposeOf(verb)}.`,
    `Usage: ${[name, ...command.registeredArguments.map(argumentText), '[flags]'].join(' ')}`,
    section(
      'Examples',
      examplesOf(verb, flags)
        .map((example) => `  ${example}\n`)
        .join(''),
    ),
    section(
      'Arguments',
      aligned(command.registeredArguments.map((one) => [argumentText(one), one.description])),
    ),
    ...flagSections(command, flags),
    httpSection(verb),
    footer(verb),
  ];
  return `${sections
    .filter((text) => text !== '')
    .join('\n\n')
    .replaceAll('\n\n\n', '\n\n')}\n`;
}

function argumentText(argument: { name(): string; required: boolean; variadic: boolean }): string {
  const text = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${text}>` : `[${text}]`;
}

function section(title: string, body: string): string {
  return body === '' ? '' : `${title}:\n${body.trimEnd()}`;
}

/** Flags in the order in which somebody needs them: whose, what, how. */
function flagSections(command: Command, { flags }: VerbFlags): readonly string[] {
  const sectionOf = new Map<string, string>(
    flags.flatMap(({ names, section: place }) =>
      names.map((name) => [`--${name}`, place] as const),
    ),
  );
  const parts: Record<string, [string, string][]> = { parents: [], body: [], query: [], own: [] };
  for (const option of command.options) {
    if (option.hidden) continue;
    parts[sectionOf.get(option.long ?? '') ?? 'own']?.push([
      optionText(option),
      option.description,
    ]);
  }
  const on = (parts['own'] ?? []).filter(([text]) => text.startsWith('    --on'));
  const own = (parts['own'] ?? []).filter(([text]) => !text.startsWith('    --on'));
  return [
    section('Of which object', aligned([...(parts['parents'] ?? []), ...on])),
    section('Attributes', aligned(parts['body'] ?? [])),
    section('Flags', aligned([...(parts['query'] ?? []), ...own])),
  ];
}

function optionText({ short: first, long: second, flags }: Option): string {
  // Some have two long names; the first is shown.
  const [short, long] = first?.startsWith('--') ? [undefined, first] : [first, second];
  const value = /<.*>/.exec(flags)?.[0] ?? '';
  const text = `${short ? `${short}, ` : '    '}${long}`;
  return value === '' ? text : `${text} ${value}`;
}

function httpSection(verb: Verb): string {
  const calls = [
    ...new Set(verb.candidates.map(({ operation }) => `${operation.http} ${operation.path}`)),
  ];
  const shown = calls.slice(0, 6).map((call) => `  ${call}`);
  const more = calls.length > shown.length ? [`  and ${calls.length - shown.length} more`] : [];
  return section('HTTP', [...shown, ...more].join('\n'));
}

function footer(verb: Verb): string {
  const aliases = verb.aliases.length > 0 ? `Also: ${verb.aliases.join(', ')}. ` : '';
  return wrapped(
    `${aliases}Flags of every command: vmctl help flags. Exit codes: vmctl help exit-codes.`,
  );
}

/**
 * Gives a command that the model does not describe a page like those of the others: what it adds
 * after its help (notes, `Examples:`) goes to where it is read.
 */
export function ownPage(command: Command, name: string): void {
  command.configureHelp({ formatHelp: () => textOf(command, name) });
}

function textOf(command: Command, name: string): string {
  const pieces: string[] = [];
  // Commands send events; their types tell only half of it.
  const events = command as unknown as EventEmitter;
  events.emit('afterHelp', { error: false, command, write: (text: string) => pieces.push(text) });
  // They are told here; nothing is left to be told afterwards.
  events.removeAllListeners('afterHelp');
  const [notes = '', examples = ''] = pieces.join('\n').split(/^Examples:\n/m);
  const words = command.registeredArguments.map(argumentText);
  const options = command.options.filter(({ hidden }) => !hidden);
  const verbs = command.commands.map((one) => [one.name(), one.description()] as const);
  const usage = verbs.length > 0 ? [`vmctl ${name}`, '<verb>'] : [`vmctl ${name}`];
  const also = command.aliases().length > 0 ? `Also: ${command.aliases().join(', ')}. ` : '';
  const sections = [
    `${command.description()}.`,
    `Usage: ${[...usage, ...words, '[flags]'].join(' ')}`,
    section('Examples', examples.trimEnd()),
    section('Verbs', aligned(verbs)),
    section(
      'Arguments',
      aligned(command.registeredArguments.map((one) => [argumentText(one), one.description])),
    ),
    section('Flags', aligned(options.map((one) => [optionText(one), choicesOf(one)]))),
    notes.trim(),
    wrapped(`${also}Flags of every command: vmctl help flags. Exit codes: vmctl help exit-codes.`),
  ];
  return `${sections.filter((text) => text !== '').join('\n\n')}\n`;
}

function choicesOf({ description, argChoices }: Option): string {
  return argChoices ? `${description}: ${argChoices.join(', ')}` : description;
}
