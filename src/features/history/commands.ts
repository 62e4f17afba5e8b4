/** Commands `vmctl history` and `vmctl undo`. */
import { defineCommand, defineNoun } from '../../cli/args/command.ts';
import { defineArgument, defineFlag } from '../../cli/args/parameters.ts';

const historyNoun = defineNoun({
  name: 'history',
  doc: 'Show changes made with vmctl on this computer',
  position: 95,
  section: 'Configure',
  commands: [
    defineCommand({
      arguments: [
        defineArgument('[number]', 'one change, with its requests and whether it can be undone'),
      ],
      flags: [
        defineFlag('--all', 'changes on all servers (default: the current one)'),
        defineFlag('--limit <n>', 'number of changes (default 50)', { default: '50' }),
      ],
      notes: `The newest change is last. vmctl records each command that could change an object, with the previous\nvalues and without secrets: the newest 1,000, in the XDG state folder. To disable it, set\nVMCTL_HISTORY=off or run vmctl config set history off. vmctl undo reverts a change.`,
      examples: ['vmctl history', 'vmctl history 12', 'vmctl history --all --limit 10 -o json'],
      offline: true,
      unshowable: 'local',
      onlyReads: true,
      prints: ([number]) => (number === undefined ? 'objects' : 'object'),
      run: async (cli, [number], flags) =>
        (await import('./history.ts')).runHistory(cli, number, flags),
    }),
  ],
});

const undoNoun = defineNoun({
  name: 'undo',
  doc: 'Undo a recorded change',
  position: 96,
  section: 'Configure',
  commands: [
    defineCommand({
      arguments: [
        defineArgument('[number]', 'number of the change in vmctl history (default: the last one)'),
      ],
      flags: [
        defineFlag(
          '--force',
          'include objects that have changed since, and skip parts without an inverse',
        ),
        defineFlag('--wait-timeout <duration>', 'timeout per object (default 10m)'),
      ],
      notes: `undo restores the previous values of an update; it reverses attach, assign, grant and activate, and
deletes created objects after a prompt. It cannot restore deleted objects, start or stop VMs, or shrink
disks and VM pools; it names attributes that it cannot restore, and the commands to type for VMs. Without a number it undoes the last change
on this server; if that is impossible, it fails with the reason and changes nothing. Run it again for the
change before. You can undo an undo by its number.`,
      examples: ['vmctl undo', 'vmctl undo 12', 'vmctl undo --dry-run'],
      exits: [9, 12],
      prints: 'report',
      run: async (cli, [number], flags) => (await import('./undo.ts')).runUndo(cli, number, flags),
    }),
  ],
});

export const commands = [historyNoun, undoNoun];
