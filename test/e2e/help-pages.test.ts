/** Help pages: none is wider than its terminal, and the first ones fit one screen. */
import { describe, expect, it } from 'vitest';
import { renderFeatureTopics } from '../../src/cli/feature-hooks.ts';
import { fitPage } from '../../src/cli/help/layout.ts';
import { renderTopicPages } from '../../src/cli/help/topics.ts';
import { allNouns } from '../examples/shown.ts';
import { builtVmctl } from '../support/in-process.ts';

const nouns = await allNouns();
const first = [['--help'], ...nouns.map(({ name }) => [name, '--help'])];
const verbs = nouns.flatMap(({ name, commands }) =>
  commands.flatMap(({ verb }) => (verb === undefined ? [] : [[name, verb, '--help']])),
);
const topics = [
  ...Object.keys(renderTopicPages(await renderFeatureTopics())),
  ...nouns.map(({ name }) => name),
]
  .filter((name) => name !== 'help')
  .map((name) => ['help', name]);

async function page(words: readonly string[], terminal?: number): Promise<readonly string[]> {
  const options = terminal === undefined ? {} : { terminal };
  const { code, stdout, stderr } = await builtVmctl(words, options);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout.split('\n');
}

/** A single word, which must not be broken. */
const unbreakable = /^ *('[^']*'|\S+)( \\)?$/;

describe('help', () => {
  it.each([...first, ...verbs, ...topics])('%s %s %s', async (...words) => {
    const given = words.filter((word) => word !== undefined);
    for (const line of await page(given)) expect(line.length, line).toBeLessThanOrEqual(80);
    for (const width of [100, 60, 40]) {
      for (const line of await page(given, width)) {
        const most = Math.min(width, 80);
        if (!unbreakable.test(line)) expect(line.length, line).toBeLessThanOrEqual(most);
      }
    }
  });

  it.each(first)('%s %s has fewer than 50 lines', async (...words) => {
    // The last line is followed by an empty one.
    expect((await page(words)).length - 1).toBeLessThan(50);
  });

  it('lists the flags without an explanation, and where they are explained', async () => {
    const brief = (await page(['serve', '--help'])).join(' ');
    expect(brief).toMatch(/More flags \(vmctl help serve\): .*--tls-cert/);
    expect(brief).not.toContain('Certificate chain');
    expect((await page(['help', 'serve'])).join('\n')).toMatch(
      /--tls-cert <file> +Certificate chain/,
    );
  });
});

describe('a page in a narrow terminal', () => {
  const narrow = (text: string) => fitPage(text, 40).split('\n');

  it('has rewrapped paragraphs and unchanged short lines', () => {
    const text = `${'word '.repeat(15).trim()}\n${'more '.repeat(5).trim()}\n\nUsage: it\nAlso: that`;
    const lines = narrow(text);
    expect(lines.slice(0, 3)).toEqual([
      'word word word word word word word word',
      'word word word word word word word more',
      'more more more more',
    ]);
    expect(lines.slice(3)).toEqual(['', 'Usage: it', 'Also: that']);
  });

  it('has rows below each other, or below their names', () => {
    const row =
      '  name  what it is, said in so many words that a line is not enough\n        for it';
    expect(narrow(row)).toEqual([
      '  name  what it is, said in so many',
      '        words that a line is not enough',
      '        for it',
    ]);
    const wide = '      --a-flag-with-a-value <VALUE>  what it is for';
    expect(narrow(wide)).toEqual([
      '      --a-flag-with-a-value <VALUE>',
      '          what it is for',
    ]);
  });

  it('has commands that a shell still parses', () => {
    const command = "  vmctl vms list --search 'name=web* and status=up' -o json  # all of them";
    const lines = narrow(command);
    expect(lines).toEqual([
      '  # all of them',
      '  vmctl vms list --search \\',
      "    'name=web* and status=up' -o json",
    ]);
  });
});
