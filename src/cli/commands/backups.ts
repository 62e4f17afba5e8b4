/** `vmctl backups run` and `restore`: backups of a machine in a local folder, and machines from them. */
import { command, noun } from '../args/command.ts';
import { argument, flag } from '../args/parameters.ts';

const run = command({
  verb: 'run',
  purpose: 'Back up a virtual machine into a folder: in full at first, then what has changed',
  summary: 'Back up a virtual machine into a folder',
  arguments: [
    argument('<vm>', 'name or id'),
    argument('<dir>', 'the folder of its backups; made if it is missing', { type: 'folder' }),
  ],
  flags: [
    flag('--full', 'read all of its disks, whatever is known of their changes'),
    flag('--skip-disk <disk>', 'leave this disk out: name or id; may be repeated', {
      repeatable: true,
      type: 'ref disk',
    }),
    flag('--keep <n>', 'when it is done, delete all but the newest n backups of the folder'),
    flag('--require-consistency', 'fail where the file systems of the guest cannot be frozen'),
    flag('--description <text>', 'description of the backup and its checkpoint'),
    flag('--parallel <n>', 'connections at a time (4)'),
    flag('--limit-rate <rate>', 'bytes a second over all connections: 50MiB/s'),
    flag('--no-verify', 'do not compare checksums at the end'),
    flag('--wait-timeout <duration>', 'give up waiting for the service after this time (10m)'),
  ],
  notes:
    'Each backup is a folder of its own in it, named by the time of the service: a raw file for each ' +
    'disk as it was, machine.ovf, backup.json. None needs another one: any can be deleted. Of a backup ' +
    'since a checkpoint only what has changed is read; the rest comes from the backup before, as a ' +
    'clone where the file system can. A run that fails leaves nothing.',
  examples: [
    'vmctl backups run web01 backups/web01',
    'vmctl backups run web01 backups/web01 --keep 7',
    'vmctl backups run web01 backups/web01 --full --limit-rate 50MiB/s',
  ],
  prints: 'report',
  run: async (cli, [vm, dir], flags) => {
    const { runBackup } = await import('./backups/run.ts');
    await runBackup(cli, vm, dir, flags);
  },
});

const restore = command({
  verb: 'restore',
  purpose: 'Make a virtual machine, or its disks, from a backup in a folder',
  summary: 'Make a virtual machine from a backup',
  arguments: [
    argument('<dir>', 'the folder of backups run, whose newest is taken; or one backup in it', {
      type: 'folder',
    }),
  ],
  flags: [
    flag('--name <name>', 'name of the machine (default: the one that it had)'),
    flag('--cluster <cluster>', 'where it is made: name or id', { type: 'ref cluster' }),
    flag('--storagedomain, --storage-domain <domain>', 'where its disks are made: name or id', {
      type: 'ref storage_domain',
    }),
    flag('--disks-only', 'make its disks alone, attached to nothing'),
    flag('--cleanup', 'if a step fails, take back what was made'),
    flag('--parallel <n>', 'connections at a time (4)'),
    flag('--limit-rate <rate>', 'bytes a second over all connections: 50MiB/s'),
    flag('--no-verify', 'do not compare checksums, neither of the files nor of the disks'),
    flag('--wait-timeout <duration>', 'give up waiting for the service after this time (10m)'),
  ],
  notes:
    'Nothing is overwritten: it is a new machine, with the id and the MAC addresses that it had where ' +
    'nothing has them, else with new ones. The files are compared with their checksums before anything ' +
    'is made. Without --cluster and --storagedomain it comes back where it was.',
  examples: [
    'vmctl backups restore backups/web01',
    'vmctl backups restore backups/web01 --name web03 --cluster Default --storagedomain data1',
    'vmctl backups restore backups/web01 --disks-only',
  ],
  exits: [6],
  prints: (_, { disksOnly }) => (disksOnly === true ? 'objects' : 'object'),
  run: async (cli, [dir], flags) => {
    const { restoreBackup } = await import('./backups/restore.ts');
    await restoreBackup(cli, dir, flags);
  },
});

export default noun({ name: 'backups', commands: [run, restore] });
