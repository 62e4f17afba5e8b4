/** What is shown as an example, read where somebody sees it: help, manual pages, Markdown. */
import { readdirSync, readFileSync } from 'node:fs';
import type { CommandEntry, NounEntry } from '../../src/cli/help/command-manifest.ts';
import { manualPages } from '../../src/cli/help/man.ts';
import { builtVmctl } from '../support/in-process.ts';

const root = new URL('../../', import.meta.url);

/** Examples of the help of one command. */
export interface CommandPage {
  readonly entry: CommandEntry;
  readonly text: string;
  readonly examples: readonly string[];
}

/** What was printed: tests that share a process ask for the same pages. */
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

/** The text with commands that go on behind a backslash in one line, as a shell takes them. */
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

function manualsOf(nouns: readonly NounEntry[]): ReadonlyMap<string, string> {
  const made = manuals.get(nouns) ?? new Map(manualPages(nouns));
  manuals.set(nouns, made);
  return made;
}

/** The lines of a manual page that are shown as they are, of all pages of some nouns. */
export function manualLines(nouns: readonly NounEntry[], name: string): readonly string[] {
  const page = manualsOf(nouns).get(`man/${name}.1`) ?? '';
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
export function blocksOf(path: string): readonly Block[] {
  const page = readFileSync(new URL(path, root), 'utf8');
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
