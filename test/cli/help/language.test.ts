/** Language of the help: every noun, verb and flag. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { renderFeatureTopics } from '../../../src/cli/feature-hooks.ts';
import type { NounEntry } from '../../../src/cli/help/command-manifest.ts';
import { renderTopicPage, renderTopicPages } from '../../../src/cli/help/topics.ts';
import { settings } from '../../../src/cli/session/settings.ts';
import { getHumanNoun } from '../../../src/cli/verbs/flags.ts';
import { types as modelTypes } from '../../../src/model/derive/types.ts';
import { allNouns } from '../../examples/shown.ts';
import { projectRoot } from '../../support/server.ts';
import { allCommands } from '../support/all-commands.ts';

const types = Object.keys(modelTypes);
/** Documents for users, without the generated pages of single commands. */
const documents = ['.', 'docs'].flatMap((folder) =>
  readdirSync(join(projectRoot, folder))
    .filter((name) => name.endsWith('.md') && name !== 'CHANGELOG.md')
    .map((name) => join(folder, name)),
);
let nouns: readonly NounEntry[];

beforeAll(async () => {
  nouns = await allNouns();
});

/** First words of a purpose that is not an imperative. */
const noVerb = /^(The|An?|Its|What|Who|How|Where|Whether|By|Of|To)\b/;

describe('the root page', () => {
  it('fits one screen of 80 columns and 24 lines', () => {
    const lines = (renderTopicPage(undefined) ?? '').trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(24);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
  });

  it('names ten nouns that exist, and tools that exist', () => {
    const page = renderTopicPage(undefined) ?? '';
    const [, list = ''] = /Nouns +([\s\S]*?) \(and/.exec(page) ?? [];
    const named = list.split(/,\s+/);
    expect(named).toHaveLength(10);
    const known = nouns.map(({ name }) => name);
    const tools = [
      ...page.matchAll(/^ {2}(?:Sign in|Monitor|Configure|Offline|Integrate) +(.*)$/gm),
    ];
    const all = [...named, ...tools.flatMap(([, words = '']) => words.split(', '))];
    expect(all.filter((name) => !known.includes(name))).toEqual([]);
  });
});

describe('nouns', () => {
  it('have descriptions of at most 60 characters without a full stop', () => {
    const bad = nouns.filter(({ doc }) => doc === '' || doc.length > 60 || doc.endsWith('.'));
    expect(bad.map(({ name, doc }) => `${name}: ${doc}`)).toEqual([]);
  });

  it('separate their words in sentences: "network label", not "networklabel"', () => {
    const words = new Set(types.flatMap((name) => name.split('_')).filter((one) => one.length > 2));
    const isCompound = (text: string) =>
      [...words].some((word) => text.startsWith(word) && words.has(text.slice(word.length)));
    const bad = nouns
      .filter(({ group }) => group !== 'tool')
      .flatMap(({ name }) => getHumanNoun(name).split(' ').filter(isCompound));
    expect(bad).toEqual([]);
    expect(isCompound('networklabel')).toBe(true);
  });
});

describe('verbs', () => {
  it('name both objects that they attach or detach', () => {
    const attaching = nouns.flatMap(({ commands }) =>
      commands.filter(({ verb }) => verb === 'attach' || verb === 'detach'),
    );
    const bad = attaching.filter(({ purpose }) => !/^(Attach|Detach) .+ (to|from) /.test(purpose));
    expect(bad.map(({ name, purpose }) => `${name}: ${purpose}`)).toEqual([]);
    expect(attaching.length).toBeGreaterThan(15);
  });

  it('have imperatives of at most 60 characters, with VM for virtual machine', () => {
    const bad = nouns.flatMap(({ commands }) =>
      commands.filter(
        ({ purpose }) =>
          purpose.length > 60 ||
          noVerb.test(purpose) ||
          !/^[A-Z]/.test(purpose) ||
          /virtual machine|[;.]/i.test(purpose),
      ),
    );
    expect(bad.map(({ name, purpose }) => `${name}: ${purpose}`)).toEqual([]);
  });
});

describe('flags and arguments', () => {
  it('have one phrase each, without a full stop', () => {
    const bad = nouns.flatMap(({ commands }) =>
      commands.flatMap(({ name, flags, arguments: args }) =>
        [...flags.map(({ flag, doc }) => [flag, doc]), ...args.map((one) => [one.name, one.doc])]
          .filter(
            ([, doc = '']) =>
              doc === '' ||
              /(?<!\.)\.$/.test(doc) ||
              /virtual machine/i.test(doc) ||
              doc.length > 500,
          )
          .map(([flag, doc]) => `${name} ${flag}: ${doc}`),
      ),
    );
    expect(bad).toEqual([]);
  });
});

describe('placeholders in brackets', () => {
  /** Placeholders with upper-case letters: `<FILE>`, `[NAME...]`. */
  const inAngles = (text: string) => text.match(/<[^<>\s]*[A-Z][^<>\s]*>/g) ?? [];
  const upper = (text: string) => [...inAngles(text), ...(text.match(/\[\S*[A-Z]\S*\]/g) ?? [])];

  it('are lower-case in arguments and flags of all commands', async () => {
    const notations = (await allCommands()).flatMap(([noun, { verb, arguments: args, flags }]) =>
      [...args, ...flags].map(({ notation }) => `${noun} ${verb ?? ''} ${notation}`),
    );
    const global = Object.values(settings).flatMap(({ flags }) => (flags ? [flags] : []));
    expect([...notations, ...global].filter((one) => upper(one).length > 0)).toEqual([]);
    expect(upper('--on <KIND/REF>, [NAME...]')).toEqual(['<KIND/REF>', '[NAME...]']);
  });

  it('are lower-case in help topics and documents', async () => {
    const pages = [
      ...Object.entries(renderTopicPages(await renderFeatureTopics())),
      ...documents.map((path) => [path, readFileSync(join(projectRoot, path), 'utf8')] as const),
    ];
    // Square brackets also enclose links, lists and variables of the environment.
    const bad = pages.flatMap(([name, text]) => inAngles(text).map((one) => `${name}: ${one}`));
    expect(bad).toEqual([]);
    expect(pages.filter(([, text]) => text === '')).toEqual([]);
  });
});

describe('--storage-domain and --data-center', () => {
  const joined = /--(\w+-)*(storagedomain|datacenter)s?\b/g;

  it('have the same spelling in help and documents', () => {
    const shown = nouns.flatMap(({ commands }) =>
      commands.flatMap(({ name, flags, examples }) => [
        [name, flags.map(({ flag }) => flag).join(' ')] as const,
        ...examples.map((line) => [name, line] as const),
      ]),
    );
    const read = (path: string) => readFileSync(join(projectRoot, path), 'utf8');
    const texts = [...shown, ...documents.map((path) => [path, read(path)] as const)];
    const bad = texts.flatMap(([name, text]) =>
      [...text.matchAll(joined)].map(([flag]) => `${name}: ${flag}`),
    );
    expect(bad).toEqual([]);
  });

  it('are accepted without the hyphen as well', () => {
    const hyphenated = nouns.flatMap(({ commands }) =>
      commands.flatMap(({ name, flags }) =>
        flags
          .filter(({ flag }) => /^--(new-disk-)?(storage-domain|data-center)$/.test(flag))
          .map(({ flag, aliases }) => ({ name, flag, aliases })),
      ),
    );
    const bad = hyphenated.filter(
      ({ flag, aliases }) => !aliases.includes(flag.replace(/(storage|data)-/, '$1')),
    );
    expect(bad).toEqual([]);
    expect(hyphenated.length).toBeGreaterThan(30);
  });
});
