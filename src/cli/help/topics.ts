/** The root page of help, and the pages of topics. */
import { UsageError } from '../../client/errors.ts';
import { omittedCollections } from '../../model/derive/definitions.ts';
import { groups, nouns } from '../args/catalog.ts';
import { helpLine } from '../args/parameters.ts';
import { exitCodes } from '../output/error-report.ts';
import { longFlag, settingNames, settings } from '../session/settings.ts';
import { closeMatches } from '../text/did-you-mean.ts';
import { errorCodes } from './error-codes.ts';
import { aligned, fitted, lineLength, wrapped } from './layout.ts';
import { topicNames } from './topic-names.ts';
import { topicTexts } from './topic-texts.ts';

const generated: Readonly<Record<string, () => string>> = {
  flags: flagsPage,
  environment: environmentPage,
  nouns: nounsPage,
  'exit-codes': exitCodesPage,
  definitions: definitionsPage,
  errors: errorsPage,
};

/** All topics with their texts, by name. */
export function topicPages(): Readonly<Record<string, string>> {
  const made = Object.entries(generated).map(([name, page]) => [name, page()] as const);
  const all = Object.entries({ ...topicTexts, ...Object.fromEntries(made) });
  return Object.fromEntries(all.map(([name, page]) => [name, fitted(page, lineLength)]));
}

/** The page of a topic; without a word the root page. */
export function topicPage(word: string | undefined): string | undefined {
  if (word === undefined) return rootPage();
  if (Object.hasOwn(generated, word)) return generated[word]?.();
  return Object.hasOwn(topicTexts, word) ? topicTexts[word] : undefined;
}

/** The error for a word that is neither a noun nor a topic. */
export function unknownTopic(word: string): UsageError {
  const near = closeMatches(word, [...topicNames, ...nouns.map(({ name }) => name)]);
  return new UsageError(`unknown noun or help topic "${word}"`, {
    hint: near.length > 0 ? `did you mean ${near.join(' or ')}?` : 'vmctl help nouns',
  });
}

/** The topic, followed by the collections that are not exported, with the reasons. */
function definitionsPage(): string {
  const reasons = Object.entries(omittedCollections).map(
    ([what, why]) =>
      [what.startsWith('/') ? shortened(what) : `${what.replaceAll('_', ' ')}`, why] as const,
  );
  return `${topicTexts['definitions']}
Not exported:
${aligned(reasons)}`;
}

/** A path without its placeholders: `hosts/nics/networklabels`. */
function shortened(path: string): string {
  return path.slice(1).replaceAll(/\/\{\w+\}/g, '');
}

/** The root page; a test holds it to one screen of 80 columns and 24 lines. */
function rootPage(): string {
  return `Administer an oVirt-style virtualization service from the command line.

Usage: vmctl <noun> <verb> [refs...] [flags]

Examples:
  vmctl login https://engine.example.com --username admin@internal
  vmctl vms list --search 'status=up'
  vmctl vms start web01

${aligned([
  ['Nouns', `${rootNouns.join(', ')} (and ${nouns.length - rootNouns.length} more)`],
  ['Sign in', 'login, logout, whoami, context, config, doctor'],
  ['Monitor', 'ui, top, watch, events, jobs, wait'],
  ['Configure', 'export, diff, apply, history, undo'],
  ['Learn, test', 'explain, search-help, serve, conformance'],
  ['Integrate', 'api, commands, completion, mcp'],
])}
More help:
${aligned([
  ['help nouns', 'all nouns and other commands'],
  ['<noun> --help', 'verbs of a noun'],
  ['<noun> <verb> --help', 'flags and examples of a command'],
  ['help TOPIC', topicNames.filter((name) => name !== 'nouns').join(', ')],
])}`;
}

/** The ten most used nouns. */
const rootNouns = [
  ...['vms', 'hosts', 'clusters', 'datacenters', 'templates'],
  ...['disks', 'storagedomains', 'networks', 'snapshots', 'users'],
];

function nounsPage(): string {
  const parts = groups.map((group) => {
    const rows = nouns
      .filter((noun) => noun.group === group)
      .map(({ name, aliases, doc }) => {
        const also = aliases.length > 0 ? ` (also ${aliases.join(', ')})` : '';
        return [name, `${doc}${also}`] as const;
      });
    return `${group}\n${aligned(rows)}`;
  });
  return `${parts.join('\n')}\n${wrapped(
    'Hyphens are optional and the singular works as well: storage-domain, storagedomains and sd are the same noun.',
  )}\n`;
}

function exitCodesPage(): string {
  const rows = exitCodes.map(([code, meaning]) => `  ${String(code).padStart(3)}  ${meaning}\n`);
  return `Exit codes.\n\n${rows.join('')}`;
}

/** The topic, followed by the codes of errors with their exit codes. */
function errorsPage(): string {
  const rows = errorCodes.map(([exit, codes]) => [exit, codes.join(', ')] as const);
  return `${topicTexts['errors']}
${aligned([['EXIT', 'CODES'], ...rows])}
all_failed has the exit code of its first failure. vmctl help exit-codes explains the exit codes.
`;
}

function flagsPage(): string {
  const rows = settingNames.flatMap((name) => {
    const { flags, doc, env } = settings[name];
    return flags ? [[flags, env ? `${helpLine(doc)} [${env}]` : helpLine(doc)] as const] : [];
  });
  return `Flags of every command. If a command has its own flag with the same name, that flag replaces this one. The
environment variable in brackets keeps its meaning.

${aligned([...rows, ['-h, --help', 'Help for the command']])}`;
}

const otherVariables: readonly (readonly [string, string])[] = [
  ['NO_COLOR, FORCE_COLOR', 'No color; color without a terminal'],
  ['ACCESSIBLE', '1: progress line by line, without redrawing'],
  ['HTTPS_PROXY, ALL_PROXY', 'Proxy: http://[user:password@]host:port'],
  ['NO_PROXY', 'Hosts and domains without proxy, separated by commas; * for all'],
  ['XDG_CONFIG_HOME', 'Parent of the folder vmctl with config.json (default ~/.config)'],
  ['XDG_STATE_HOME', 'Parent of the folder vmctl with tokens (default ~/.local/state)'],
];

function environmentPage(): string {
  const rows = settingNames.flatMap((name) => {
    const { env, doc, ...setting } = settings[name];
    const flag = longFlag(setting as (typeof settings)[typeof name]);
    return env ? [[env, flag ? `${helpLine(doc)} (${flag})` : helpLine(doc)] as const] : [];
  });
  return `Environment variables. A flag has priority over its variable, a variable over the context. Set a switch to 1
to enable it.

${aligned([...rows, ...otherVariables])}
${wrapped('Scripts need no vmctl login: set VMCTL_URL, VMCTL_USERNAME, VMCTL_PASSWORD or VMCTL_PASSWORD_FILE, and VMCTL_CA_FILE.')}
`;
}
