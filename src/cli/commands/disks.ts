/** `vmctl disks upload`, `download` and `verify`: images between local files and disks. */
import { command, noun } from '../args/command.ts';
import { argument, flag } from '../args/parameters.ts';

const transferFlags = [
  flag('--parallel <n>', 'connections at a time (4)'),
  flag('--limit-rate <rate>', 'bytes a second over all connections: 50MiB/s'),
  flag('--no-verify', 'do not compare checksums at the end'),
  flag('--resume', 'go on with what an earlier run did not finish'),
] as const;

const upload = command({
  verb: 'upload',
  purpose: 'Upload an image into a new disk, or into an existing one; gz, xz and zst are unpacked',
  summary: 'Upload an image file into a disk',
  arguments: [
    argument(
      '<file>',
      'a raw, ISO or qcow2 image; a block device; an https:// address; - is stdin',
      { type: 'file or url' },
    ),
  ],
  flags: [
    flag('--name <name>', 'name of the new disk (default: that of the file)'),
    flag('--storagedomain, --storage-domain <domain>', 'where the new disk is made: name or id'),
    flag('--description <text>', 'description of the new disk'),
    flag('--disk <disk>', 'upload into this disk instead, and overwrite what it holds'),
    flag('--format <format>', 'what the file is (default: what its content says)', {
      choices: ['raw', 'cow'],
    }),
    flag('--size <size>', 'size of the new disk; of a raw image on stdin: exactly its bytes'),
    flag('--preallocated', 'take all of the room of the new disk at once'),
    flag('--if-needed', 'no failure where a disk of that name is there: then nothing is sent'),
    flag('--no-unpack', 'upload a packed file as it is'),
    flag('--source-ca-file <file>', 'also trust these authorities when reading from an address'),
    ...transferFlags,
  ],
  examples: [
    'vmctl disks upload root.qcow2 --name root --storagedomain data1',
    'vmctl disks upload root.qcow2 --resume',
    'vmctl disks upload https://images.example.com/root.raw.xz --storagedomain data1',
    'zcat root.raw.gz | vmctl disks upload - --size 10GiB --name root --storagedomain data1',
    'vmctl disks upload new.qcow2 --disk root',
  ],
  prints: 'object',
  run: async (cli, [file], flags) => {
    const { runUpload } = await import('./disks/upload.ts');
    await runUpload(cli, file, flags);
  },
});

const download = command({
  verb: 'download',
  purpose: 'Download the image of a disk into a file, as it is stored',
  summary: 'Download the image of a disk',
  arguments: [
    argument('<disk>', 'name or id'),
    argument('<file>', 'the file to be made, or a block device; - is stdout', { type: 'file' }),
  ],
  flags: [
    flag('--force', 'replace the file if it exists; overwrite the block device'),
    flag('--backup <id>', 'as it was when this backup began (vmctl backups create), raw'),
    flag(
      '--base <file>',
      'of an incremental backup: read what has changed into a copy of this file, that of the backup before',
    ),
    flag('--no-keep-partial', 'remove what was fetched when the download fails'),
    ...transferFlags,
  ],
  examples: [
    'vmctl disks download root copy.qcow2',
    'vmctl disks download root copy.qcow2 --resume',
    'vmctl disks download root - | gzip > root.raw.gz',
  ],
  // The image takes standard output; progress and notes have the format that is asked for.
  prints: ([, file]) => (file === '-' ? 'nothing' : 'report'),
  run: async (cli, [disk, file], flags) => {
    const { runDownload } = await import('./disks/download.ts');
    await runDownload(cli, disk, file, flags);
  },
});

const verify = command({
  verb: 'verify',
  purpose: 'Compare a file with the image of a disk, by checksums; exit code 6: they differ',
  summary: 'Compare a file with the image of a disk',
  arguments: [
    argument('<disk>', 'name or id'),
    argument('<file>', 'the file to compare with', { type: 'file' }),
  ],
  notes:
    'They are compared as they are stored; zeros behind the end of the file make no difference.',
  examples: ['vmctl disks verify root root.qcow2', 'vmctl disks verify root root.qcow2 -o json'],
  exits: [6],
  prints: 'report',
  run: async (cli, [disk, file]) => {
    const { runVerify } = await import('./disks/verify.ts');
    await runVerify(cli, disk, file);
  },
});

export default noun({ name: 'disks', commands: [upload, download, verify] });
