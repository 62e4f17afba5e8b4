/** Printed examples: those of help, manual pages and Markdown. */
import { readdirSync, readFileSync } from 'node:fs';
import type { CommandEntry, NounEntry } from '../../src/cli/help/command-manifest.ts';
import { renderManualPages } from '../../src/cli/help/man.ts';
import { builtVmctl } from '../support/in-process.ts';

const root = new URL('../../', import.meta.url);

/** Examples of the help of one command. */
export interface CommandPage {
  readonly entry: CommandEntry;
  readonly text: string;
  readonly examples: readonly string[];
}

/** Cached output: tests in one process request the same pages. */
const pages = new Map<string, Promise<string>>();

function printed(words: readonly string[]): Promise<string> {
  const line = words.join(' ');
  const page = pages.get(line) ?? print(words);
  pages.set(line, page);
  return page;
}

async function print(words: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await builtVmctl(words);
  if (code !== 0) throw new Error(`vmctl ${words.join(' ')}: ${stderr}`);
  return joined(stdout);
}

/** Returns the text with continued commands in one line, as a shell reads them. */
const joined = (text: string) => text.replaceAll(/ \\\n +/g, ' ');

/** All nouns with their commands, as `vmctl commands` tells. */
export async function allNouns(): Promise<readonly NounEntry[]> {
  return (JSON.parse(await printed(['commands', '-o', 'json'])) as { nouns: NounEntry[] }).nouns;
}

/** The help of every command. */
export async function commandPages(nouns: readonly NounEntry[]): Promise<readonly CommandPage[]> {
  const found: CommandPage[] = [];
  for (const entry of nouns.flatMap(({ commands }) => commands)) {
    const text = await printed([...entry.name.split(' '), '--help']);
    found.push({ entry, text, examples: belowTitle(text) });
  }
  return found;
}

/** The lines of a page below `Examples:`. */
function belowTitle(page: string): readonly string[] {
  const [, lines = ''] = /^Examples:\n((?: {2}\S.*\n)*)/m.exec(page) ?? [];
  return lines.split('\n').flatMap((line) => line.trim() || []);
}

/** Whether an indented line is a command. */
const isCommand = (line: string) => /^ {2,}(?:.*(?:\| |\$\())?(?:\w+=\S+ )*vmctl [a-z]/.test(line);

/** Commands in a text, wherever they are indented. */
export function commandsIn(text: string): readonly string[] {
  return text.split('\n').flatMap((line) => (isCommand(line) ? line.trim() : []));
}

export interface Topic {
  readonly name: string;
  readonly text: string;
}

/** `vmctl --help` and every topic that it names. */
export async function topics(): Promise<readonly Topic[]> {
  const first = await printed(['--help']);
  const [, names = ''] = / {2}help TOPIC +([\s\S]*)$/.exec(first) ?? [];
  const found: Topic[] = [{ name: '--help', text: first }];
  for (const name of [...names.trim().split(/,\s+/), 'nouns']) {
    found.push({ name: `help ${name}`, text: await printed(['help', name]) });
  }
  return found;
}

/** Manual pages by their names, made once for the same nouns. */
const manuals = new WeakMap<readonly NounEntry[], ReadonlyMap<string, string>>();

function renderManuals(nouns: readonly NounEntry[]): ReadonlyMap<string, string> {
  const made = manuals.get(nouns) ?? new Map(renderManualPages(nouns));
  manuals.set(nouns, made);
  return made;
}

/** Lists the preformatted lines of the manual pages of some nouns. */
export function manualLines(nouns: readonly NounEntry[], name: string): readonly string[] {
  const page = renderManuals(nouns).get(`man/${name}.1`) ?? '';
  const blocks = page.matchAll(/^\.nf\n([\s\S]*?)^\.fi$/gm);
  return [...blocks].flatMap(([, text = '']) => {
    const lines = text.replace(/\n$/, '').split('\n');
    const plain = lines.map((line) =>
      line.replace(/^\\&/, '').replaceAll('\\-', '-').replaceAll('\\e', '\\'),
    );
    return joined(plain.join('\n')).split('\n');
  });
}

/** Pages in Markdown that are written by hand; docs/coverage.md and docs/commands are generated. */
export function handWrittenPages(): readonly string[] {
  const docs = readdirSync(new URL('docs/', root)).filter((name) => name.endsWith('.md'));
  const written = docs.filter((name) => name !== 'coverage.md').map((name) => `docs/${name}`);
  return ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...written];
}

export interface Block {
  /** The nearest heading above it. */
  readonly title: string;
  readonly language: string;
  readonly text: string;
}

/** The blocks of code of a page in Markdown. */
export function readPageBlocks(path: string): readonly Block[] {
  return readBlocks(readFileSync(new URL(path, root), 'utf8'));
}

/** Code blocks of a page in Markdown, each with its heading. */
export function readBlocks(page: string): readonly Block[] {
  const blocks: Block[] = [];
  let title = '';
  for (const [, heading, language = '', text = ''] of page.matchAll(
    /^#+ (.*)$|^```(\w*)\n([\s\S]*?)^```$/gm,
  )) {
    if (heading === undefined) blocks.push({ title, language, text });
    else title = heading;
  }
  return blocks;
}
