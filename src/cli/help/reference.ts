/**
 * Manual pages and command reference, generated from the commands: `vmctl __reference FOLDER`.
 * The repository contains the reference (`npm run reference`), the package the manual pages (`npm
 * run man`).
 */
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { groups } from '../args/catalog.ts';
import type { NounModules } from '../args/command.ts';
import {
  type CommandEntry,
  describeAllNouns,
  type FlagEntry,
  formatFlag,
  formatFlagDoc,
  formatUsage,
  listRequests,
  type NounEntry,
} from './command-manifest.ts';
import { renderManualPages } from './man.ts';

/**
 * Writes all pages below a folder, or only those of one directory (`man` or `docs/commands`), and
 * removes pages of deleted commands. Returns the exit code.
 */
export async function writeReference(
  folder: string,
  modules: NounModules,
  only?: string,
): Promise<number> {
  const nouns = await describeAllNouns(modules);
  for (const [directory, pages, ending] of [
    ['man', renderManualPages(nouns), '.1'],
    ['docs/commands', renderMarkdownPages(nouns), '.md'],
  ] as const) {
    if (only !== undefined && only !== directory) continue;
    const place = join(folder, directory);
    const old = existsSync(place) ? readdirSync(place) : [];
    for (const name of old.filter((name) => name.endsWith(ending))) rmSync(join(place, name));
    for (const [path, text] of pages) {
      const file = join(folder, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
  }
  return 0;
}

const note = '`npm run reference` generates this page.';

/** Renders all pages: paths with texts. */
export function renderMarkdownPages(
  nouns: readonly NounEntry[],
): readonly (readonly [string, string])[] {
  return [
    ['docs/commands/README.md', renderListPage(nouns)],
    ...nouns.map((noun) => [`docs/commands/${noun.name}.md`, renderNounPage(noun)] as const),
  ];
}

function renderListPage(nouns: readonly NounEntry[]): string {
  const parts = groups.map((group) => {
    const rows = nouns
      .filter((noun) => noun.group === group)
      .map(({ name, doc, aliases }) => {
        const also = aliases.length > 0 ? ` (${aliases.join(', ')})` : '';
        return `- [${name}](${name}.md)${also}: ${doc}`;
      });
    return `## ${group}\n\n${rows.join('\n')}`;
  });
  return `# Commands\n\n${note}\n\n${parts.join('\n\n')}\n`;
}

function renderNounPage({ name, aliases, doc, commands }: NounEntry): string {
  const also = aliases.length > 0 ? ` Aliases: ${aliases.join(', ')}.` : '';
  const parts = [`# vmctl ${name}`, `${doc}.${also}`, note, ...commands.map(renderCommand)];
  return `${parts.join('\n\n')}\n`;
}

function renderCommand(command: CommandEntry): string {
  const { name, purpose, aliases, examples, flags } = command;
  const also = aliases.length > 0 ? ` Aliases: ${aliases.join(', ')}.` : '';
  const calls = listRequests(command);
  const parts = [
    `## ${name}`,
    `${escapeMarkdown(purpose)}.${also}`,
    formatCodeBlock([`${formatUsage(command)}${flags.length > 0 ? ' [flags]' : ''}`]),
    examples.length > 0 ? `Examples:\n\n${formatCodeBlock(examples)}` : '',
    flags.length > 0 ? renderFlags(flags) : '',
    calls.length > 0 ? `HTTP: ${calls.map((call) => `\`${call}\``).join(', ')}` : '',
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

function formatCodeBlock(lines: readonly string[]): string {
  return `\`\`\`sh\n${lines.join('\n')}\n\`\`\``;
}

function renderFlags(flags: readonly FlagEntry[]): string {
  return flags
    .map((flag) => {
      const doc = formatFlagDoc(flag);
      return `- \`${formatFlag(flag)}\`${doc === '' ? '' : `: ${escapeMarkdown(doc)}`}`;
    })
    .join('\n');
}

/** Escapes Markdown. */
function escapeMarkdown(text: string): string {
  return text.replaceAll(/[\\`*_{}[\]<>|]/g, '\\$&');
}
