/** Commands and flags in hand-written pages: all of them exist. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { findNoun } from '../../src/cli/args/catalog.ts';
import { listGlobalFlags } from '../../src/cli/help/command-manifest.ts';
import { allNouns, handWrittenPages, readPageBlocks } from './shown.ts';
import { splitWords } from './site.ts';

const root = new URL('../../', import.meta.url);
const nouns = await allNouns();
const everywhere = new Set([
  ...listGlobalFlags().flatMap(({ flag, aliases }) => [flag, ...aliases]),
  '--help',
  '-h',
  '--version',
]);

const valued = new Set(
  listGlobalFlags().flatMap(({ type, flag }) => (type === 'switch' ? [] : flag)),
);

/** The arguments of each `vmctl` in a line of a shell, without global flags before the noun. */
function parseCommands(line: string): string[][] {
  const words = splitWords(line.replaceAll('node bin/vmctl.js', 'vmctl'));
  const nested = words.flatMap((word) => /\$\((vmctl .*)\)$/.exec(word)?.[1] ?? []);
  const found = nested.flatMap(parseCommands);
  let command: string[] | undefined;
  for (const word of words) {
    if (word === 'vmctl') {
      command = [];
      found.push(command);
    } else if (/^(?:[|&;<>#]|--$|&&|\|\||\d?>)/.test(word)) command = undefined;
    else command?.push(word);
  }
  return found.map(withoutGlobalFlags);
}

function withoutGlobalFlags(words: readonly string[]): string[] {
  const at = words.findIndex(
    (word, index) => !word.startsWith('-') && !valued.has(words[index - 1] ?? ''),
  );
  return at < 0 ? [] : words.slice(at);
}

/** Code within sentences, and lines of shells in blocks; capitals are placeholders. */
const mentions = handWrittenPages()
  .filter((page) => page !== 'CHANGELOG.md')
  .flatMap((page) => {
    const prose = readFileSync(new URL(page, root), 'utf8').replaceAll(/^```[\s\S]*?^```$/gm, '');
    const codes = [...prose.matchAll(/`([^`]+)`/g)].map(([, code = '']) =>
      code.replace(/\s+/g, ' '),
    );
    const blocks = readPageBlocks(page).filter(({ language }) =>
      ['sh', 'console'].includes(language),
    );
    const lines = blocks.flatMap(({ text }) => text.replaceAll('\\\n', ' ').split('\n'));
    return [...codes.filter((code) => /^vmctl -*[a-z]/.test(code)), ...lines]
      .flatMap(parseCommands)
      .filter(([noun = '']) => /^[a-z]/.test(noun))
      .map((words) => [page, words.join(' '), words] as const);
  });

/** Aliases that the pages define. */
const aliases = new Set(
  mentions.flatMap(([, , [noun, verb, name = '']]) =>
    noun === 'alias' && verb === 'set' ? [name] : [],
  ),
);

it('there are some', () => expect(mentions.length).toBeGreaterThan(100));

const known = mentions.filter(([, , [noun = '']]) => !aliases.has(noun));

it.each(known)('%s: vmctl %s', (_page, _command, [word = '', ...words]) => {
  const noun = nouns.find(({ name }) => name === findNoun(word)?.name);
  expect(noun, word).toBeDefined();
  const command =
    noun?.commands.find(
      ({ verb, aliases }) =>
        verb !== undefined && (verb === words[0] || aliases.includes(words[0] ?? '')),
    ) ?? noun?.commands.find(({ verb }) => verb === undefined);
  expect(command, `${word} ${words[0]}`).toBeDefined();
  const flags = new Set(command?.flags.flatMap(({ flag, aliases }) => [flag, ...aliases]));
  // The value of a flag can start with a hyphen: --sort -memory.
  const typed = words.filter(
    (one, index) => !valued.has(words[index - 1] ?? '') && /^--?[a-z]/.test(one),
  );
  for (const flag of typed) {
    const [name = ''] = flag.split('=');
    expect(flags.has(name) || everywhere.has(name), flag).toBe(true);
  }
});

// CONTRIBUTING.md names flags of scripts, and CHANGELOG.md those of earlier versions.
it('flags within sentences belong to some command', () => {
  const flags = new Set(
    nouns.flatMap(({ commands }) =>
      commands.flatMap((one) => one.flags.flatMap(({ flag, aliases }) => [flag, ...aliases])),
    ),
  );
  for (const page of handWrittenPages().filter((one) => !/^C/.test(one))) {
    const text = readFileSync(new URL(page, root), 'utf8');
    for (const [, flag = ''] of text.matchAll(/`(--[a-z][a-z-]*)[^`]*`/g)) {
      const name = flag.replace(/^--no-/, '--');
      const isKnown = [flag, name].some((one) => flags.has(one) || everywhere.has(one));
      expect(isKnown, `${page}: ${flag}`).toBe(true);
    }
  }
});
