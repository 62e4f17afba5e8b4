/** `vmctl disks upload`, `download` and `verify`: images between local files and disks. */
import { type Command, Option } from 'commander';
import type { CommandContext } from '../session/command-context.ts';
import type { DownloadFlags } from './disks/download.ts';
import type { UploadFlags } from './disks/upload.ts';

/** Adds the verbs that the model does not describe. */
export function register(command: Command, cli: CommandContext): void {
  const upload = command
    .command('upload')
    .argument(
      '<file>',
      'a raw, ISO or qcow2 image; a block device; an https:// address; - is stdin',
    )
    .description(
      'Upload an image into a new disk, or into an existing one; gz, xz and zst are unpacked',
    )
    .option('--name <name>', 'name of the new disk (default: that of the file)')
    .option('--storagedomain, --storage-domain <domain>', 'where the new disk is made: name or id')
    .option('--description <text>', 'description of the new disk')
    .option('--disk <disk>', 'upload into this disk instead, and overwrite what it holds')
    .addOption(
      new Option('--format <format>', 'what the file is (default: what its content says)').choices([
        'raw',
        'cow',
      ]),
    )
    .option('--size <size>', 'size of the new disk; of a raw image on stdin: exactly its bytes')
    .option('--preallocated', 'take all of the room of the new disk at once')
    .option('--no-unpack', 'upload a packed file as it is')
    .option('--source-ca-file <file>', 'also trust these authorities when reading from an address')
    .action(async (file: string, options: UploadFlags) => {
      const { runUpload } = await import('./disks/upload.ts');
      await runUpload(cli, file, options);
    });
  const download = command
    .command('download')
    .argument('<disk>', 'name or id')
    .argument('<file>', 'the file to be made, or a block device; - is stdout')
    .description('Download the image of a disk into a file, as it is stored')
    .option('--force', 'replace the file if it exists; overwrite the block device')
    .option('--backup <id>', 'as it was when this backup began (vmctl backups create), raw')
    .option(
      '--base <file>',
      'of an incremental backup: read what has changed into a copy of this file, that of the backup before',
    )
    .option('--no-keep-partial', 'remove what was fetched when the download fails')
    .action(async (disk: string, file: string, options: DownloadFlags) => {
      const { runDownload } = await import('./disks/download.ts');
      await runDownload(cli, disk, file, options);
    });
  for (const verb of [upload, download]) {
    verb
      .option('--parallel <n>', 'connections at a time (4)')
      .option('--limit-rate <rate>', 'bytes a second over all connections: 50MiB/s')
      .option('--no-verify', 'do not compare checksums at the end')
      .option('--resume', 'go on with what an earlier run did not finish');
  }
  upload.addHelpText(
    'after',
    `
Examples:
  vmctl disks upload root.qcow2 --name root --storagedomain data1
  vmctl disks upload root.qcow2 --resume
  vmctl disks upload https://images.example.com/root.raw.xz --storagedomain data1
  zcat root.raw.gz | vmctl disks upload - --size 10GiB --name root --storagedomain data1
  vmctl disks upload new.qcow2 --disk root`,
  );
  download.addHelpText(
    'after',
    `
Examples:
  vmctl disks download root copy.qcow2
  vmctl disks download root copy.qcow2 --resume
  vmctl disks download root - | gzip > root.raw.gz`,
  );
  command
    .command('verify')
    .argument('<disk>', 'name or id')
    .argument('<file>', 'the file to compare with')
    .description('Compare a file with the image of a disk, by checksums; exit code 6: they differ')
    .addHelpText(
      'after',
      `
They are compared as they are stored; zeros behind the end of the file make no difference.

Examples:
  vmctl disks verify root root.qcow2
  vmctl disks verify root root.qcow2 -o json`,
    )
    .action(async (disk: string, file: string) => {
      const { runVerify } = await import('./disks/verify.ts');
      await runVerify(cli, disk, file);
    });
}
