/** Commands and flags that pages mention within their sentences: all of them exist. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { nounOf } from '../../src/cli/args/catalog.ts';
import { globalFlags } from '../../src/cli/help/command-manifest.ts';
import { allNouns } from './shown.ts';
import { wordsOf } from './site.ts';

const root = new URL('../../', import.meta.url);
const nouns = await allNouns();
const everywhere = new Set([
  ...globalFlags().flatMap(({ flag, aliases }) => [flag, ...aliases]),
  '--help',
  '-h',
  '--version',
]);

const pages = ['README.md', 'CONTRIBUTING.md'].concat(
  readdirSync(new URL('docs/', root)).flatMap((name) =>
    name.endsWith('.md') ? `docs/${name}` : [],
  ),
);

/** Code within sentences that is a command; words in capitals stand for others. */
const mentions = pages.flatMap((page) => {
  const prose = readFileSync(new URL(page, root), 'utf8').replaceAll(/^```[\s\S]*?^```$/gm, '');
  const codes = [...prose.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code.replace(/\s+/g, ' '));
  const commands = codes.flatMap((code) => code.split(' | ')).map((code) => code.trim());
  return commands.flatMap((code) => (/^vmctl [a-z]/.test(code) ? ([[page, code]] as const) : []));
});

it('there are some', () => expect(mentions.length).toBeGreaterThan(15));

it.each(mentions)('%s: %s', (_page, code) => {
  const [, word = '', ...words] = wordsOf(code.split(' -- ')[0] ?? '');
  const noun = nouns.find(({ name }) => name === nounOf(word)?.name);
  expect(noun, word).toBeDefined();
  const command =
    noun?.commands.find(
      ({ verb, aliases }) =>
        verb !== undefined && (verb === words[0] || aliases.includes(words[0] ?? '')),
    ) ?? noun?.commands.find(({ verb }) => verb === undefined);
  expect(command, `${word} ${words[0]}`).toBeDefined();
  const known = new Set(command?.flags.flatMap(({ flag, aliases }) => [flag, ...aliases]));
  for (const flag of words.filter((one) => /^--?[a-z]/.test(one))) {
    const [name = ''] = flag.split('=');
    expect(known.has(name) || everywhere.has(name), flag).toBe(true);
  }
});
