/** Empty values, as of a shell variable that is not set: refused wherever they select or name something. */
import { Command as Commander } from 'commander';
import { expect, it } from 'vitest';
import type { Command } from '../../../src/cli/args/command.ts';
import { parseArgumentNotation, parseFlagNotation } from '../../../src/cli/args/parameters.ts';
import { mountCommand } from '../../../src/cli/parse/commander.ts';
import { allCommands } from '../support/all-commands.ts';
import { vmctl } from '../support/run.ts';

/** Parses words; returns code and message of the error, or "accepted". */
async function parsed(noun: string, command: Command, words: readonly string[]): Promise<string> {
  const program = new Commander(noun).exitOverride().configureOutput({ writeErr: () => undefined });
  mountCommand(program, command, () => Promise.resolve());
  for (const one of program.commands)
    one.exitOverride().configureOutput({ writeErr: () => undefined });
  try {
    const verb = command.verb === undefined ? [] : [command.verb];
    await program.parseAsync([...verb, ...words], { from: 'user' });
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    return `${code}: ${message}`;
  }
  return 'accepted';
}

it('are refused in every argument and every flag that refers to objects, of every command', async () => {
  let checked = 0;
  for (const [noun, command] of await allCommands()) {
    const name = `${noun} ${command.verb ?? ''}`;
    for (const [index, { notation }] of command.arguments.entries()) {
      if (/^[<[](?:value|text|query)/i.test(notation)) continue;
      const before = command.arguments.slice(0, index).map(({ choices }) => choices?.[0] ?? 'x');
      const after = command.arguments.slice(index + 1).map(({ choices }) => choices?.[0] ?? 'x');
      const required = command.flags.flatMap((one) =>
        one.required ? [`${parseFlagNotation(one.notation).long}=x`] : [],
      );
      for (const blank of ['', ' \t']) {
        const code = await parsed(noun, command, [...required, ...before, blank, ...after]);
        const expected = /^(?:usage: .*the value is empty$|commander\.invalidArgument)/;
        expect(code, `${name} ${parseArgumentNotation(notation).name}`).toMatch(expected);
        checked += 1;
      }
    }
    for (const { notation, section, type = '' } of command.flags) {
      const { long, value } = parseFlagNotation(notation);
      const refers = section === 'parents' || /\b(?:ref|links)\b|^(?:file|folder)/.test(type);
      if (value === undefined || !refers) continue;
      if (section === 'body' && /^(?:file|folder)/.test(type)) continue;
      for (const blank of ['', '  ']) {
        expect(await parsed(noun, command, [`${long}=${blank}`]), `${name} ${long}`).toBe(
          `usage: ${long}: the value is empty`,
        );
        checked += 1;
      }
    }
  }
  expect(checked).toBeGreaterThan(2000);
});

it.each([
  ['vms', 'delete', '', '--yes'],
  ['vms', 'list', '--cluster', ''],
  ['vms', 'list', '--in', ' '],
  ['disks', 'list', '--vm', ''],
  ['vms', 'delete', '--glob', '', '--yes'],
  ['vms', 'update', 'web01', '--cluster', ''],
  ['nics', 'delete', 'nic1', '--vm', '', '--yes'],
])('are usage errors before anything is sent: %s %s %s %s', async (...words) => {
  const { code, stderr } = await vmctl(
    words.filter((one) => one !== undefined),
    {
      env: { VMCTL_URL: 'https://127.0.0.1:1/virt-app', VMCTL_TOKEN: 'x' },
    },
  );
  expect([code, stderr]).toEqual([2, expect.stringMatching(/empty|unknown flag/)]);
});
