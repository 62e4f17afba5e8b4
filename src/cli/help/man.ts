/** Manual pages: vmctl(1), and one page for each noun, such as vmctl-vms(1). */
import { groups } from '../args/catalog.ts';
import {
  type CommandEntry,
  type FlagEntry,
  formatFlag,
  formatFlagDoc,
  formatUsage,
  listRequests,
  type NounEntry,
} from './command-manifest.ts';
import { renderTopicPages } from './topics.ts';

/** Help topics that become sections of vmctl(1). */
const sections = [
  'flags',
  'environment',
  'exit-codes',
  'output',
  'references',
  'waiting',
  'search',
];

/** Renders all pages: paths with texts. */
export function renderManualPages(
  nouns: readonly NounEntry[],
): readonly (readonly [string, string])[] {
  return [
    ['man/vmctl.1', renderRootPage(nouns)],
    ...nouns.map((noun) => [`man/vmctl-${noun.name}.1`, renderNounPage(noun)] as const),
  ];
}

function renderRootPage(nouns: readonly NounEntry[]): string {
  const lines = [
    ...renderHead('vmctl', 'administer a virtualization service from the command line'),
    '.SH SYNOPSIS',
    '.B vmctl',
    escapeRoff('<noun> <verb> [refs...] [flags]'),
    '.SH DESCRIPTION',
    escapeRoff('Each noun has its own page: vmctl-vms(1), vmctl-hosts(1) and so on.'),
  ];
  for (const group of groups) {
    lines.push(`.SS ${escapeRoff(group)}`);
    for (const { name, doc } of nouns.filter((noun) => noun.group === group)) {
      lines.push('.TP', `.B ${escapeRoff(name)}`, escapeRoff(doc));
    }
  }
  for (const name of sections) {
    lines.push(
      `.SH ${escapeRoff(name.toUpperCase().replaceAll('-', ' '))}`,
      ...renderPreformatted(renderTopicPages()[name] ?? ''),
    );
  }
  return `${lines.join('\n')}\n`;
}

function renderNounPage({ name, aliases, doc, commands }: NounEntry): string {
  const lines = [
    ...renderHead(`vmctl-${name}`, doc),
    '.SH SYNOPSIS',
    ...commands.flatMap((command) => ['.br', `.B ${escapeRoff(formatUsage(command))}`]).slice(1),
    '.SH DESCRIPTION',
    escapeRoff(`${doc}.`),
    ...(aliases.length > 0 ? [escapeRoff(`Aliases: ${aliases.join(', ')}.`)] : []),
    '.SH COMMANDS',
    ...commands.flatMap(renderCommand),
    '.SH SEE ALSO',
    '.BR vmctl (1)',
  ];
  return `${lines.join('\n')}\n`;
}

function renderCommand(command: CommandEntry): readonly string[] {
  const { purpose, aliases, examples, flags } = command;
  const calls = listRequests(command);
  return [
    `.SS ${escapeRoff(formatUsage(command))}`,
    escapeRoff(`${purpose}.`),
    ...(aliases.length > 0 ? [escapeRoff(`Aliases: ${aliases.join(', ')}.`)] : []),
    ...(examples.length > 0
      ? renderPreformatted(examples.map((one) => `  ${one}`).join('\n'))
      : []),
    ...flags.flatMap(renderFlag),
    ...(calls.length > 0 ? ['.PP', escapeRoff(`HTTP: ${calls.join(', ')}`)] : []),
  ];
}

function renderFlag(flag: FlagEntry): readonly string[] {
  return [
    '.TP',
    `.B ${escapeRoff(formatFlag(flag))}`,
    escapeRoff(formatFlagDoc(flag) || flag.type.replaceAll('_', ' ')),
  ];
}

function renderHead(name: string, doc: string): readonly string[] {
  return [
    '.\\" Generated: npm run reference writes it anew.',
    `.TH ${escapeRoff(name.toUpperCase())} 1 "" vmctl`,
    '.SH NAME',
    escapeRoff(
      `${name} - ${doc.replace(/^[A-Z](?=[a-z ])/, (first) => first.toLowerCase())}`,
    ).replace('\\- ', '\\- '),
  ];
}

/** Renders preformatted lines. */
function renderPreformatted(page: string): readonly string[] {
  return ['.PP', '.nf', ...page.trimEnd().split('\n').map(escapeRoff), '.fi'];
}

/** Escapes characters that roff would interpret. */
function escapeRoff(plain: string): string {
  const escaped = plain.replaceAll('\\', '\\e').replaceAll('-', '\\-');
  return /^[.']/.test(escaped) ? `\\&${escaped}` : escaped;
}
