/** `vmctl backups run` and `restore`: backups of a machine in a local folder, and machines from them. */
import { command, noun } from '../../cli/args/command.ts';
import { argument, flag } from '../../cli/args/parameters.ts';

const run = command({
  verb: 'run',
  purpose: 'Back up a VM into a folder',
  summary: 'Back up a VM into a folder',
  arguments: [
    argument('<vm>', 'name or id'),
    argument('<dir>', 'folder for the backups; created if missing', { type: 'folder' }),
  ],
  flags: [
    flag('--full', 'full backup of all disks'),
    flag('--skip-disk <disk>', 'disk to exclude (name or id; may be repeated)', {
      repeatable: true,
      type: 'ref disk',
    }),
    flag('--keep <n>', 'number of backups to keep; older ones are deleted'),
    flag('--require-consistency', 'fail if the file systems of the guest cannot be frozen'),
    flag('--description <text>', 'description of the backup and its checkpoint'),
    flag('--parallel <n>', 'number of connections (default 4)'),
    flag('--limit-rate <rate>', 'bandwidth limit in bytes per second, for example 50MiB/s'),
    flag('--no-verify', 'skip the checksum comparison'),
    flag('--wait-timeout <duration>', 'timeout per operation of the service (default 10m)'),
  ],
  notes:
    'Each backup is a folder, named after its time (clock of the service): one raw file per disk, machine.ovf and ' +
    'backup.json. Each backup contains all data; you can delete any of them. After the first run, only changed ' +
    'blocks are read; the others come from the previous backup, as a clone if the file system supports ' +
    'it. A failed run leaves no files.',
  examples: [
    'vmctl backups run web01 backups/web01',
    'vmctl backups run web01 backups/web01 --keep 7',
    'vmctl backups run web01 backups/web01 --full --limit-rate 50MiB/s',
  ],
  prints: 'report',
  run: async (cli, [vm, dir], flags) => {
    const { runBackup } = await import('./run.ts');
    await runBackup(cli, vm, dir, flags);
  },
});

const restore = command({
  verb: 'restore',
  purpose: 'Create a VM or its disks from a backup in a folder',
  summary: 'Create a VM from a backup',
  arguments: [
    argument('<dir>', 'folder of backups run (its newest backup), or one backup in it', {
      type: 'folder',
    }),
  ],
  flags: [
    flag('--name <name>', 'name of the VM (default: the original name)'),
    flag('--cluster <cluster>', 'cluster of the VM (name or id)', { type: 'ref cluster' }),
    flag(
      '--storagedomain, --storage-domain <domain>',
      'storage domain for the disks (name or id)',
      {
        type: 'ref storage_domain',
      },
    ),
    flag('--disks-only', 'create only the disks, without a VM'),
    flag('--cleanup', 'remove created objects if a step fails'),
    flag('--parallel <n>', 'number of connections (default 4)'),
    flag('--limit-rate <rate>', 'bandwidth limit in bytes per second, for example 50MiB/s'),
    flag('--no-verify', 'skip the checksum comparison of files and disks'),
    flag('--wait-timeout <duration>', 'timeout per operation of the service (default 10m)'),
  ],
  notes:
    'Always creates a new VM and overwrites nothing. The VM gets its original id and MAC addresses if they ' +
    'are free, otherwise new ones. The checksums of the files are compared first. --cluster and ' +
    '--storage-domain default to the original ones.',
  examples: [
    'vmctl backups restore backups/web01',
    'vmctl backups restore backups/web01 --name web03 --cluster Default --storage-domain data1',
    'vmctl backups restore backups/web01 --disks-only',
  ],
  exits: [6],
  prints: (_, { disksOnly }) => (disksOnly === true ? 'objects' : 'object'),
  run: async (cli, [dir], flags) => {
    const { restoreBackup } = await import('./restore.ts');
    await restoreBackup(cli, dir, flags);
  },
});

export default noun({ name: 'backups', commands: [run, restore] });
