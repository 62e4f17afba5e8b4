/** Values of switches: `--flag=false` means what it says, for every switch of every command. */
import { Command, type Option } from 'commander';
import { describe, expect, it } from 'vitest';
import type { Command as CliCommand } from '../../../src/cli/args/command.ts';
import { addGlobalFlags, mountCommand } from '../../../src/cli/parse/commander.ts';
import { replaceSwitchValues } from '../../../src/cli/parse/switch-values.ts';
import { allCommands } from '../support/all-commands.ts';
import { vmctl } from '../support/run.ts';

/** The options of a command. */
function listOptions(command: CliCommand): readonly Option[] {
  const program = new Command('noun');
  mountCommand(program, command, () => Promise.resolve());
  const leaf = program.commands[0] ?? program;
  addGlobalFlags(leaf);
  return leaf.options;
}

const all = (await allCommands()).map(([noun, command]) => ({
  name: `${noun} ${command.verb ?? ''}`,
  options: listOptions(command),
}));
const isSwitch = ({ required, optional }: Option) => !required && !optional;

it.each(all)('knows the switches of $name', ({ options }) => {
  const switches = options.filter(isSwitch);
  const names = new Set(switches.map(({ long }) => long));
  for (const { long = '', short } of switches) {
    const opposite = long.startsWith('--no-')
      ? long.replace('--no-', '--')
      : `--no-${long.slice(2)}`;
    const off = names.has(opposite) ? [opposite] : [];
    expect([long, replaceSwitchValues([`${long}=true`], options)]).toEqual([long, [long]]);
    expect([long, replaceSwitchValues([`${long}=false`], options)]).toEqual([long, off]);
    for (const name of short === undefined ? [long] : [long, short]) {
      const advice = off.length > 0 ? `use ${opposite}` : 'leave it out';
      const message = `${name} takes no value; ${advice} to turn it `;
      for (const word of ['yes', 'False']) {
        expect(() => replaceSwitchValues([name, word], options), name).toThrow(message);
      }
      for (const word of ['web01', '1', 'vms/yes']) {
        expect(replaceSwitchValues([name, word], options)).toEqual([name, word]);
      }
    }
  }
});

describe('a boolean after a flag', () => {
  const of = async (...words: string[]) => {
    const { code, stderr } = await vmctl(words);
    return `${code} ${stderr}`;
  };

  it('is refused before the noun and the verb, too', async () => {
    const refusal = '2 vmctl: --quiet takes no value; leave it out to turn it off\n';
    expect(await of('--quiet', 'yes', 'vms', 'list')).toContain(refusal);
    expect(await of('vms', '--quiet', 'off', 'list')).toContain(refusal);
    expect(await of('vms', 'list', '--quiet', 'TRUE')).toContain(refusal);
  });

  it('is refused if the value of the flag is optional', async () => {
    expect(await of('vms', 'list', '--watch', 'no')).toBe(
      '2 vmctl: --watch takes no separate value; leave it out to turn it off\nhint: leave out --watch and "no"\n',
    );
  });

  it('is refused with the opposite flag, if one exists', async () => {
    expect(await of('vms', 'update', 'web01', '--ha', 'yes')).toBe(
      '2 vmctl: --ha takes no value; use --no-ha to turn it off\nhint: --ha, without "yes"\n',
    );
    expect(await of('vms', 'update', 'web01', '--no-ha', 'yes')).toBe(
      '2 vmctl: --no-ha takes no value; use --ha to turn it on\nhint: --no-ha, without "yes"\n',
    );
  });
});

describe('the arguments of vms start', () => {
  const options = all.find(({ name }) => name === 'vms start')?.options ?? [];
  const read = (...words: string[]) => replaceSwitchValues(words, options);

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

  it('keeps values of other flags, and arguments after --', () => {
    const flags = ['--wait-timeout', '--wait=maybe', '--search=true', '--search', 'yes'];
    const words = [...flags, '--', '--wait=false', '--wait', 'yes'];
    expect(read(...words)).toEqual(words);
  });
});
