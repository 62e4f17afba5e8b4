/** `vmctl backups run`: one backup of a machine, from the request for it to its folder. */
import { basename, join } from 'node:path';
import { explained } from '../../cli/commands/disks/transfer-failure.ts';
import { type TransferFlags, transferOptions } from '../../cli/commands/disks/transfer-options.ts';
import { TransferProgress } from '../../cli/commands/disks/transfer-progress.ts';
import { configurationDocument } from '../../cli/commands/vms/configuration-document.ts';
import { formatOf } from '../../cli/output/print.ts';
import { type CommandContext, wholeNumber } from '../../cli/session/command-context.ts';
import { commandLine } from '../../cli/session/command-line.ts';
import { OperationRunner } from '../../cli/verbs/operation-runner.ts';
import type { Found } from '../../cli/verbs/references.ts';
import { waitTimeout } from '../../cli/verbs/wait-for-state.ts';
import { siteUrl } from '../../client/address.ts';
import type { ApiObject, Client } from '../../client/client.ts';
import { ConflictError, UsageError, VmctlError, WaitTimeoutError } from '../../client/errors.ts';
import { type DownloadedBackup, downloadBackup } from '../../transfer/index.ts';
import { endBackup } from './end-backup.ts';
import { attributesOf, type BackedUpDisk, fileNames, type Manifest } from './manifest.ts';
import { report } from './report.ts';
import { BackupRepository, missingFile, type StoredBackup } from './repository.ts';

export interface BackupRunFlags extends TransferFlags {
  readonly full?: boolean;
  readonly skipDisk?: readonly string[];
  readonly keep?: string;
  readonly requireConsistency?: boolean;
  readonly description?: string;
  readonly waitTimeout?: string;
}

/** Milliseconds for ending a backup that came to nothing. */
const cleanupTimeout = 30_000;

const backupsPath = '/vms/{vm}/backups';
const checkpointsPath = '/vms/{vm}/checkpoints';

/** Backs a machine up as the flags say. */
export async function runBackup(
  cli: CommandContext,
  word: string,
  folder: string,
  flags: BackupRunFlags,
): Promise<void> {
  const keep = wholeNumber(flags.keep, '--keep');
  formatOf(cli);
  const client = await cli.client();
  const options = flags.waitTimeout === undefined ? {} : { waitTimeout: flags.waitTimeout };
  const runner = await OperationRunner.begin(cli, options);
  const vm = await runner.find(word, '/vms');
  const name = String(vm.item?.['name'] ?? vm.label.slice(vm.label.indexOf('/') + 1));
  const server = siteUrl(await client.site());
  const warn = (message: string) => cli.warn(message);
  const repository = await BackupRepository.of(folder, server, { id: vm.id, name }, warn);
  const run = new BackupRun({
    cli,
    client,
    runner,
    repository,
    flags,
    vm: { ...vm, name },
    server,
  });
  const made = await run.perform();
  const gone = keep === undefined ? [] : await repository.retain(keep);
  await report(cli, vm, made, gone);
}

interface Parts {
  readonly cli: CommandContext;
  readonly client: Client;
  readonly runner: OperationRunner;
  readonly repository: BackupRepository;
  readonly flags: BackupRunFlags;
  readonly vm: Found & { readonly name: string };
  readonly server: string;
}

/** A disk to be backed up, with its attachment. */
interface AttachedDisk {
  readonly id: string;
  readonly name: string;
  readonly disk: ApiObject;
  readonly attachment: ApiObject;
}

class BackupRun {
  readonly #parts: Parts;
  /** The backup of the service, until it has ended. */
  #backup: string | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get #ids(): Readonly<Record<string, string>> {
    return { vm: this.#parts.vm.id };
  }

