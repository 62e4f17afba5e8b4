/** Root page and topic pages of the help. */
import { escapeControlChars } from '../../escape-control-chars.ts';
import { groups, nouns } from '../args/catalog.ts';
import { type HelpSection, helpSections } from '../args/command.ts';
import { formatHelpLine } from '../args/parameters.ts';
import type { CommandGroup } from '../args/user-commands.ts';
import { exitCodes } from '../output/error-report.ts';
import { longFlag, settingNames, settings } from '../session/settings.ts';
import { findCloseMatches } from '../text/did-you-mean.ts';
import { errorCodes } from './error-codes.ts';
import { alignRows, fitPage, lineLength, wrapParagraph } from './layout.ts';
import { topicNames } from './topic-names.ts';
import { topicTexts } from './topic-texts.ts';

const generated: Readonly<Record<string, (own: readonly CommandGroup[]) => string>> = {
  flags: renderFlagsPage,
  environment: renderEnvironmentPage,
  nouns: renderNounsPage,
  'exit-codes': renderExitCodesPage,
  errors: renderErrorsPage,
};

/** Renders all topics by name; `others` are those of features. */
export function renderTopicPages(
  others: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const made = Object.entries(generated).map(([name, page]) => [name, page([])] as const);
  const all = Object.entries({ ...topicTexts, ...Object.fromEntries(made), ...others });
  return Object.fromEntries(all.map(([name, page]) => [name, fitPage(page, lineLength)]));
}

/** Renders the page of a topic, or the root page without a word; undefined for an unknown topic. */
export function renderTopicPage(
  word: string | undefined,
  own: readonly CommandGroup[] = [],
): string | undefined {
  if (word === undefined) return renderRootPage(own);
  if (Object.hasOwn(generated, word)) return generated[word]?.(own);
  return Object.hasOwn(topicTexts, word) ? topicTexts[word] : undefined;
}

/** Formats the error line for a word that is neither a noun nor a topic, with similar words. */
export function formatUnknownTopic(word: string): string {
  const near = findCloseMatches(word, [...topicNames, ...nouns.map(({ name }) => name)]);
  const hint = near.length > 0 ? `\nhint: did you mean ${near.join(' or ')}?` : '';
  return `vmctl: no help for "${escapeControlChars.line(word)}"${hint}\n`;
}

/** Renders the list of topics, for an unknown one. */
export function renderTopicList(): string {
  return `${alignRows([
    ['help TOPIC', topicNames.join(', ')],
    ['<noun> --help', 'verbs of a noun'],
    ['--help', 'nouns and examples'],
  ])}`;
}

/** Renders the root page. A test limits it to one screen of 80 columns and 24 lines. */
function renderRootPage(own: readonly CommandGroup[]): string {
  return `Administer an oVirt-style virtualization service from the command line.

Usage: vmctl <noun> <verb> [refs...] [flags]

Examples:
  vmctl login https://engine.example.com --username admin@internal
  vmctl vms list --search 'status=up'
  vmctl vms start web01

${alignRows([
  ['Nouns', `${rootNouns.join(', ')} (and ${nouns.length - rootNouns.length} more)`],
  ...listSectionRows(),
  ...own.map(({ title, commands }) => [title, commands.map(([name]) => name).join(', ')] as const),
])}
More help:
${alignRows([
  ['help nouns', 'all nouns and other commands'],
  ['<noun> --help', 'verbs of a noun'],
  ['<noun> <verb> --help', 'flags and examples of a command'],
  ['help TOPIC', topicNames.filter((name) => name !== 'nouns').join(', ')],
])}`;
}

/** Nouns of the model in sections of the root page. */
const modelNouns: Partial<Record<HelpSection, readonly string[]>> = { Monitor: ['events', 'jobs'] };

