/** `vmctl disks download`: finds the disk, downloads it, and says where it is. */
import { basename, resolve } from 'node:path';
import { UsageError } from '../../../client/errors.ts';
import {
  type DownloadedBackup,
  download,
  downloadBackup,
  downloadToStream,
  isBlockDevice,
  openDevice,
  ReaderClosedError,
  type StreamDownloadOptions,
  TransferAborted,
} from '../../../transfer/index.ts';
import { humanBytes } from '../../output/cells.ts';
import { formatOf, isTable, print } from '../../output/print.ts';
import type { CommandContext } from '../../session/command-context.ts';
import { commandLine } from '../../session/command-line.ts';
import { collectionAt } from '../../verbs/collections.ts';
import { finderFor } from '../../verbs/references.ts';
import { explained } from './transfer-failure.ts';
import { type TransferFlags, transferOptions, unfinished } from './transfer-options.ts';
import { TransferProgress } from './transfer-progress.ts';

export interface DownloadFlags extends TransferFlags {
  readonly backup?: string;
  readonly base?: string;
  readonly force?: boolean;
  readonly keepPartial: boolean;
}

/** Finds the disk that a word names, and settles how it is moved. */
async function begin(
  cli: CommandContext,
  word: string,
  flags: TransferFlags,
  progress: TransferProgress,
) {
  const client = await cli.client();
  const found = await finderFor(cli, client).find(word, collectionAt('/disks'));
  const options = await transferOptions(cli, client, flags, progress);
  return { found, disk: found.item ?? { id: found.id }, options };
}

/** Downloads a disk into a file as the flags say. */
export async function runDownload(
  cli: CommandContext,
  word: string,
  file: string,
  flags: DownloadFlags,
): Promise<void> {
  const { backup, base } = flags;
  if (base !== undefined && backup === undefined) {
    throw new UsageError('--base requires --backup', {
      hint: 'name the backup of the changes: --backup ID',
    });
  }
  const isStream = file === '-' || (file !== '' && (await isBlockDevice(file)));
  if (backup !== undefined && base !== undefined && isStream) {
    throw new UsageError('--base requires a file', { hint: 'name a file' });
  }
  if (backup !== undefined && file !== '' && !isStream) {
    return await runBackupDownload(cli, word, file, { ...flags, backup });
  }
  if (file === '-') return await downloadToStdout(cli, word, flags);
  if (file === '') throw new UsageError('the file name is empty');
  if (await isBlockDevice(file)) return await downloadToDevice(cli, word, file, flags);
  const progress = new TransferProgress(cli, basename(file));
  try {
    const { found, disk, options } = await begin(cli, word, flags, progress);
    const target = resolve(file);
    const journal = flags.resume
      ? unfinished(
          options.journals,
          file,
          (header) =>
            header.direction === 'download' &&
            header.server === options.server &&
            header.disk === found.id &&
            header.file === target,
        )
      : undefined;
    const done = await download({
      ...options,
      disk,
      file,
      force: flags.force === true,
      keepPartial: flags.keepPartial,
      ...(journal ? { resume: journal } : {}),
    });
    progress.clear();
    if (isTable(formatOf(cli))) {
      const zeros = done.skipped > 0 ? `, ${humanBytes(done.skipped)} of it zeros` : '';
      cli.note(`${found.label} downloaded to ${file}: ${humanBytes(done.size)}${zeros}`);
      return;
    }
    const item = { id: found.id, name: disk['name'] ?? disk['alias'], ...done };
    await print(cli, { noun: 'disks', items: [item], single: true });
  } catch (error) {
    progress.clear();
    throw explained(cli, error, () =>
      commandLine(cli, [
        ...['disks', 'download', word, file, '--resume'],
        ...(flags.force ? ['--force'] : []),
      ]),
    );
  }
}

