/** `vmctl backups restore`: a new machine, or disks alone, from the files of a backup. */
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { TransferFlags } from '../../cli/commands/disks/transfer-options.ts';
import { TransferProgress } from '../../cli/commands/disks/transfer-progress.ts';
import {
  type DiskToMake,
  MachineMaker,
  requireFreeName,
} from '../../cli/commands/vms/create/machine-from-document.ts';
import { placesFor } from '../../cli/commands/vms/create/machine-places.ts';
import { formatOf, print } from '../../cli/output/print.ts';
import type { CommandContext } from '../../cli/session/command-context.ts';
import { OperationRunner } from '../../cli/verbs/operation-runner.ts';
import type { ApiObject } from '../../client/client.ts';
import { ConflictError, NotFoundError, UsageError } from '../../client/errors.ts';
import { OvfError } from '../../ovf/document.ts';
import { withNewDiskIds } from '../../ovf/new-disk-ids.ts';
import { readOvf } from '../../ovf/read.ts';
import { BACKUP_ALGORITHM, FileSource, fileChecksum } from '../../transfer/index.ts';
import { backupAt, missingFile, type StoredBackup } from './repository.ts';

export interface RestoreFlags extends TransferFlags {
  readonly name?: string;
  readonly cluster?: string;
  readonly storageDomain?: string;
  readonly disksOnly?: boolean;
  readonly cleanup?: boolean;
  readonly waitTimeout?: string;
}

/** Restores the backup that a path names, as the flags say. */
export async function restoreBackup(
  cli: CommandContext,
  path: string,
  flags: RestoreFlags,
): Promise<void> {
  if (flags.disksOnly && flags.name !== undefined) {
    throw new UsageError('--name and --disks-only exclude each other', {
      hint: 'disks keep their names',
    });
  }
  formatOf(cli);
  const backup = await backupAt(path, (message) => cli.warn(message));
  const document = flags.disksOnly ? undefined : await documentOf(backup);
  const client = await cli.client();
  const options = flags.waitTimeout === undefined ? {} : { waitTimeout: flags.waitTimeout };
  const runner = await OperationRunner.begin(cli, options);
  const name = flags.name ?? backup.manifest.vm.name;
  if (document !== undefined) await requireFreeName(runner, name);
  const { cluster, domains } = await placesFor(runner, backup.manifest, flags);
  await requireWhole(cli, backup, flags);
  const maker = new MachineMaker({ cli, client, runner, flags });
  const disks = disksOf(backup, domains);
  if (document === undefined) {
    await print(cli, { noun: 'disks', type: 'disk', items: await maker.disks(disks) });
    return;
  }
  const { text, others } = document;
  const configuration = { type: 'ovf', data: text };
  const body = { name, cluster: { id: cluster }, initialization: { configuration } };
  if (others.length > 0) {
    cli.note(`not in this backup and not attached: ${others.join(', ')}`);
  }
  const made = await maker.machine({ body, disks });
  const { folder, manifest } = backup;
  cli.note(`vms/${name} restored to ${manifest.taken} (${basename(folder)})`);
  await print(cli, { noun: 'vms', type: 'vm', items: [made], single: true });
}

/** The configuration of a machine, with ids that no disk has. */
interface RestoredDocument {
  readonly text: string;
  /** The disks in it that the backup has not: `disks/NAME`. */
  readonly others: readonly string[];
}

/** The configuration of the machine. Throws where the backup has none, or one that is damaged. */
async function documentOf({ folder, manifest }: StoredBackup): Promise<RestoredDocument> {
  const path = join(folder, 'machine.ovf');
  const hint = 'restore only the disks with --disks-only, and attach them to a VM';
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (cause) {
    throw new NotFoundError(`${folder} has no VM configuration`, {
      code: 'no_document',
      hint,
      cause,
    });
  }
  try {
    const { disks } = readOvf(text);
    const own = new Set(manifest.disks.map(({ id }) => id));
    // Disks that it names may still be there, and belong to somebody: also those that were left out.
    return {
      text: withNewDiskIds(text, [...own, ...disks.map(({ id }) => id)]),
      others: disks.filter(({ id }) => !own.has(id)).map(({ id, alias }) => `disks/${alias ?? id}`),
    };
  } catch (cause) {
    if (!(cause instanceof OvfError)) throw cause;
    throw new UsageError(cause.in(path), {
      code: 'damaged_file',
      hint,
      cause,
    });
  }
}

/** Throws unless the files are what was backed up. */
async function requireWhole(
  cli: CommandContext,
  backup: StoredBackup,
  { verify }: RestoreFlags,
): Promise<void> {
  const missing = await missingFile(backup);
  if (missing !== undefined) {
    throw new UsageError(`${missing} is missing or has the wrong size`, {
      code: 'damaged_backup',
      hint: 'restore another backup of the folder',
    });
  }
  if (!verify) return;
  for (const { file, size, checksum } of backup.manifest.disks) {
    if (checksum === undefined) continue;
    const source = await FileSource.open(join(backup.folder, file));
    const progress = new TransferProgress(cli, file);
    let seen = 0;
    const count = (bytes: number) => {
      seen += bytes;
      const counts = { transferred: seen, resumed: 0, skipped: 0, total: size };
      progress.show({ phase: 'verifying', ...counts });
    };
    const counter = { addTransferred: count, addSkipped: count };
    const found = await fileChecksum(source, size, counter, cli.signal, BACKUP_ALGORITHM).finally(
      async () => {
        progress.clear();
        await source.close();
      },
    );
    if (found === checksum) continue;
    throw new ConflictError(`${source.path} has changed since the backup: checksum ${found}`, {
      code: 'different',
      hint: 'restore another backup of the folder',
    });
  }
}

/** The disks of a backup, as they are made again. */
function disksOf(
  { folder, manifest }: StoredBackup,
  domains: ReadonlyMap<string, ApiObject>,
): readonly DiskToMake[] {
  return manifest.disks.map(({ id, name, file, size, disk, attachment }) => ({
    name,
    attributes: { ...disk, provisioned_size: size },
    domain: domains.get(id) ?? {},
    attachment,
    // A raw file is what a machine sees, whatever it begins with.
    open: async () => await FileSource.open(join(folder, file), 'raw'),
  }));
}
