/** Values of switches: `--flag=false` means what it says, for every switch of every command. */
import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { nouns } from '../../../src/cli/args/catalog.ts';
import { addGlobalFlags, mount } from '../../../src/cli/parse/commander.ts';
import { withoutSwitchValues } from '../../../src/cli/parse/switch-values.ts';
import { verbsOf } from '../../../src/cli/verbs/derive-verbs.ts';
import { commandOf } from '../../../src/cli/verbs/verb-command.ts';

/** The options of a command of the model. */
function optionsOf(noun: string, verb: ReturnType<typeof verbsOf>[number]) {
  const program = new Command(noun);
  mount(program, commandOf(verb), () => Promise.resolve());
  const [leaf] = program.commands;
  if (leaf) addGlobalFlags(leaf);
  return leaf?.options ?? [];
}

const all = nouns
  .filter(({ api }) => api)
  .flatMap(({ name }) => verbsOf(name).map((verb) => ({ name, verb })));

it('knows the switches of every command', () => {
  for (const { name, verb } of all) {
    const options = optionsOf(name, verb);
    const names = new Set(options.map(({ long }) => long));
    for (const { long = '', required, optional } of options) {
      if (required || optional) continue;
      const opposite = long.startsWith('--no-')
        ? long.replace('--no-', '--')
        : `--no-${long.slice(2)}`;
      const off = names.has(opposite) ? [opposite] : [];
      expect([long, withoutSwitchValues([`${long}=true`], options)]).toEqual([long, [long]]);
      expect([long, withoutSwitchValues([`${long}=false`], options)]).toEqual([long, off]);
    }
  }
});

describe('the words of vms start', () => {
  const verb = verbsOf('vms').find(({ name }) => name === 'start');
  const options = verb ? optionsOf('vms', verb) : [];
  const read = (...words: string[]) => withoutSwitchValues(words, options);

  it.each(['TRUE', 'yes', 'on', '1'])('%s is on', (value) => {
    expect(read(`--wait=${value}`)).toEqual(['--wait']);
  });

  it.each(['False', 'no', 'off', '0'])('%s is off', (value) => {
    expect(read(`--wait=${value}`)).toEqual(['--no-wait']);
    expect(read(`--no-wait=${value}`)).toEqual(['--wait']);
  });

  it.each(['', 'maybe', '2'])('refuses the value "%s"', (value) => {
    expect(() => read(`--wait=${value}`)).toThrow(
      `--wait=${value}: the flag is a switch; use true or false`,
    );
  });

  it('leaves values of other flags alone, and what stands behind --', () => {
    const words = ['--wait-timeout', '--wait=maybe', '--search=true', '--', '--wait=false'];
    expect(read(...words)).toEqual(words);
  });
});