/** Writes the image to standard output. */
async function downloadToStdout(
  cli: CommandContext,
  word: string,
  flags: DownloadFlags,
): Promise<void> {
  const { stdout } = cli.io;
  if (stdout.isTTY) {
    throw new UsageError('standard output is a terminal', {
      hint: `use a file or a pipe: vmctl disks download ${word} - | ...`,
    });
  }
  if (flags.resume) {
    throw new UsageError('cannot resume a download to standard output', {
      hint: 'download to a file, or remove --resume',
    });
  }
  // A reader that has gone must not end the process before the transfer has ended.
  stdout.removeAllListeners('error').on('error', () => undefined);
  await streamInto(cli, word, flags, { out: stdout });
}

/** Writes the image over what is on a block device. */
async function downloadToDevice(
  cli: CommandContext,
  word: string,
  path: string,
  flags: DownloadFlags,
): Promise<void> {
  if (!flags.force) {
    throw new UsageError(`${path} is a block device; its contents would be overwritten`, {
      code: 'file_exists',
      hint: 'confirm with --force',
    });
  }
  if (flags.resume) {
    throw new UsageError('cannot resume a download to a block device', {
      hint: 'remove --resume to write everything again',
    });
  }
  const device = await openDevice(path);
  try {
    const { out, size } = device;
    const target = { out, capacity: size, device: path };
    await streamInto(cli, word, flags, target, () => device.flush());
  } finally {
    await device.close();
  }
}

async function streamInto(
  cli: CommandContext,
  word: string,
  flags: DownloadFlags,
  target: Pick<StreamDownloadOptions, 'out' | 'capacity' | 'device'>,
  flush: () => Promise<void> = async () => undefined,
): Promise<void> {
  const progress = new TransferProgress(cli, word);
  try {
    const { found, disk, options } = await begin(cli, word, flags, progress);
    const of = flags.backup === undefined ? {} : { backup: flags.backup };
    const done = await downloadToStream({ ...options, disk, ...of, ...target });
    await flush();
    progress.clear();
    cli.note(`${found.label} was written: ${humanBytes(done.size)}, ${done.format}`);
  } catch (error) {
    progress.clear();
    if (error instanceof TransferAborted && error.cause instanceof ReaderClosedError) return;
    throw explained(cli, error, () => '');
  }
}

export interface BackupFlags extends TransferFlags {
  readonly backup: string;
  readonly base?: string;
  readonly force?: boolean;
}

/** Downloads a disk of a backup into a file, and says what the file is then. */
async function runBackupDownload(
  cli: CommandContext,
  word: string,
  file: string,
  flags: BackupFlags,
): Promise<void> {
  if (flags.resume) {
    throw new UsageError('cannot resume the download of a backup', {
      hint: 'remove --resume, and add --force if the file exists',
    });
  }
  const progress = new TransferProgress(cli, basename(file));
  try {
    const { found, disk, options } = await begin(cli, word, flags, progress);
    const done = await downloadBackup({
      ...options,
      disk,
      file,
      backup: flags.backup,
      force: flags.force === true,
      ...(flags.base === undefined ? {} : { base: flags.base }),
    });
    progress.clear();
    if (isTable(formatOf(cli)))
      cli.note(`${found.label}: ${describeContent(file, done, flags.base)}`);
    else {
      const item = { id: found.id, name: disk['name'] ?? disk['alias'], ...done };
      await print(cli, { noun: 'disks', items: [item], single: true });
    }
  } catch (error) {
    progress.clear();
    throw explained(cli, error, () => '');
  }
}

function describeContent(file: string, done: DownloadedBackup, base: string | undefined): string {
  const size = humanBytes(done.size);
  if (done.backup_mode === 'full') {
    const more =
      base === undefined ? '' : `; ${base} was not needed, because the backup of this disk is full`;
    return `${file} has the complete disk, ${size}, raw${more}`;
  }
  const fetched = humanBytes(done.transferred);
  return done.content === 'disk'
    ? `${file} has the complete disk, ${size}, raw: ${base} with ${fetched} of changes`
    : `${file} has only the changes since the checkpoint, ${fetched}, at their offsets; the remainder of its ${size} is a hole (use --base for the complete disk)`;
}
