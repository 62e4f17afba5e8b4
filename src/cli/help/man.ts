/** Manual pages: vmctl(1), and one for each noun, as vmctl-vms(1). */
import { groups } from '../args/catalog.ts';
import {
  type CommandEntry,
  callsOf,
  type FlagEntry,
  flagDoc,
  flagText,
  type NounEntry,
  usageOf,
} from './command-manifest.ts';
import { topicPages } from './topics.ts';

/** Topics of help that are sections of vmctl(1). */
const sections = [
  'flags',
  'environment',
  'exit-codes',
  'output',
  'references',
  'waiting',
  'search',
];

/** Paths and texts of all pages. */
export function manualPages(nouns: readonly NounEntry[]): readonly (readonly [string, string])[] {
  return [
    ['man/vmctl.1', rootPage(nouns)],
    ...nouns.map((noun) => [`man/vmctl-${noun.name}.1`, nounPage(noun)] as const),
  ];
}

function rootPage(nouns: readonly NounEntry[]): string {
  const lines = [
    ...head('vmctl', 'administer a virtualization service from the command line'),
    '.SH SYNOPSIS',
    '.B vmctl',
    text('<noun> <verb> [refs...] [flags]'),
    '.SH DESCRIPTION',
    text('Each noun has its own page: vmctl-vms(1), vmctl-hosts(1) and so on.'),
  ];
  for (const group of groups) {
    lines.push(`.SS ${text(group)}`);
    for (const { name, doc } of nouns.filter((noun) => noun.group === group)) {
      lines.push('.TP', `.B ${text(name)}`, text(doc));
    }
  }
  for (const name of sections) {
    lines.push(
      `.SH ${text(name.toUpperCase().replaceAll('-', ' '))}`,
      ...verbatim(topicPages()[name] ?? ''),
    );
  }
  return `${lines.join('\n')}\n`;
}

function nounPage({ name, aliases, doc, commands }: NounEntry): string {
  const lines = [
    ...head(`vmctl-${name}`, doc),
    '.SH SYNOPSIS',
    ...commands.flatMap((command) => ['.br', `.B ${text(usageOf(command))}`]).slice(1),
    '.SH DESCRIPTION',
    text(`${doc}.`),
    ...(aliases.length > 0 ? [text(`Aliases: ${aliases.join(', ')}.`)] : []),
    '.SH COMMANDS',
    ...commands.flatMap(section),
    '.SH SEE ALSO',
    '.BR vmctl (1)',
  ];
  return `${lines.join('\n')}\n`;
}

function section(command: CommandEntry): readonly string[] {
  const { purpose, aliases, examples, flags } = command;
  const calls = callsOf(command);
  return [
    `.SS ${text(usageOf(command))}`,
    text(`${purpose}.`),
    ...(aliases.length > 0 ? [text(`Aliases: ${aliases.join(', ')}.`)] : []),
    ...(examples.length > 0 ? verbatim(examples.map((one) => `  ${one}`).join('\n')) : []),
    ...flags.flatMap(flagLines),
    ...(calls.length > 0 ? ['.PP', text(`HTTP: ${calls.join(', ')}`)] : []),
  ];
}

function flagLines(flag: FlagEntry): readonly string[] {
  return [
    '.TP',
    `.B ${text(flagText(flag))}`,
    text(flagDoc(flag) || flag.type.replaceAll('_', ' ')),
  ];
}

function head(name: string, doc: string): readonly string[] {
  return [
    '.\\" Generated: npm run reference writes it anew.',
    `.TH ${text(name.toUpperCase())} 1 "" vmctl`,
    '.SH NAME',
    text(`${name} - ${doc.replace(/^[A-Z](?=[a-z ])/, (first) => first.toLowerCase())}`).replace(
      '\\- ',
      '\\- ',
    ),
  ];
}

/** Lines as they are. */
function verbatim(page: string): readonly string[] {
  return ['.PP', '.nf', ...page.trimEnd().split('\n').map(text), '.fi'];
}

/** Text in which nothing is a request or an escape by accident. */
function text(plain: string): string {
  const escaped = plain.replaceAll('\\', '\\e').replaceAll('-', '\\-');
  return /^[.']/.test(escaped) ? `\\&${escaped}` : escaped;
}
