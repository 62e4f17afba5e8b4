/** Language of the help: every noun, verb and flag. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { NounEntry } from '../../../src/cli/help/command-manifest.ts';
import { topicPage } from '../../../src/cli/help/topics.ts';
import { humanNoun } from '../../../src/cli/verbs/flags.ts';
import { types as modelTypes } from '../../../src/model/derive/types.ts';
import { allNouns } from '../../examples/shown.ts';

const types = Object.keys(modelTypes);
let nouns: readonly NounEntry[];

beforeAll(async () => {
  nouns = await allNouns();
});

/** First words of a purpose that is not an imperative. */
const noVerb = /^(The|An?|Its|What|Who|How|Where|Whether|By|Of|To)\b/;

describe('the root page', () => {
  it('fits one screen of 80 columns and 24 lines', () => {
    const lines = (topicPage(undefined) ?? '').trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(24);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
  });

  it('names ten nouns that exist, and tools that exist', () => {
    const page = topicPage(undefined) ?? '';
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
      .flatMap(({ name }) => humanNoun(name).split(' ').filter(isCompound));
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
