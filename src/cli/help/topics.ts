/** The root page of help, and the pages of topics. */
import { UsageError } from '../../client/errors.ts';
import { leftOut } from '../../model/derive/definitions.ts';
import { groups, nouns } from '../args/catalog.ts';
import { exitCodes } from '../output/error-report.ts';
import { longFlag, settingNames, settings } from '../session/settings.ts';
import { closeMatches } from '../text/did-you-mean.ts';
import { aligned, fitted, lineLength, wrapped } from './layout.ts';
import { topicNames } from './topic-names.ts';
import { topicTexts } from './topic-texts.ts';

const generated: Readonly<Record<string, () => string>> = {
  flags: flagsPage,
  environment: environmentPage,
  nouns: nounsPage,
  'exit-codes': exitCodesPage,
  definitions: definitionsPage,
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
  return new UsageError(`${word}: neither a noun nor a help topic`, {
    hint: near.length > 0 ? `did you mean ${near.join(' or ')}?` : 'vmctl --help lists both',
  });
}

/** With what is left out of definitions, and why. */
function definitionsPage(): string {
  const reasons = Object.entries(leftOut).map(
    ([what, why]) =>
      [what.startsWith('/') ? shortened(what) : `${what.replaceAll('_', ' ')}`, why] as const,
  );
  return `${topicTexts['definitions']}
Not written, though requests could make it:
${aligned(reasons)}`;
}

/** A path without its placeholders: `hosts/nics/networklabels`. */
function shortened(path: string): string {
  return path.slice(1).replaceAll(/\/\{\w+\}/g, '');
}

function rootPage(): string {
  const rows = groups
    .filter((group) => group !== 'tool')
    .map((group) => [group, namesOf(group, false)] as const)
    .filter(([, names]) => names !== '');
  const tools = nouns.filter(({ group }) => group === 'tool');
  const rowsOfTools = tools
    .filter(({ more }) => !more)
    .map(({ name, doc }) => [name, doc] as const);
  const others = tools.filter(({ more }) => more).map(({ name }) => name);
  return `Administer a virtualization service from the command line.

Usage: vmctl <noun> <verb> [refs...] [flags]

Examples:
  vmctl login https://engine.example.com --username admin@internal
  vmctl vms list --search 'status=up'
  vmctl vms start web01
  vmctl nics list --vm web01 -o json

Nouns:
${aligned(rows)}
Tools:
${aligned(rowsOfTools)}
${wrapped(`More tools, which vmctl help nouns explains: ${others.join(', ')}.`)}
${wrapped(
  'vmctl <noun> --help lists the verbs of a noun, vmctl <noun> <verb> --help explains one.',
)}
${wrapped(`Topics of vmctl help: ${topicNames.join(', ')}.`)}
`;
}

function namesOf(group: string, all: boolean): string {
  return nouns
    .filter((noun) => noun.group === group && (all || !noun.more))
    .map(({ name }) => name)
    .join(', ');
}

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
    'Hyphens do not count and the singular is understood: storage-domain, storagedomains and sd are one noun.',
  )}\n`;
}

function exitCodesPage(): string {
  const rows = exitCodes.map(([code, meaning]) => `  ${String(code).padStart(3)}  ${meaning}\n`);
  return `Exit codes.\n\n${rows.join('')}`;
}

function flagsPage(): string {
  const rows = settingNames.flatMap((name) => {
    const { flags, doc, env } = settings[name];
    return flags ? [[flags, env ? `${doc} [${env}]` : doc] as const] : [];
  });
  return `Flags of every command. What a command has under the same name itself wins; then the
variable in brackets still works.

${aligned([...rows, ['-h, --help', 'Explain the command instead of running it.']])}`;
}

const otherVariables: readonly (readonly [string, string])[] = [
  ['NO_COLOR, FORCE_COLOR', 'No colour at all; colour although there is no terminal.'],
  ['ACCESSIBLE', '1: progress is written line by line and never redrawn.'],
  [
    'HTTPS_PROXY, ALL_PROXY',
    'The proxy on the way to the server: http://[user:password@]host:port.',
  ],
  ['NO_PROXY', 'Hosts and domains, with commas, that are reached without it; * is all.'],
  ['XDG_CONFIG_HOME', 'Where the folder vmctl with config.json is (~/.config).'],
  ['XDG_STATE_HOME', 'Where the folder vmctl with tokens and sessions of TLS is (~/.local/state).'],
];

function environmentPage(): string {
  const rows = settingNames.flatMap((name) => {
    const { env, doc, ...setting } = settings[name];
    const flag = longFlag(setting as (typeof settings)[typeof name]);
    return env ? [[env, flag ? `${doc} (${flag})` : doc] as const] : [];
  });
  return `Environment variables. A flag wins over its variable, a variable over the context.

${aligned([...rows, ...otherVariables])}
${wrapped('Nothing else is needed in scripts: with VMCTL_URL, VMCTL_USERNAME, VMCTL_PASSWORD or VMCTL_PASSWORD_FILE, and VMCTL_CA_FILE every command works without login.')}
`;
}
