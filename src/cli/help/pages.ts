/** Help pages of nouns and commands. */
import type { Noun } from '../args/catalog.ts';
import { type Command, nameOf } from '../args/command.ts';
import { type FlagSpec, flagParts } from '../args/parameters.ts';
import { aligned, wrapped } from './layout.ts';

/** Verbs with their summaries. */
export type VerbLines = readonly (readonly [name: string, summary: string])[];

/** The verbs of a noun. */
export function nounPage({ name, aliases, doc, api }: Noun, verbs: VerbLines): string {
  const also = aliases.length > 0 ? `Aliases: ${aliases.join(', ')}\n` : '';
  return `${doc}.

Usage: vmctl ${name} <verb> ${api ? '[refs...] ' : ''}[flags]

Verbs:
${aligned(verbs)}
${also}Flags and examples: vmctl ${name} <verb> --help
`;
}

/** Help of a command, examples first; `isWhole` includes rarely used flags. */
export function commandPage(command: Command, isWhole = false): string {
  const { purpose, aliases, examples, notes, rareFlags = [], flagGroups } = command;
  const grouped = flagGroups?.flatMap(([, names]) => names);
  const isRare = ({ notation }: FlagSpec) => {
    const { long } = flagParts(notation);
    return !isWhole && (grouped ? !grouped.includes(long) : rareFlags.includes(long));
  };
  const args = command.arguments.map(({ notation, doc }) => [notation, doc] as const);
  const also = aliases.length > 0 ? `Aliases: ${aliases.join(', ')}. ` : '';
  const sections = [
    `${purpose}.`,
    `Usage: ${usageOf(command)} [flags]`,
    section('Examples', examples.map((example) => `  ${example}\n`).join('')),
    section('Arguments', aligned(args)),
    ...(flagGroups
      ? groupSections(command.flags, flagGroups, isWhole)
      : flagSections(command.flags.filter((flag) => !isRare(flag)))),
    moreFlags(
      command,
      command.flags.filter((flag) => !flag.hidden && isRare(flag)),
    ),
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
  return wrapped(`More flags (vmctl help ${nameOf(command)}): ${names.join(', ')}.`);
}

/** One section for each group; in complete help, flags without a group follow in the last one. */
function groupSections(
  flags: readonly FlagSpec[],
  groups: readonly (readonly [title: string, flags: readonly string[]])[],
  isWhole: boolean,
): readonly string[] {
  const shown = new Map(
    flags.filter(({ hidden }) => !hidden).map((flag) => [flagParts(flag.notation).long, flag]),
  );
  const others = [...shown.keys()].filter((long) => !groups.some(([, all]) => all.includes(long)));
  return groups.map(([title, names], index) => {
    const isLast = index === groups.length - 1;
    const all = isWhole && isLast ? [...names, ...others] : names;
    const rows = all.flatMap((long) => shown.get(long) ?? []);
    return section(title, aligned(rows.map((flag) => [flagText(flag), flagDoc(flag)] as const)));
  });
}

/** Flags of the parent, of attributes, and of the command. */
function flagSections(flags: readonly FlagSpec[]): readonly string[] {
  const shown = flags.filter(({ hidden }) => !hidden);
  const isParent = ({ section: where, notation }: FlagSpec) =>
    where === 'parents' || (where === undefined && notation === '--on <kind/ref>');
  const rows = (belongs: (flag: FlagSpec) => boolean) =>
    shown.filter(belongs).map((flag) => [flagText(flag), flagDoc(flag)] as const);
  return [
    section('Parent', aligned(rows(isParent))),
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
  const { short: first, long, value } = flagParts(notation);
  // A second long name is an alias.
  const short = first?.startsWith('--') ? undefined : first;
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
