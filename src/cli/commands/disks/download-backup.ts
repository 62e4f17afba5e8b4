/** `vmctl disks download --backup`: what a disk was when a backup began. */
import { basename } from 'node:path';
import { UsageError } from '../../../client/errors.ts';
import { type DownloadedBackup, downloadBackup } from '../../../transfer/index.ts';
import { humanBytes } from '../../output/cells.ts';
import { formatOf, isTable, print } from '../../output/print.ts';
import type { Cli } from '../../session/command-context.ts';
import { collectionAt } from '../../verbs/collections.ts';
import { Finder } from '../../verbs/references.ts';
import { explained } from './transfer-failure.ts';
import { type TransferFlags, transferOptions } from './transfer-options.ts';
import { TransferProgress } from './transfer-progress.ts';

export interface BackupFlags extends TransferFlags {
  readonly backup: string;
  readonly base?: string;
  readonly force?: boolean;
}

/** Downloads a disk of a backup into a file, and says what the file is then. */
export async function runBackupDownload(
  cli: Cli,
  word: string,
  file: string,
  flags: BackupFlags,
): Promise<void> {
  if (flags.resume) {
    throw new UsageError('the download of a backup cannot be resumed', {
      hint: 'run the command without --resume, with --force if the file is there',
    });
  }
  const progress = new TransferProgress(cli, basename(file));
  try {
    const client = await cli.client();
    const found = await new Finder(client).find(word, collectionAt('/disks'));
    const disk = found.item ?? { id: found.id };
    const options = await transferOptions(cli, client, flags, progress);
    const done = await downloadBackup({
      ...options,
      disk,
      file,
      backup: flags.backup,
      force: flags.force === true,
      ...(flags.base === undefined ? {} : { base: flags.base }),
    });
    progress.clear();
    if (isTable(formatOf(cli))) cli.note(`${found.label}: ${sentenceFor(file, done, flags.base)}`);
    else {
      const item = { id: found.id, name: disk['name'] ?? disk['alias'], ...done };
      await print(cli, { noun: 'disks', items: [item], single: true });
    }
  } catch (error) {
    progress.clear();
    throw explained(cli, error, () => '');
  }
}

function sentenceFor(file: string, done: DownloadedBackup, base: string | undefined): string {
  const size = humanBytes(done.size);
  if (done.backup_mode === 'full') {
    const more =
      base === undefined ? '' : `; ${base} was not needed, the backup of this disk is full`;
    return `${file} is the whole disk as it was, ${size}, raw${more}`;
  }
  const fetched = humanBytes(done.transferred);
  return done.content === 'disk'
    ? `${file} is the whole disk as it was, ${size}, raw: ${base} with ${fetched} that have changed`
    : `${file} holds only what has changed since the checkpoint, ${fetched}, in its place; the rest of its ${size} is a hole, not zeros of the disk (--base makes the whole disk of it)`;
}
