/** Commands `vmctl can-i` and `vmctl who-can`. */
import { defineCommand, defineNoun } from '../../cli/args/command.ts';
import { defineArgument, defineFlag } from '../../cli/args/parameters.ts';

const verb = defineArgument('<verb>', 'verb of a change or action, for example start');
const object = defineArgument('<object>', 'object with its kind (vms/web01), or a kind to create');
const on = defineFlag('--on <kind/ref>', 'parent or target, for example clusters/Default', {
  repeatable: true,
});

const canI = defineNoun({
  name: 'can-i',
  doc: 'Check whether a user may run a command',
  position: 33,
  more: true,
  section: 'Monitor',
  commands: [
    defineCommand({
      arguments: [verb, object],
      flags: [
        on,
        defineFlag('--as <user>', 'another user, as an administrator', { type: 'ref user' }),
      ],
      notes:
        'Prints yes or no for each required permit, with the role, its holder, and the object that grants it.\n' +
        'The exit code is 0 for yes and 1 for no. Permits that depend on values of the request are not\n' +
        'checked, and neither is the state of the object.',
      examples: [
        'vmctl can-i start vms/web01',
        'vmctl can-i create vms --on clusters/Default --on templates/Blank',
        'vmctl can-i delete vms/web01 --as jane@internal',
      ],
      exits: [1],
      unshowable: 'many',
      onlyReads: true,
      run: async (cli, [word, subject], flags) =>
        (await import('./access.ts')).runCanI(cli, word, subject, flags),
    }),
  ],
});

const whoCan = defineNoun({
  name: 'who-can',
  doc: 'List the users and groups that may run a command',
  position: 34,
  more: true,
  section: 'Monitor',
  commands: [
    defineCommand({
      arguments: [verb, object],
      flags: [on],
      notes:
        'Lists the users and groups that hold all required permits. Members of groups are not listed.',
      examples: [
        'vmctl who-can start vms/web01',
        'vmctl who-can create vms --on clusters/Default --on templates/Blank',
      ],
      unshowable: 'many',
      onlyReads: true,
      run: async (cli, [word, subject], flags) =>
        (await import('./access.ts')).runWhoCan(cli, word, subject, flags),
    }),
  ],
});

export const commands = [canI, whoCan];
