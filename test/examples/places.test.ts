/** Everywhere the same examples are shown, so that those that help shows are the ones to be run. */
import { expect, it } from 'vitest';
import { renderMarkdownPages } from '../../src/cli/help/reference.ts';
import { allNouns, commandPages, commandsIn, manualLines, readBlocks, topics } from './shown.ts';

const nouns = await allNouns();
const pages = await commandPages(nouns);
const allTopics = await topics();
const references = new Map(renderMarkdownPages(nouns));

const shownBy = (name: string) =>
  pages.filter(({ entry }) => entry.noun === name).flatMap(({ examples }) => examples);

/** The page of `help` is that of `vmctl --help`. */
const others = pages.filter(({ entry }) => entry.name !== 'help');

it('every command shows an example', () => {
  expect(others.filter(({ examples }) => examples.length === 0)).toEqual([]);
});

it('vmctl commands tells of the examples that help shows', () => {
  for (const { entry, examples } of others) expect(entry.examples, entry.name).toEqual(examples);
});

it('help shows commands nowhere but among its examples', () => {
  for (const { entry, text, examples } of others) {
    expect(commandsIn(text), entry.name).toEqual(examples.filter((one) => one.includes('vmctl ')));
  }
});

it.each(nouns.map(({ name }) => name))('the manual and docs/commands on %s', (name) => {
  const shown = name === 'help' ? [] : shownBy(name);
  expect(manualLines(nouns, `vmctl-${name}`).map((line) => line.trim())).toEqual(shown);
  const blocks = readBlocks(references.get(`docs/commands/${name}.md`) ?? '');
  // The first block of a command says how it is called.
  const usage = new Set(blocks.filter(({ title }, at) => title !== blocks[at - 1]?.title));
  const lines = blocks.filter((block) => !usage.has(block)).flatMap(({ text }) => text.split('\n'));
  expect(lines.filter((line) => line !== '')).toEqual(shown);
});

it('the manual on vmctl has the topics as help shows them', () => {
  const commands = commandsIn(manualLines(nouns, 'vmctl').join('\n'));
  expect(commands.length).toBeGreaterThan(10);
  const shown = new Set(allTopics.flatMap(({ text }) => commandsIn(text)));
  for (const command of commands) expect(shown).toContain(command);
});
