/** Flags of other tools: the table names flags that exist. */
import { describe, expect, it } from 'vitest';
import { foreignFlags } from '../../../src/cli/args/foreign-flags.ts';
import { describeAllNouns } from '../../../src/cli/help/command-manifest.ts';
import { nounModules } from '../../../src/cli/noun-modules.ts';
import { settingNames, settings } from '../../../src/cli/session/settings.ts';

const commands = (await describeAllNouns(nounModules)).flatMap((noun) => noun.commands);
const globals = settingNames.flatMap((name) => settings[name].flags?.match(/--[\w-]+/g) ?? []);
const flags = new Set([
  ...globals,
  ...commands.flatMap((one) => one.flags.map(({ flag }) => flag)),
]);

describe.each(Object.entries(foreignFlags))('--%s', (word, names) => {
  it('suggests flags of vmctl', () => {
    expect(names.filter((name) => !flags.has(`--${name}`))).toEqual([]);
  });

  it('is not a global flag', () => {
    expect(globals).not.toContain(`--${word}`);
  });
});
