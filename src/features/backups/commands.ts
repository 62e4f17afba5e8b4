/** Commands `vmctl backups run` and `vmctl backups restore`. */
import { defineCommand, defineNoun } from '../../cli/args/command.ts';
import { defineArgument, defineFlag } from '../../cli/args/parameters.ts';

const run = defineCommand({
  verb: 'run',
  purpose: 'Back up a VM into a folder',
  summary: 'Back up a VM into a folder',
  arguments: [
    defineArgument('<vm>', 'name or id'),
    defineArgument('<dir>', 'folder for the backups; created if missing', { type: 'folder' }),
  ],
  flags: [
    defineFlag('--full', 'full backup of all disks'),
    defineFlag('--skip-disk <disk>', 'disk to exclude (name or id; may be repeated)', {
      repeatable: true,
      type: 'ref disk',
    }),
    defineFlag('--keep <n>', 'number of backups to keep; older ones are deleted'),
    defineFlag('--require-consistency', 'fail if the file systems of the guest cannot be frozen'),
    defineFlag('--description <text>', 'description of the backup and its checkpoint'),
    defineFlag('--parallel <n>', 'number of connections (default 4)'),
    defineFlag('--limit-rate <rate>', 'bandwidth limit in bytes per second, for example 50MiB/s'),
    defineFlag('--no-verify', 'skip the checksum comparison'),
    defineFlag('--wait-timeout <duration>', 'timeout per operation of the service (default 10m)'),
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

const restore = defineCommand({
  verb: 'restore',
  purpose: 'Create a VM or its disks from a backup in a folder',
  summary: 'Create a VM from a backup',
  arguments: [
    defineArgument('<dir>', 'folder of backups run (its newest backup), or one backup in it', {
      type: 'folder',
    }),
  ],
  flags: [
    defineFlag('--name <name>', 'name of the VM (default: the original name)'),
    defineFlag('--cluster <cluster>', 'cluster of the VM (name or id)', { type: 'ref cluster' }),
    defineFlag(
      '--storagedomain, --storage-domain <domain>',
      'storage domain for the disks (name or id)',
      {
        type: 'ref storage_domain',
      },
    ),
    defineFlag('--disks-only', 'create only the disks, without a VM'),
    defineFlag('--cleanup', 'remove created objects if a step fails'),
    defineFlag('--parallel <n>', 'number of connections (default 4)'),
    defineFlag('--limit-rate <rate>', 'bandwidth limit in bytes per second, for example 50MiB/s'),
    defineFlag('--no-verify', 'skip the checksum comparison of files and disks'),
    defineFlag('--wait-timeout <duration>', 'timeout per operation of the service (default 10m)'),
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

export default defineNoun({ name: 'backups', commands: [run, restore] });
