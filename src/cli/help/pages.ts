/** Help pages of nouns and commands. */
import type { Noun } from '../args/catalog.ts';
import { type Command, formatCommandName } from '../args/command.ts';
import { type FlagSpec, parseFlagNotation } from '../args/parameters.ts';
import { alignRows, wrapParagraph } from './layout.ts';

/** Verbs with their summaries. */
export type VerbLines = readonly (readonly [name: string, summary: string])[];

/** Renders the help page of a noun: its verbs. */
export function renderNounPage({ name, aliases, doc, api }: Noun, verbs: VerbLines): string {
  const also = aliases.length > 0 ? `Aliases: ${aliases.join(', ')}\n` : '';
  return `${doc}.

Usage: vmctl ${name} <verb> ${api ? '[refs...] ' : ''}[flags]

Verbs:
${alignRows(verbs)}
${also}Flags and examples: vmctl ${name} <verb> --help
`;
}

/** Renders the help page of a command; `isWhole` includes rarely used flags. */
export function renderCommandPage(command: Command, isComplete = false): string {
  const { purpose, aliases, examples, notes, rareFlags = [], flagGroups } = command;
  const grouped = flagGroups?.flatMap(([, names]) => names);
  const isRare = ({ notation }: FlagSpec) => {
    const { long } = parseFlagNotation(notation);
    return !isComplete && (grouped ? !grouped.includes(long) : rareFlags.includes(long));
  };
  const args = command.arguments.map(({ notation, doc }) => [notation, doc] as const);
  const also = aliases.length > 0 ? `Aliases: ${aliases.join(', ')}. ` : '';
  const sections = [
    `${purpose}.`,
    `Usage: ${formatUsageLine(command)} [flags]`,
    formatSection('Examples', examples.map((example) => `  ${example}\n`).join('')),
    formatSection('Arguments', alignRows(args)),
    ...(flagGroups
      ? formatGroups(command.flags, flagGroups, isComplete)
      : formatFlagSections(command.flags.filter((flag) => !isRare(flag)))),
    formatMoreFlags(
      command,
      command.flags.filter((flag) => !flag.hidden && isRare(flag)),
    ),
    formatSection('HTTP', formatRequestLines(command).join('\n')),
    notes ?? '',
    wrapParagraph(
      `${also}Flags of every command: vmctl help flags. Exit codes: vmctl help exit-codes.`,
    ),
  ];
  return `${sections.filter((text) => text !== '').join('\n\n')}\n`;
}

/** Formats the usage line without flags: `vmctl vms start [vm...]`. */
export function formatUsageLine(command: Pick<Command, 'noun' | 'verb' | 'arguments'>): string {
  const words = command.arguments.map(({ notation }) => notation);
  return ['vmctl', formatCommandName(command), ...words].join(' ');
}

function formatSection(title: string, body: string): string {
  return body === '' ? '' : `${title}:\n${body.trimEnd()}`;
}

function formatMoreFlags(command: Command, flags: readonly FlagSpec[]): string {
  if (flags.length === 0) return '';
  const names = flags.map(({ notation }) => parseFlagNotation(notation).long);
  return wrapParagraph(
    `More flags (vmctl help ${formatCommandName(command)}): ${names.join(', ')}.`,
  );
}

/**
 * Renders a section for each group. In complete help, flags without a group follow in the last
 * section.
 */
function formatGroups(
  flags: readonly FlagSpec[],
  groups: readonly (readonly [title: string, flags: readonly string[]])[],
  isWhole: boolean,
): readonly string[] {
  const shown = new Map(
    flags
      .filter(({ hidden }) => !hidden)
      .map((flag) => [parseFlagNotation(flag.notation).long, flag]),
  );
  const others = [...shown.keys()].filter((long) => !groups.some(([, all]) => all.includes(long)));
  return groups.map(([title, names], index) => {
    const isLast = index === groups.length - 1;
    const all = isWhole && isLast ? [...names, ...others] : names;
    const rows = all.flatMap((long) => shown.get(long) ?? []);
    return formatSection(
      title,
      alignRows(rows.map((flag) => [formatFlagNames(flag), formatFlagHelp(flag)] as const)),
    );
  });
}

/** Renders the sections for flags of the parent, of attributes and of the command. */
function formatFlagSections(flags: readonly FlagSpec[]): readonly string[] {
  const shown = flags.filter(({ hidden }) => !hidden);
  const isParent = ({ section: where, notation }: FlagSpec) =>
    where === 'parents' || (where === undefined && notation === '--on <kind/ref>');
  const rows = (belongs: (flag: FlagSpec) => boolean) =>
    shown.filter(belongs).map((flag) => [formatFlagNames(flag), formatFlagHelp(flag)] as const);
  return [
    formatSection('Parent', alignRows(rows(isParent))),
    formatSection('Attributes', alignRows(rows((flag) => flag.section === 'body'))),
    formatSection(
      'Flags',
      alignRows([
        ...rows((flag) => flag.section === 'query'),
        ...rows((flag) => flag.section === undefined && !isParent(flag)),
      ]),
    ),
  ];
}

function formatFlagNames({ notation }: FlagSpec): string {
  const { short: first, long, value } = parseFlagNotation(notation);
  const short = first?.startsWith('--') ? undefined : first;
  return [`${short ? `${short}, ` : '    '}${long}`, ...(value === undefined ? [] : [value])].join(
    ' ',
  );
}

function formatFlagHelp({ doc, choices }: FlagSpec): string {
  return choices ? `${doc}: ${choices.join(', ')}` : doc;
}

const maxRequestLines = 6;

function formatRequestLines({ calls }: Command): readonly string[] {
  const all = [...new Set(calls().map(({ method, path }) => `${method} ${path}`))];
  const more = all.length - maxRequestLines;
  return [
    ...all.slice(0, maxRequestLines).map((call) => `  ${call}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ];
}
