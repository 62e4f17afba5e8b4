/** `vmctl backups run`: backs up a VM, from the request to the finished folder. */

import { basename, join } from 'node:path';
import { getErrorMessage } from '../../caught-errors.ts';
import { explainFailure } from '../../cli/commands/disks/transfer-failure.ts';
import {
  createTransferOptions,
  type TransferFlags,
} from '../../cli/commands/disks/transfer-options.ts';
import { TransferProgress } from '../../cli/commands/disks/transfer-progress.ts';
import { readConfigurationDocument } from '../../cli/commands/vms/configuration-document.ts';
import { getFormat } from '../../cli/output/print.ts';
import { type CommandContext, parseCount } from '../../cli/session/command-context.ts';
import { formatCommandLine } from '../../cli/session/command-line.ts';
import { OperationRunner } from '../../cli/verbs/operation-runner.ts';
import type { FoundObject } from '../../cli/verbs/references.ts';
import { parseWaitTimeout } from '../../cli/verbs/wait-for-state.ts';
import { siteUrl } from '../../client/address.ts';
import type { Client } from '../../client/client.ts';
import { ConflictError, UsageError, VmctlError, WaitTimeoutError } from '../../client/errors.ts';
import type { Resource } from '../../model/resource.ts';
import { type DownloadedBackup, downloadBackup } from '../../transfer/index.ts';
import { endBackup } from './end-backup.ts';
import { type BackedUpDisk, chooseFileNames, type Manifest, pickAttributes } from './manifest.ts';
import { reportBackup } from './report.ts';
import { BackupRepository, findMissingFile, type StoredBackup } from './repository.ts';

export interface BackupRunFlags extends TransferFlags {
  readonly full?: boolean;
  readonly skipDisk?: readonly string[];
  readonly keep?: string;
  readonly requireConsistency?: boolean;
  readonly description?: string;
  readonly waitTimeout?: string;
}

/** Timeout in milliseconds for ending a failed backup. */
const cleanupTimeout = 30_000;

const backupsPath = '/vms/{vm}/backups' as const;
const checkpointsPath = '/vms/{vm}/checkpoints';

/** Backs up a VM according to the flags. */
export async function runBackup(
  cli: CommandContext,
  word: string,
  folder: string,
  flags: BackupRunFlags,
): Promise<void> {
  const keep = parseCount(flags.keep, '--keep');
  getFormat(cli);
  const client = await cli.client();
  const options = flags.waitTimeout === undefined ? {} : { waitTimeout: flags.waitTimeout };
  const runner = await OperationRunner.create(cli, options);
  const vm = await runner.find(word, '/vms');
  const name = String(vm.item?.name ?? vm.label.slice(vm.label.indexOf('/') + 1));
  const server = siteUrl(await client.site());
  const warn = (message: string) => cli.warn(message);
  const repository = await BackupRepository.open(folder, server, { id: vm.id, name }, warn);
  const run = new BackupRun({
    cli,
    client,
    runner,
    repository,
    flags,
    vm: { ...vm, name },
    server,
  });
  const made = await run.run();
  const gone = keep === undefined ? [] : await repository.retain(keep);
  await reportBackup(cli, vm, made, gone);
}

interface BackupContext {
  readonly cli: CommandContext;
  readonly client: Client;
  readonly runner: OperationRunner;
  readonly repository: BackupRepository;
  readonly flags: BackupRunFlags;
  readonly vm: FoundObject<Resource<'vm'>> & { readonly name: string };
  readonly server: string;
}

/** A disk with its attachment. */
interface AttachedDisk {
  readonly id: string;
  readonly name: string;
  readonly disk: Resource<'disk'>;
  readonly attachment: Resource<'disk_attachment'>;
}

class BackupRun {
  readonly #parts: BackupContext;
  /** Id of the backup on the service, until the backup has ended. */
  #backup: string | undefined;

  constructor(parts: BackupContext) {
    this.#parts = parts;
  }

  get #ids(): Readonly<Record<string, string>> {
    return { vm: this.#parts.vm.id };
  }

