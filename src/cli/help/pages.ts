/** Help pages of nouns and commands. */
import type { Noun } from '../args/catalog.ts';
import { type Command, nameOf } from '../args/command.ts';
import { type FlagSpec, flagParts } from '../args/parameters.ts';
import { aligned, wrapped } from './layout.ts';

/** Verbs by name, with what they do. */
export type VerbLines = readonly (readonly [name: string, summary: string])[];

/** What a noun can do. */
export function nounPage({ name, aliases, doc, api }: Noun, verbs: VerbLines): string {
  const also = aliases.length > 0 ? `Also called: ${aliases.join(', ')}\n` : '';
  return `${doc}.

Usage: vmctl ${name} <verb> ${api ? '[refs...] ' : ''}[flags]

Verbs:
${aligned(verbs)}
${also}vmctl ${name} <verb> --help explains a verb.
`;
}

/** What a command does, with examples first; `isWhole` explains flags that are seldom needed as well. */
export function commandPage(command: Command, isWhole = false): string {
  const { purpose, aliases, examples, notes, rareFlags = [] } = command;
  const isRare = ({ notation }: FlagSpec) =>
    !isWhole && rareFlags.includes(flagParts(notation).long);
  const args = command.arguments.map(({ notation, doc }) => [notation, doc] as const);
  const also = aliases.length > 0 ? `Also: ${aliases.join(', ')}. ` : '';
  const sections = [
    `${purpose}.`,
    `Usage: ${usageOf(command)} [flags]`,
    section('Examples', examples.map((example) => `  ${example}\n`).join('')),
    section('Arguments', aligned(args)),
    ...flagSections(command.flags.filter((flag) => !isRare(flag))),
    moreFlags(command, command.flags.filter(isRare)),
    section('HTTP', callLines(command).join('\n')),
    notes ?? '',
    wrapped(`${also}Flags of every command: vmctl help flags. Exit codes: vmctl help exit-codes.`),
  ];
  return `${sections.filter((text) => text !== '').join('\n\n')}\n`;
}

/** `vmctl vms start [vm...]`, without flags. */
export function usageOf(command: Pick<Command, 'noun' | 'verb' | 'arguments'>): string {
  const words = command.arguments.map(({ notation }) => notation);
  return ['vmctl', nameOf(command), ...words].join(' ');
}

function section(title: string, body: string): string {
  return body === '' ? '' : `${title}:\n${body.trimEnd()}`;
}

function moreFlags(command: Command, flags: readonly FlagSpec[]): string {
  if (flags.length === 0) return '';
  const names = flags.map(({ notation }) => flagParts(notation).long);
  return wrapped(`More flags, which vmctl help ${nameOf(command)} explains: ${names.join(', ')}.`);
}

/** Flags in the order in which somebody needs them: whose, what, how. */
function flagSections(flags: readonly FlagSpec[]): readonly string[] {
  const shown = flags.filter(({ hidden }) => !hidden);
  const isParent = ({ section: where, notation }: FlagSpec) =>
    where === 'parents' || (where === undefined && notation === '--on <KIND/REF>');
  const rows = (belongs: (flag: FlagSpec) => boolean) =>
    shown.filter(belongs).map((flag) => [flagText(flag), flagDoc(flag)] as const);
  return [
    section('Of which object', aligned(rows(isParent))),
    section('Attributes', aligned(rows((flag) => flag.section === 'body'))),
    section(
      'Flags',
      aligned([
        ...rows((flag) => flag.section === 'query'),
        ...rows((flag) => flag.section === undefined && !isParent(flag)),
      ]),
    ),
  ];
}

function flagText({ notation }: FlagSpec): string {
  const { short: first, long: second, value } = flagParts(notation);
  // Some have two long names; the first is shown.
  const [short, long] = first?.startsWith('--') ? [undefined, first] : [first, second];
  return [`${short ? `${short}, ` : '    '}${long}`, ...(value === undefined ? [] : [value])].join(
    ' ',
  );
}

function flagDoc({ doc, choices }: FlagSpec): string {
  return choices ? `${doc}: ${choices.join(', ')}` : doc;
}

const shownCalls = 6;

function callLines({ calls }: Command): readonly string[] {
  const all = [...new Set(calls().map(({ method, path }) => `${method} ${path}`))];
  const more = all.length - shownCalls;
  return [
    ...all.slice(0, shownCalls).map((call) => `  ${call}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ];
}
