/** The commands in the help about output work as written. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderFeatureTopics } from '../../../src/cli/feature-hooks.ts';
import { topicNames } from '../../../src/cli/help/topic-names.ts';
import { topicTexts } from '../../../src/cli/help/topic-texts.ts';
import { renderTopicPages } from '../../../src/cli/help/topics.ts';
import { formats, settingNames, settings } from '../../../src/cli/session/settings.ts';
import { vmctl } from '../support/run.ts';
import { type Site, startSite } from '../support/site.ts';

let site: Site;

beforeAll(async () => {
  site = await startSite();
});

afterAll(() => site.close());

const text = topicTexts['output'] ?? '';

/** Splits an example into words like a shell. */
function splitWords(line: string): string[] {
  const words = line.trim().match(/'[^']*'|"[^"]*"|\S+/g) ?? [];
  return words.map((word) => word.replace(/^(['"])(.*)\1$/, '$2')).slice(1);
}

describe('an unknown topic', () => {
  it('has an error line with near topics, and the list of topics', async () => {
    const { code, stdout, stderr } = await vmctl(['help', 'serach']);
    expect([code, stderr]).toEqual([
      0,
      'vmctl: no help for "serach"\nhint: did you mean search?\n',
    ]);
    for (const topic of topicNames) expect(stdout).toContain(topic);
    expect(stdout).not.toContain('Administer');
  });
});

describe('vmctl help output', () => {
  it.each(text.split('\n').filter((line) => line.startsWith('  vmctl ')))('%s', async (line) => {
    const { code, stdout } = await site.run(splitWords(line));
    expect(code).toBe(0);
    expect(stdout).not.toBe('');
  });

  it('names every format', () => {
    for (const format of formats) expect(text).toMatch(new RegExp(`(^|[ ;])${format}\\b`, 'm'));
    expect(settings.output.doc.match(/\w+/g)).toEqual(expect.arrayContaining([...formats]));
  });

  it('names flags that there are', () => {
    const flags = settingNames.flatMap((name) => settings[name].flags?.match(/--[\w-]+/g) ?? []);
    const own = ['--page-size', '--limit', '--memory', '--search'];
    for (const [flag] of text.matchAll(/--[a-z][\w-]*/g))
      expect([...flags, ...own]).toContain(flag);
  });
});

describe('topics', () => {
  it('have names without loading their pages', async () => {
    expect([...topicNames].sort()).toEqual(
      Object.keys(renderTopicPages(await renderFeatureTopics())).sort(),
    );
  });
});