  async run(): Promise<StoredBackup> {
    const { cli, repository, runner } = this.#parts;
    const disks = await this.#listDisks();
    const before = (await repository.list()).at(-1);
    const since = await this.#findBaseCheckpoint(before);
    const files = chooseFileNames(disks);
    if (!cli.dryRunMode) {
      await this.#endKilledRun();
      await repository.prepare();
    }
    try {
      const backup = await this.#startBackup(disks, since);
      const checkpoint = asText(backup.to_checkpoint_id);
      await repository.startRun(String(backup.id), checkpoint);
      const document = await this.#readDocument();
      const read: BackedUpDisk[] = [];
      for (const disk of disks) {
        const file = String(files.get(disk.id));
        read.push(await this.#readDisk(disk, file, since === undefined ? undefined : before));
      }
      const based = read.some(({ mode }) => mode === 'incremental');
      const { vm, server } = this.#parts;
      const manifest: Manifest = {
        format: 'vmctl-backup',
        version: 1,
        number: (before?.manifest.number ?? 0) + 1,
        server,
        vm: { id: vm.id, name: vm.name },
        ...getCluster(vm),
        backup: String(backup.id),
        ...(checkpoint === undefined ? {} : { checkpoint }),
        taken: new Date(String(backup.creation_date ?? new Date().toISOString())).toISOString(),
        ...(based && before ? { base: basename(before.folder) } : {}),
        disks: read,
      };
      const made = await repository.complete(manifest, document);
      const target = { id: String(backup.id), label: `backups/${String(backup.id)}` };
      await runner.change(
        { path: `${backupsPath}/{backup}`, name: 'finalize', ids: this.#ids },
        target,
      );
      this.#backup = undefined;
      await this.#removeOldCheckpoints(checkpoint);
      return made;
    } catch (error) {
      await this.#abandon();
      throw error;
    }
  }

  /** Disks of the backup: image disks that are not shareable. */
  async #listDisks(): Promise<readonly AttachedDisk[]> {
    const { runner, flags, vm } = this.#parts;
    const skipped = new Set<string>();
    for (const word of flags.skipDisk ?? []) skipped.add((await runner.find(word, '/disks')).id);
    const attachments = await runner.list({
      path: '/vms/{vm}/diskattachments',
      ids: this.#ids,
      follow: 'disk',
    });
    const disks = attachments
      .map((attachment) => ({ attachment, disk: attachment.disk ?? {} }))
      .filter(({ disk }) => disk.shareable !== true && isImage(disk))
      .map(({ attachment, disk }) => {
        const id = String(disk.id ?? attachment.id);
        return { id, name: String(disk.alias ?? disk.name ?? id), disk, attachment };
      })
      .filter(({ id }) => !skipped.has(id));
    if (disks.length > 0) return disks;
    throw new UsageError(`${vm.label} has no disks to back up`, {
      hint: 'logical units and shareable disks are excluded; vmctl diskattachments list shows them',
    });
  }

  /**
   * Checkpoint of the previous backup, if an incremental backup is possible: the checkpoint is
   * valid and all files exist.
   */
  async #findBaseCheckpoint(before: StoredBackup | undefined): Promise<string | undefined> {
    const { cli, runner, flags } = this.#parts;
    const wanted = before?.manifest.checkpoint;
    if (flags.full || !before || wanted === undefined) return undefined;
    const all = await runner.list({ path: checkpointsPath, ids: this.#ids });
    const found = all.find(({ id }) => id === wanted);
    const name = basename(before.folder);
    let why = found ? undefined : `the checkpoint of ${name} was deleted`;
    if (found?.state === 'invalid') why = `the checkpoint of ${name} is invalid`;
    const missing = await findMissingFile(before);
    if (missing !== undefined) why = `${missing} is missing or has the wrong size`;
    if (why === undefined) return wanted;
    cli.note(`${why}: running a full backup`);
    return undefined;
  }

  /** Ends the backup of a killed run, because it locks the VM. */
  async #endKilledRun(): Promise<void> {
    const { cli, client, repository, flags, vm } = this.#parts;
    const left = await repository.findKilledRun();
    if (left === undefined) return;
    cli.note(`an earlier run into ${repository.path} was killed; its backup is discarded`);
    const patience = AbortSignal.timeout(parseWaitTimeout(flags));
    try {
      await endBackup(client, vm.id, left, AbortSignal.any([cli.signal, patience]));
    } catch (error) {
      if (cli.signal.aborted || !patience.aborted) throw error;
      const end = formatCommandLine(cli, ['backups', 'finalize', left, '--vm', vm.name]);
      throw new WaitTimeoutError(`${vm.label}: the backup ${left} of that run has not ended yet`, {
        hint: `run the command again, or end it first: ${end}`,
        next: [end],
        cause: error,
      });
    }
  }

  async #startBackup(
    disks: readonly AttachedDisk[],
    since: string | undefined,
  ): Promise<Resource<'backup'>> {
    const { runner, flags } = this.#parts;
    const { description, requireConsistency } = flags;
    const step = {
      path: backupsPath,
      name: 'add' as const,
      ids: this.#ids,
      ...(requireConsistency ? { query: { require_consistency: true } } : {}),
      body: {
        ...(description === undefined ? {} : { description }),
        ...(since === undefined ? {} : { from_checkpoint_id: since }),
        disks: disks.map(({ id }) => ({ id })),
      },
    };
    return await runner.add(step, ({ id }) => {
      this.#backup = asText(id);
    });
  }