  async perform(): Promise<StoredBackup> {
    const { cli, repository, runner } = this.#parts;
    const disks = await this.#disks();
    const before = (await repository.backups()).at(-1);
    const since = await this.#checkpointOf(before);
    const files = fileNames(disks);
    if (!cli.dryRunMode) {
      await this.#endKilledRun();
      await repository.prepare();
    }
    try {
      const backup = await this.#begin(disks, since);
      const checkpoint = textOf(backup['to_checkpoint_id']);
      await repository.begin(String(backup['id']), checkpoint);
      const document = await this.#document();
      const read: BackedUpDisk[] = [];
      for (const disk of disks) {
        const file = String(files.get(disk.id));
        read.push(await this.#read(disk, file, since === undefined ? undefined : before));
      }
      const based = read.some(({ mode }) => mode === 'incremental');
      const { vm, server } = this.#parts;
      const manifest: Manifest = {
        format: 'vmctl-backup',
        version: 1,
        number: (before?.manifest.number ?? 0) + 1,
        server,
        vm: { id: vm.id, name: vm.name },
        ...clusterOf(vm),
        backup: String(backup['id']),
        ...(checkpoint === undefined ? {} : { checkpoint }),
        taken: new Date(String(backup['creation_date'] ?? new Date().toISOString())).toISOString(),
        ...(based && before ? { base: basename(before.folder) } : {}),
        disks: read,
      };
      const made = await repository.complete(manifest, document);
      const target = { id: String(backup['id']), label: `backups/${String(backup['id'])}` };
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

  /** The disks that a backup takes: images that belong to this machine alone. */
  async #disks(): Promise<readonly AttachedDisk[]> {
    const { runner, flags, vm } = this.#parts;
    const skipped = new Set<string>();
    for (const word of flags.skipDisk ?? []) skipped.add((await runner.find(word, '/disks')).id);
    const attachments = await runner.list({
      path: '/vms/{vm}/diskattachments',
      ids: this.#ids,
      follow: 'disk',
    });
    const disks = attachments
      .map((attachment) => ({ attachment, disk: (attachment['disk'] ?? {}) as ApiObject }))
      .filter(({ disk }) => disk['shareable'] !== true && isImage(disk))
      .map(({ attachment, disk }) => {
        const id = String(disk['id'] ?? attachment['id']);
        return { id, name: String(disk['alias'] ?? disk['name'] ?? id), disk, attachment };
      })
      .filter(({ id }) => !skipped.has(id));
    if (disks.length > 0) return disks;
    throw new UsageError(`${vm.label} has no disks to back up`, {
      hint: 'logical units and shareable disks are excluded; vmctl diskattachments list shows them',
    });
  }

  /** The checkpoint of the backup before, where the service still has it. */
  async #checkpointOf(before: StoredBackup | undefined): Promise<string | undefined> {
    const { cli, runner, flags } = this.#parts;
    const wanted = before?.manifest.checkpoint;
    if (flags.full || !before || wanted === undefined) return undefined;
    const all = await runner.list({ path: checkpointsPath, ids: this.#ids });
    const found = all.find(({ id }) => id === wanted);
    const name = basename(before.folder);
    let why = found ? undefined : `the checkpoint of ${name} was deleted`;
    if (found?.['state'] === 'invalid') why = `the checkpoint of ${name} is invalid`;
    const missing = await missingFile(before);
    if (missing !== undefined) why = `${missing} is missing or has the wrong size`;
    if (why === undefined) return wanted;
    cli.note(`${why}: running a full backup`);
    return undefined;
  }

  /** Ends the backup that a run which was killed has left: the machine is locked by it. */
  async #endKilledRun(): Promise<void> {
    const { cli, client, repository, flags, vm } = this.#parts;
    const left = await repository.killedRun();
    if (left === undefined) return;
    cli.note(`an earlier run into ${repository.path} was killed; its backup is discarded`);
    const patience = AbortSignal.timeout(waitTimeout(flags));
    try {
      await endBackup(client, vm.id, left, AbortSignal.any([cli.signal, patience]));
    } catch (error) {
      if (cli.signal.aborted || !patience.aborted) throw error;
      const end = commandLine(cli, ['backups', 'finalize', left, '--vm', vm.name]);
      throw new WaitTimeoutError(`${vm.label}: the backup ${left} of that run has not ended yet`, {
        hint: `run the command again, or end it first: ${end}`,
        next: [end],
        cause: error,
      });
    }
  }

  async #begin(disks: readonly AttachedDisk[], since: string | undefined): Promise<ApiObject> {
    const { runner, flags } = this.#parts;
    const { description, requireConsistency } = flags;
    const step = {
      path: backupsPath,
      name: 'add',
      ids: this.#ids,
      ...(requireConsistency ? { query: { require_consistency: true } } : {}),
      body: {
        ...(description === undefined ? {} : { description }),
        ...(since === undefined ? {} : { from_checkpoint_id: since }),
        disks: disks.map(({ id }) => ({ id })),
      },
    };
    return await runner.add(step, ({ id }) => {
      this.#backup = textOf(id);
    });
  }

  /** The configuration of the machine, as the service writes it down. */
  async #document(): Promise<string | undefined> {
    const { runner, cli, vm } = this.#parts;
    const text = await configurationDocument(runner, vm.id, 'ovf');
    if (text === undefined) {
      cli.warn(`the service returns no configuration of ${vm.label}: only its disks are backed up`);
    }
    return text;
  }

  async #read(
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
        ...(await transferOptions(cli, client, flags, progress)),
        disk,
        backup: String(this.#backup),
        file: join(repository.workFolder, file),
        force: false,
        ...(before && known ? { base: join(before.folder, known.file) } : {}),
      });
    } catch (error) {
      const cause = explained(cli, error, () => '');
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
      ...attributesOf(disk, attachment),
    };
  }

  /** Removes checkpoints of earlier runs, from the root on: only the newest is asked for again. */
  async #removeOldCheckpoints(newest: string | undefined): Promise<void> {
    const { cli, runner, repository } = this.#parts;
    if (newest === undefined) return;
    const own = new Set(repository.checkpoints);
    try {
      let all = await runner.list({ path: checkpointsPath, ids: this.#ids });
      for (;;) {
        const root = all.find(({ parent_id: parent }) => !all.some(({ id }) => id === parent));
        const id = textOf(root?.['id']);
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
      // The backup is whole; what is left is removed by the next run.
      cli.warn(`cannot delete the checkpoint of an earlier backup: ${(error as Error).message}`);
    }
  }

  /** Ends the backup at the service, and removes what was written. Never throws. */
  async #abandon(): Promise<void> {
    const { cli, client, repository } = this.#parts;
    const forget = () => repository.abandon().catch((error: Error) => cli.warn(error.message));
    const backup = this.#backup;
    this.#backup = undefined;
    if (backup === undefined) {
      await forget();
      return;
    }
    // What has ended the command must not end this as well.
    const signal = AbortSignal.timeout(cleanupTimeout);
    try {
      await endBackup(client, this.#parts.vm.id, backup, signal);
      // As long as the service has the backup, the next run has to know of it.
      await forget();
    } catch (error) {
      const words = ['backups', 'finalize', backup, '--vm', this.#parts.vm.name];
      cli.warn(
        `cannot end backup ${backup}, which locks the VM: ${(error as Error).message}; run ${commandLine(cli, words)}`,
      );
    }
  }
}

function clusterOf({ item }: Found): { readonly cluster?: string } {
  const id = textOf((item?.['cluster'] as ApiObject | undefined)?.['id']);
  return id === undefined ? {} : { cluster: id };
}

function isImage(disk: ApiObject): boolean {
  const type = disk['storage_type'] ?? 'image';
  return type === 'image' || type === 'managed_block_storage';
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
