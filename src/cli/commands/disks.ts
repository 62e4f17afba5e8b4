/** Hand-made verbs of disks: `vmctl disks upload`, `download` and `verify`. */
import { defineCommand, defineNoun } from '../args/command.ts';
import { defineArgument, defineFlag } from '../args/parameters.ts';

const transferFlags = [
  defineFlag('--parallel <n>', 'number of connections (default 4)'),
  defineFlag('--limit-rate <rate>', 'bandwidth limit in bytes per second, for example 50MiB/s'),
  defineFlag('--no-verify', 'skip the checksum comparison'),
  defineFlag('--resume', 'resume an interrupted transfer'),
] as const;

const upload = defineCommand({
  verb: 'upload',
  purpose: 'Upload an image to a new or existing disk',
  summary: 'Upload an image to a disk',
  arguments: [
    defineArgument(
      '<file>',
      'raw, ISO or qcow2 image, block device or https:// address; - for stdin',
      {
        type: 'file or url',
      },
    ),
  ],
  flags: [
    defineFlag('--name <name>', 'name of the new disk (default: the file name)'),
    defineFlag(
      '--storagedomain, --storage-domain <domain>',
      'storage domain for the new disk (name or id)',
    ),
    defineFlag('--description <text>', 'description of the new disk'),
    defineFlag('--disk <disk>', 'existing disk to overwrite (name or id)'),
    defineFlag('--format <format>', 'format of the file: raw or cow (qcow2); default: detected', {
      choices: ['raw', 'cow'],
    }),
    defineFlag('--size <size>', 'size of the new disk; for a raw image on stdin, its exact size'),
    defineFlag('--preallocated', 'preallocate the new disk'),
    defineFlag('--if-needed', 'if a disk with this name exists, upload nothing and exit with 0'),
    defineFlag('--no-unpack', 'upload a compressed file without unpacking'),
    defineFlag(
      '--source-ca-file <file>',
      'additional certificate authorities for https:// sources',
    ),
    ...transferFlags,
  ],
  examples: [
    'vmctl disks upload root.qcow2 --name root --storage-domain data1',
    'vmctl disks upload root.qcow2 --resume',
    'vmctl disks upload https://images.example.com/root.raw.xz --storage-domain data1',
    'zcat root.raw.gz | vmctl disks upload - --size 10GiB --name root --storage-domain data1',
    'vmctl disks upload new.qcow2 --disk root',
  ],
  prints: 'object',
  run: async (cli, [file], flags) => {
    const { runUpload } = await import('./disks/upload.ts');
    await runUpload(cli, file, flags);
  },
});

const download = defineCommand({
  verb: 'download',
  purpose: 'Download the stored image of a disk to a file',
  summary: 'Download the image of a disk',
  arguments: [
    defineArgument('<disk>', 'name or id'),
    defineArgument('<file>', 'target file or block device; - for stdout', { type: 'file' }),
  ],
  flags: [
    defineFlag('--force', 'replace an existing file, or overwrite the block device'),
    defineFlag('--backup <id>', 'download the contents at the start of this backup, in raw format'),
    defineFlag(
      '--base <file>',
      'file of the previous backup; vmctl downloads only changes and copies the rest from it',
    ),
    defineFlag('--no-keep-partial', 'remove the partial file if the download fails'),
    ...transferFlags,
  ],
  examples: [
    'vmctl disks download root copy.qcow2',
    'vmctl disks download root copy.qcow2 --resume',
    'vmctl disks download root - | gzip > root.raw.gz',
  ],
  notes:
    'The file has the format of the disk: raw or qcow2. The extension of the file name does not change it. With --backup, the format is raw.',
  // Standard output contains the image; progress and notes have the requested format.
  prints: ([, file]) => (file === '-' ? 'nothing' : 'report'),
  run: async (cli, [disk, file], flags) => {
    const { runDownload } = await import('./disks/download.ts');
    await runDownload(cli, disk, file, flags);
  },
});

const verify = defineCommand({
  verb: 'verify',
  purpose: 'Compare a file with the image of a disk by checksum',
  summary: 'Compare a file with the image of a disk',
  arguments: [
    defineArgument('<disk>', 'name or id'),
    defineArgument('<file>', 'file to compare', { type: 'file' }),
  ],
  notes: 'Compares the stored images; trailing zeros make no difference. Exit code 6: they differ.',
  examples: ['vmctl disks verify root root.qcow2', 'vmctl disks verify root root.qcow2 -o json'],
  exits: [6],
  prints: 'report',
  run: async (cli, [disk, file]) => {
    const { runVerify } = await import('./disks/verify.ts');
    await runVerify(cli, disk, file);
  },
});

export default defineNoun({ name: 'disks', commands: [upload, download, verify] });