  /** OVF configuration of the VM from the service; undefined if the service has none. */
  async #readDocument(): Promise<string | undefined> {
    const { runner, cli, vm } = this.#parts;
    const text = await readConfigurationDocument(runner, vm.id, 'ovf');
    if (text === undefined) {
      cli.warn(`the service returns no configuration of ${vm.label}: only its disks are backed up`);
    }
    return text;
  }

  async #readDisk(
    { id, name, disk, attachment }: AttachedDisk,
    file: string,
    before: StoredBackup | undefined,
  ): Promise<BackedUpDisk> {
    const { cli, client, flags, repository } = this.#parts;
    const known = before?.manifest.disks.find((one) => one.id === id);
    const progress = new TransferProgress(cli, name);
    let done: DownloadedBackup;
    try {
      done = await downloadBackup({
        ...(await createTransferOptions(cli, client, flags, progress)),
        disk,
        backup: String(this.#backup),
        file: join(repository.workFolder, file),
        force: false,
        ...(before && known ? { base: join(before.folder, known.file) } : {}),
      });
    } catch (error) {
      const cause = explainFailure(cli, error, () => '');
      if (before && known && cause instanceof VmctlError && cause.code === 'checksum_mismatch') {
        const base = join(before.folder, known.file);
        throw Object.assign(cause, {
          hint: `${base} may be damaged; use --full for a new full backup`,
        });
      }
      throw cause;
    } finally {
      progress.clear();
    }
    if (done.content === 'changes') {
      throw new ConflictError(
        `disks/${name}: the service reports changes since a backup without this disk`,
        {
          code: 'no_base',
          hint: 'run the command with --full',
        },
      );
    }
    const { size, backup_mode: mode, transferred, verified, checksum } = done;
    return {
      ...{ id, name, file, size, mode, transferred, verified },
      ...(checksum === undefined ? {} : { checksum }),
      ...pickAttributes(disk, attachment),
    };
  }

  /**
   * Removes checkpoints of earlier runs, starting at the root. Only the newest is needed for the
   * next backup.
   */
  async #removeOldCheckpoints(newest: string | undefined): Promise<void> {
    const { cli, runner, repository } = this.#parts;
    if (newest === undefined) return;
    const own = new Set(repository.checkpoints);
    try {
      let all = await runner.list({ path: checkpointsPath, ids: this.#ids });
      for (;;) {
        const root = all.find(({ parent_id: parent }) => !all.some(({ id }) => id === parent));
        const id = asText(root?.id);
        if (id === undefined || id === newest || !own.has(id)) break;
        await runner.change(
          {
            path: `${checkpointsPath}/{checkpoint}`,
            name: 'remove',
            verb: 'delete',
            ids: this.#ids,
          },
          { id, label: `checkpoints/${id}` },
        );
        all = all.filter((one) => one !== root);
      }
      const there = new Set(all.map(({ id }) => String(id)));
      await repository.setCheckpoints(repository.checkpoints.filter((id) => there.has(id)));
    } catch (error) {
      // The backup is complete; the next run retries the removal.
      cli.warn(`cannot delete the checkpoint of an earlier backup: ${getErrorMessage(error)}`);
    }
  }

  /** Ends the backup on the service and removes the written files. Never throws. */
  async #abandon(): Promise<void> {
    const { cli, client, repository } = this.#parts;
    const forget = () => repository.abandon().catch((error: Error) => cli.warn(error.message));
    const backup = this.#backup;
    this.#backup = undefined;
    if (backup === undefined) {
      await forget();
      return;
    }
    // A separate signal, because the signal of the command may be aborted already.
    const signal = AbortSignal.timeout(cleanupTimeout);
    try {
      await endBackup(client, this.#parts.vm.id, backup, signal);
      // The record stays until the service has ended the backup, so that the next run can end it.
      await forget();
    } catch (error) {
      const words = ['backups', 'finalize', backup, '--vm', this.#parts.vm.name];
      cli.warn(
        `cannot end backup ${backup}, which locks the VM: ${getErrorMessage(error)}; run ${formatCommandLine(cli, words)}`,
      );
    }
  }
}

function getCluster({ item }: FoundObject<Resource<'vm'>>): { readonly cluster?: string } {
  const id = asText(item?.cluster?.id);
  return id === undefined ? {} : { cluster: id };
}

function isImage(disk: Resource<'disk'>): boolean {
  const type = disk.storage_type ?? 'image';
  return type === 'image' || type === 'managed_block_storage';
}

function asText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