/** Lists the sections of the root page with their nouns, in the order of `vmctl help nouns`. */
function listSectionRows(): readonly (readonly [string, string])[] {
  return helpSections.flatMap((section) => {
    const names = [
      ...(modelNouns[section] ?? []),
      ...nouns.filter((noun) => noun.section === section).map(({ name }) => name),
    ];
    return names.length > 0 ? [[section, names.join(', ')] as const] : [];
  });
}

/** The ten most used nouns. */
const rootNouns = [
  ...['vms', 'hosts', 'clusters', 'datacenters', 'templates'],
  ...['disks', 'storagedomains', 'networks', 'snapshots', 'users'],
];

function renderNounsPage(own: readonly CommandGroup[]): string {
  const parts = groups.map((group) => {
    const rows = nouns
      .filter((noun) => noun.group === group)
      .map(({ name, aliases, doc }) => {
        const also = aliases.length > 0 ? ` (also ${aliases.join(', ')})` : '';
        return [name, `${doc}${also}`] as const;
      });
    return `${group}\n${alignRows(rows)}`;
  });
  parts.push(...own.map(({ title, commands }) => `${title}\n${alignRows(commands)}`));
  return `${parts.join('\n')}\n${wrapParagraph(
    'Hyphens are optional and the singular works as well: storage-domain, storagedomains and sd are the same noun.',
  )}\n`;
}

function renderExitCodesPage(): string {
  const rows = exitCodes.map(([code, meaning]) => `  ${String(code).padStart(3)}  ${meaning}\n`);
  return `Exit codes.\n\n${rows.join('')}`;
}

/** Renders the topic, followed by the error codes with their exit codes. */
function renderErrorsPage(): string {
  const rows = errorCodes.map(([exit, codes]) => [exit, codes.join(', ')] as const);
  return `${topicTexts['errors']}
${alignRows([['EXIT', 'CODES'], ...rows])}
all_failed has the exit code of its first failure. vmctl help exit-codes explains the exit codes.
`;
}

function renderFlagsPage(): string {
  const rows = settingNames.flatMap((name) => {
    const { flags, doc, env } = settings[name];
    return flags
      ? [[flags, env ? `${formatHelpLine(doc)} [${env}]` : formatHelpLine(doc)] as const]
      : [];
  });
  return `Flags of every command. If a command has its own flag with the same name, that flag replaces this one. The
environment variable in brackets keeps its meaning.

${alignRows([...rows, ['-h, --help', 'Help for the command']])}`;
}

const otherVariables: readonly (readonly [string, string])[] = [
  ['NO_COLOR, FORCE_COLOR', 'No color; color without a terminal'],
  ['ACCESSIBLE', '1: progress line by line, without redrawing'],
  ['HTTPS_PROXY, ALL_PROXY', 'Proxy: http://[user:password@]host:port'],
  ['NO_PROXY', 'Hosts and domains without proxy, separated by commas; * for all'],
  ['BROWSER', 'Program that opens the sign-in page of vmctl login --web'],
  ['XDG_CONFIG_HOME', 'Parent of the folder vmctl with config.json (default ~/.config)'],
  ['XDG_STATE_HOME', 'Parent of the folder vmctl with tokens (default ~/.local/state)'],
];

function renderEnvironmentPage(): string {
  const rows = settingNames.flatMap((name) => {
    const { env, doc } = settings[name];
    const flag = longFlag(settings[name]);
    return env
      ? [[env, flag ? `${formatHelpLine(doc)} (${flag})` : formatHelpLine(doc)] as const]
      : [];
  });
  return `Environment variables. A flag has priority over its variable, a variable over the context. Set a switch to 1
to enable it.

${alignRows([...rows, ...otherVariables])}
${wrapParagraph('Scripts need no vmctl login: set VMCTL_URL, VMCTL_USERNAME, VMCTL_PASSWORD or VMCTL_PASSWORD_FILE, and VMCTL_CA_FILE. The sign-in uses, in this order: VMCTL_TOKEN, --password-file, VMCTL_PASSWORD, VMCTL_PASSWORD_FILE, the source of the context. VMCTL_TOKEN needs no user name and is never renewed.')}
`;
}
