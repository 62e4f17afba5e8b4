/**
 * `vmctl __reference FOLDER`: the manual pages and the reference of all commands, made from the
 * commands themselves. The repository has the reference (`npm run reference`), the package the pages
 * (`npm run man`).
 */
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { groups } from '../args/catalog.ts';
import type { NounModules } from '../args/command.ts';
import {
  type CommandEntry,
  callsOf,
  type FlagEntry,
  flagDoc,
  flagText,
  manifestOfAll,
  type NounEntry,
  usageOf,
} from './command-manifest.ts';
import { manualPages } from './man.ts';

/**
 * Writes all pages below a folder, or those of one directory, `man` or `docs/commands`, and removes
 * pages of commands that are gone.
 */
export async function writeReference(
  folder: string,
  modules: NounModules,
  only?: string,
): Promise<number> {
  const nouns = await manifestOfAll(modules);
  for (const [directory, pages, ending] of [
    ['man', manualPages(nouns), '.1'],
    ['docs/commands', markdownPages(nouns), '.md'],
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

const note = 'This page is generated: `npm run reference` writes it anew.';

/** Paths and texts of all pages. */
function markdownPages(nouns: readonly NounEntry[]): readonly (readonly [string, string])[] {
  return [
    ['docs/commands/README.md', listPage(nouns)],
    ...nouns.map((noun) => [`docs/commands/${noun.name}.md`, nounPage(noun)] as const),
  ];
}

function listPage(nouns: readonly NounEntry[]): string {
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

function nounPage({ name, aliases, doc, commands }: NounEntry): string {
  const also = aliases.length > 0 ? ` Aliases: ${aliases.join(', ')}.` : '';
  const parts = [`# vmctl ${name}`, `${doc}.${also}`, note, ...commands.map(section)];
  return `${parts.join('\n\n')}\n`;
}

function section(command: CommandEntry): string {
  const { name, purpose, aliases, examples, flags } = command;
  const also = aliases.length > 0 ? ` Aliases: ${aliases.join(', ')}.` : '';
  const calls = callsOf(command);
  const parts = [
    `## ${name}`,
    `${escaped(purpose)}.${also}`,
    fenced([`${usageOf(command)}${flags.length > 0 ? ' [flags]' : ''}`]),
    examples.length > 0 ? `Examples:\n\n${fenced(examples)}` : '',
    flags.length > 0 ? flagTable(flags) : '',
    calls.length > 0 ? `HTTP: ${calls.map((call) => `\`${call}\``).join(', ')}` : '',
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

function fenced(lines: readonly string[]): string {
  return `\`\`\`sh\n${lines.join('\n')}\n\`\`\``;
}

function flagTable(flags: readonly FlagEntry[]): string {
  return flags
    .map((flag) => {
      const doc = flagDoc(flag);
      return `- \`${flagText(flag)}\`${doc === '' ? '' : `: ${escaped(doc)}`}`;
    })
    .join('\n');
}

/** Text in which nothing is markup by accident. */
function escaped(text: string): string {
  return text.replaceAll(/[\\`*_{}[\]<>|]/g, '\\$&');
}
