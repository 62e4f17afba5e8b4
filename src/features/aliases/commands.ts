/** Commands `vmctl alias list`, `set` and `delete`. */
import { defineCommand, defineNoun } from '../../cli/args/command.ts';
import { defineArgument } from '../../cli/args/parameters.ts';

const aliasNoun = defineNoun({
  name: 'alias',
  aliases: ['aliases'],
  doc: 'Manage short names for commands',
  position: 94,
  section: 'Configure',
  commands: [
    defineCommand({
      verb: 'list',
      aliases: ['ls'],
      purpose: 'List aliases',
      examples: ['vmctl alias list', 'vmctl alias list -o json'],
      offline: true,
      unshowable: 'local',
      onlyReads: true,
      run: async (cli) => (await import('./change-aliases.ts')).listAliases(cli),
    }),
    defineCommand({
      verb: 'set',
      purpose: 'Create or replace an alias',
      arguments: [
        defineArgument('<name>', 'new command: vmctl NAME'),
        defineArgument('<command>', 'command without vmctl, in quotes: "vms start $1"'),
      ],
      notes: `$1 to $9 are arguments of the alias, $@ are all others. Without $@, other arguments follow at the end.
$$ is a dollar sign. Quotes group words as in a shell. Commands and plug-ins have priority over aliases.
The configuration file contains the aliases.`,
      examples: [
        "vmctl alias set on 'vms start $1'",
        "vmctl alias set on-host 'vms list --search host=$1'",
      ],
      offline: true,
      unshowable: 'local',
      prints: 'nothing',
      run: async (cli, [name, command]) =>
        (await import('./change-aliases.ts')).setAlias(cli, name, command),
    }),
    defineCommand({
      verb: 'delete',
      aliases: ['rm'],
      purpose: 'Delete aliases',
      arguments: [defineArgument('<name...>', 'names of aliases')],
      examples: ['vmctl alias delete on'],
      offline: true,
      unshowable: 'local',
      prints: 'nothing',
      run: async (cli, [names]) => (await import('./change-aliases.ts')).deleteAliases(cli, names),
    }),
  ],
});

export const commands = [aliasNoun];
