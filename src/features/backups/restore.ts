/** `vmctl backups restore`: creates a VM, or only its disks, from the files of a backup. */
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { TransferFlags } from '../../cli/commands/disks/transfer-options.ts';
import { TransferProgress } from '../../cli/commands/disks/transfer-progress.ts';
import { selectPlacement } from '../../cli/commands/vms/create/placement.ts';
import {
  type NewDiskSpec,
  requireUnusedName,
  VmCreator,
} from '../../cli/commands/vms/create/vm-from-document.ts';
import { getFormat, printView } from '../../cli/output/print.ts';
import type { CommandContext } from '../../cli/session/command-context.ts';
import { OperationRunner } from '../../cli/verbs/operation-runner.ts';
import { ConflictError, NotFoundError, UsageError } from '../../client/errors.ts';
import type { Resource } from '../../model/resource.ts';
import { OvfError } from '../../ovf/document.ts';
import { withNewDiskIds } from '../../ovf/new-disk-ids.ts';
import { readOvf } from '../../ovf/read.ts';
import { BACKUP_ALGORITHM, FileSource, fileChecksum } from '../../transfer/index.ts';
import { findBackup, findMissingFile, type StoredBackup } from './repository.ts';

export interface RestoreFlags extends TransferFlags {
  readonly name?: string;
  readonly cluster?: string;
  readonly storageDomain?: string;
  readonly disksOnly?: boolean;
  readonly cleanup?: boolean;
  readonly waitTimeout?: string;
}

/** Restores the backup at `path` according to the flags. */
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
  getFormat(cli);
  const backup = await findBackup(path, (message) => cli.warn(message));
  const document = flags.disksOnly ? undefined : await readDocument(backup);
  const client = await cli.client();
  const options = flags.waitTimeout === undefined ? {} : { waitTimeout: flags.waitTimeout };
  const runner = await OperationRunner.create(cli, options);
  const name = flags.name ?? backup.manifest.vm.name;
  if (document !== undefined) await requireUnusedName(runner, name);
  const { cluster, domains } = await selectPlacement(runner, backup.manifest, flags);
  await requireIntact(cli, backup, flags);
  const maker = new VmCreator({ cli, client, runner, flags });
  const disks = describeDisks(backup, domains);
  if (document === undefined) {
    await printView(cli, { noun: 'disks', type: 'disk', items: await maker.createDisks(disks) });
    return;
  }
  const { text, others } = document;
  const configuration = { type: 'ovf', data: text };
  const body = { name, cluster: { id: cluster }, initialization: { configuration } };
  if (others.length > 0) {
    cli.note(`not in this backup and not attached: ${others.join(', ')}`);
  }
  const made = await maker.createVm({ body, disks });
  const { folder, manifest } = backup;
  cli.note(`vms/${name} restored to ${manifest.taken} (${basename(folder)})`);
  await printView(cli, { noun: 'vms', type: 'vm', items: [made], single: true });
}

/** VM configuration with new disk ids. */
interface RestoredDocument {
  readonly text: string;
  /** Disks of the configuration that are not in the backup, as `disks/NAME`. */
  readonly others: readonly string[];
}

/**
 * VM configuration of a backup. Throws `no_document` if the backup has none, and `damaged_file` if
 * it is invalid.
 */
async function readDocument({ folder, manifest }: StoredBackup): Promise<RestoredDocument> {
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
    // The original disks may still exist, including the skipped ones. All ids are replaced so that
    // the new VM refers to none of them.
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

/** Throws if a file is missing, has the wrong size, or (unless `--no-verify`) the wrong checksum. */
async function requireIntact(
  cli: CommandContext,
  backup: StoredBackup,
  { verify }: RestoreFlags,
): Promise<void> {
  const missing = await findMissingFile(backup);
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

/** Parameters for the creation of the disks of a backup. */
function describeDisks(
  { folder, manifest }: StoredBackup,
  domains: ReadonlyMap<string, Resource<'storage_domain'>>,
): readonly NewDiskSpec[] {
  return manifest.disks.map(({ id, name, file, size, disk, attachment }) => ({
    name,
    attributes: { ...disk, provisioned_size: size },
    domain: domains.get(id) ?? {},
    attachment,
    // The image is raw. Format detection could misread the guest data at its start.
    open: async () => await FileSource.open(join(folder, file), 'raw'),
  }));
}
