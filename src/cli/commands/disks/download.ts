/** `vmctl disks download`: download of a disk or backup to a file, device or stdout. */
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
import { formatBytes } from '../../output/cells.ts';
import { getFormat, isTable, printView } from '../../output/print.ts';
import type { CommandContext } from '../../session/command-context.ts';
import { formatCommandLine } from '../../session/command-line.ts';
import { getCollection } from '../../verbs/collections.ts';
import { createFinder } from '../../verbs/references.ts';
import { explainFailure } from './transfer-failure.ts';
import { createTransferOptions, findJournal, type TransferFlags } from './transfer-options.ts';
import { TransferProgress } from './transfer-progress.ts';

export interface DownloadFlags extends TransferFlags {
  readonly backup?: string;
  readonly base?: string;
  readonly force?: boolean;
  readonly keepPartial: boolean;
}

/** Resolves the disk and the transfer options. */
async function prepareDownload(
  cli: CommandContext,
  word: string,
  flags: TransferFlags,
  progress: TransferProgress,
) {
  const client = await cli.client();
  const found = await createFinder(cli, client).find(word, getCollection('/disks'));
  const options = await createTransferOptions(cli, client, flags, progress);
  return { found, disk: found.item ?? { id: found.id }, options };
}

/** Downloads a disk to a file, device or stdout. */
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
  if (isStream) return await downloadToDevice(cli, word, file, flags);
  await downloadToFile(cli, word, file, flags);
}

/** Downloads the image to a file, or resumes the download. */
async function downloadToFile(
  cli: CommandContext,
  word: string,
  file: string,
  flags: DownloadFlags,
): Promise<void> {
  const progress = new TransferProgress(cli, basename(file));
  try {
    const { found, disk, options } = await prepareDownload(cli, word, flags, progress);
    const target = resolve(file);
    const journal = flags.resume
      ? findJournal(
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
    if (isTable(getFormat(cli))) {
      const zeros = done.skipped > 0 ? `, ${formatBytes(done.skipped)} of it zeros` : '';
      cli.note(`${found.label} downloaded to ${file}: ${formatBytes(done.size)}${zeros}`);
      return;
    }
    const item = { id: found.id, name: disk.name ?? disk.alias, ...done };
    await printView(cli, { noun: 'disks', items: [item], single: true });
  } catch (error) {
    progress.clear();
    throw explainFailure(cli, error, () =>
      formatCommandLine(cli, [
        ...['disks', 'download', word, file, '--resume'],
        ...(flags.force ? ['--force'] : []),
      ]),
    );
  }
}

/** Downloads the image to standard output. */
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
  // A closed pipe must not end the process before the transfer ends.
  stdout.removeAllListeners('error').on('error', () => undefined);
  await downloadStream(cli, word, flags, { out: stdout });
}

/** Overwrites a block device with the image. */
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
    await downloadStream(cli, word, flags, target, () => device.flush());
  } finally {
    await device.close();
  }
}

async function downloadStream(
  cli: CommandContext,
  word: string,
  flags: DownloadFlags,
  target: Pick<StreamDownloadOptions, 'out' | 'capacity' | 'device'>,
  flush: () => Promise<void> = async () => undefined,
): Promise<void> {
  const progress = new TransferProgress(cli, word);
  try {
    const { found, disk, options } = await prepareDownload(cli, word, flags, progress);
    const of = flags.backup === undefined ? {} : { backup: flags.backup };
    const done = await downloadToStream({ ...options, disk, ...of, ...target });
    await flush();
    progress.clear();
    cli.note(`${found.label} was written: ${formatBytes(done.size)}, ${done.format}`);
  } catch (error) {
    progress.clear();
    if (error instanceof TransferAborted && error.cause instanceof ReaderClosedError) return;
    throw explainFailure(cli, error, () => '');
  }
}

export interface BackupFlags extends TransferFlags {
  readonly backup: string;
  readonly base?: string;
  readonly force?: boolean;
}

/** Downloads a disk of a backup to a file, and describes the file. */
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
    const { found, disk, options } = await prepareDownload(cli, word, flags, progress);
    const done = await downloadBackup({
      ...options,
      disk,
      file,
      backup: flags.backup,
      force: flags.force === true,
      ...(flags.base === undefined ? {} : { base: flags.base }),
    });
    progress.clear();
    if (isTable(getFormat(cli)))
      cli.note(`${found.label}: ${describeContent(file, done, flags.base)}`);
    else {
      const item = { id: found.id, name: disk.name ?? disk.alias, ...done };
      await printView(cli, { noun: 'disks', items: [item], single: true });
    }
  } catch (error) {
    progress.clear();
    throw explainFailure(cli, error, () => '');
  }
}

function describeContent(file: string, done: DownloadedBackup, base: string | undefined): string {
  const size = formatBytes(done.size);
  if (done.backup_mode === 'full') {
    const more =
      base === undefined ? '' : `; ${base} was not needed, because the backup of this disk is full`;
    return `${file} has the complete disk, ${size}, raw${more}`;
  }
  const fetched = formatBytes(done.transferred);
  return done.content === 'disk'
    ? `${file} has the complete disk, ${size}, raw: ${base} with ${fetched} of changes`
    : `${file} has only the changes since the checkpoint, ${fetched}, at their offsets; the remainder of its ${size} is a hole (use --base for the complete disk)`;
}
