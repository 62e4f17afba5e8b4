/** Suggestions for words of other tools: examples, and every row of the tables. */
import { describe, expect, it } from 'vitest';
import { findNoun } from '../../../src/cli/args/catalog.ts';
import { suggestCommand } from '../../../src/cli/other-tools/suggest-command.ts';
import { foreignForms, foreignNouns, foreignVerbs } from '../../../src/cli/other-tools/words.ts';
import { vmctl } from '../support/run.ts';

describe('a suggestion', () => {
  it.each([
    ['get vms', 'vms list'],
    ['get vm web01 -o json', 'vms get web01 -o json'],
    ['get vms/web01', 'vms get web01'],
    ['list vms', 'vms list'],
    ['start web01', 'vms start web01'],
    ['restart web01', 'vms reboot web01'],
    ['poweroff web01 --wait', 'vms stop web01 --wait'],
    ['-c lab rm web01', 'vms delete web01 -c lab'],
    ['server list', 'vms list'],
    ['instance', 'vms list'],
    ['node list', 'hosts list'],
    ['drain h1', 'hosts deactivate h1'],
    ['vms restart web01', 'vms reboot web01'],
    ['rename web01 web02', 'vms update web01 --name web02'],
    ['migrate web01 h2', 'vms migrate web01 --host h2'],
    ['migrate web01', 'vms migrate web01 --host HOST'],
    ['vms revert web01', 'snapshots restore SNAPSHOT --vm web01'],
    ['vms restore web01 first', 'snapshots restore first --vm web01'],
    ['rollback web01 first', 'snapshots restore first --vm web01'],
    ['snapshots revert first --vm web01', 'snapshots restore first --vm web01'],
    ["rename web01 'a b'", "vms update web01 --name 'a b'"],
    ['create vm web09 --cluster Default', 'vms create web09 --cluster Default'],
    ['exec web01 -- ls -l', 'vms ssh web01 -- ls -l'],
  ])('for %s is vmctl %s', (line, expected) => {
    const words = line.match(/'[^']*'|\S+/g)?.map((word) => word.replaceAll("'", '')) ?? [];
    expect(suggestCommand(words)).toBe(`vmctl ${expected}`);
  });

  it.each(['strat web01', 'constructor x', 'vms constructor', 'vms nothing web01'])(
    'does not exist for %s',
    (line) => {
      expect(suggestCommand(line.split(' '))).toBeUndefined();
    },
  );

  it('is part of the error, and of its JSON form', async () => {
    const { code, stderr } = await vmctl(['restart', 'web01']);
    expect([code, stderr]).toEqual([
      2,
      'vmctl: unknown command "restart"; use: vmctl vms reboot web01\n',
    ]);
    const json = await vmctl(['vms', 'restart', 'web01', '-o', 'json']);
    expect(JSON.parse(json.stderr)).toMatchObject({
      code: 'unknown_command',
      next: ['vmctl vms reboot web01 -o json'],
    });
  });
});

describe('the tables', () => {
  const lines = [
    ...Object.keys(foreignVerbs).map((word) => [word, 'web01']),
    ...Object.entries(foreignForms)
      .filter(([word]) => !findNoun(word))
      .map(([word, { command }]) => (command.includes('{') ? [word, 'web01', 'second'] : [word])),
    ...Object.entries(foreignForms).flatMap(([word, { nouns }]) =>
      nouns.map((noun) => [noun, word, 'web01', 'second']),
    ),
    ...Object.keys(foreignNouns).map((word) => [word, 'list']),
  ];

  it('have about 60 words or more', () => {
    expect(lines.length).toBeGreaterThan(60);
  });

  // A form may name a command with flags: the help of the command has to list them.
  it.each(lines)('suggest an existing command for %s %s', async (...line) => {
    const suggestion = suggestCommand(line.filter((word) => word !== undefined));
    expect(suggestion).toBeDefined();
    const [, noun = '', verb = '', ...rest] = suggestion?.split(' ') ?? [];
    expect(findNoun(noun)).toBeDefined();
    const isCommand = !findNoun(noun)?.api && !/^[a-z-]+$/.test(verb);
    const { code, stdout } = await vmctl([noun, ...(isCommand ? [] : [verb]), '--help']);
    expect(code).toBe(0);
    expect(stdout).toContain('Usage: vmctl');
    const takesArguments = /^Usage: vmctl .*[[<](?!flags)/m.test(stdout);
    if (rest[0] && !rest[0].startsWith('--')) expect(takesArguments || isCommand).toBe(true);
    for (const flag of rest.filter((word) => word.startsWith('--'))) expect(stdout).toContain(flag);
  });

  it('have no noun of vmctl', () => {
    expect(Object.keys(foreignNouns).filter((word) => findNoun(word))).toEqual([]);
  });
});
