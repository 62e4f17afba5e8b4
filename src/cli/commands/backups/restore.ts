/** `vmctl backups restore`: a new machine, or disks alone, from the files of a backup. */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { ApiObject, Client } from '../../../client/client.ts';
import { ConflictError, NotFoundError, UsageError } from '../../../client/errors.ts';
import { FileSource, fileChecksum, upload } from '../../../transfer/index.ts';
import { formatOf, print } from '../../output/print.ts';
import type { CommandContext } from '../../session/command-context.ts';
import { OperationRunner } from '../../verbs/operation-runner.ts';
import { explained } from '../disks/transfer-failure.ts';
import { type TransferFlags, transferOptions } from '../disks/transfer-options.ts';
import { TransferProgress } from '../disks/transfer-progress.ts';
import { placeOn } from '../disks/upload.ts';
import { Leftovers } from '../vms/create/leftovers.ts';
import type { BackedUpDisk, Manifest } from './manifest.ts';
import { backupAt, missingFile, type StoredBackup } from './repository.ts';
import { placesFor } from './restore-places.ts';

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
    throw new UsageError('--name and --disks-only contradict each other', {
      hint: 'disks keep the names that they had',
    });
  }
  formatOf(cli);
  const backup = await backupAt(path);
  const document = flags.disksOnly ? undefined : await documentOf(backup);
  const client = await cli.client();
  const options = flags.waitTimeout === undefined ? {} : { waitTimeout: flags.waitTimeout };
  const runner = await OperationRunner.begin(cli, options);
  const name = flags.name ?? backup.manifest.vm.name;
  if (document !== undefined) await requireFreeName(runner, name);
  const { cluster, domains } = await placesFor(runner, backup.manifest, flags);
  await requireWhole(cli, backup, flags);
  const restore = new Restore({ cli, client, runner, backup, domains, flags });
  if (document === undefined) await restore.disksAlone();
  else await restore.machine(name, cluster, document);
}

/** The configuration of the machine. Throws where the backup has none. */
async function documentOf({ folder, manifest }: StoredBackup): Promise<string> {
  let text: string;
  try {
    text = await readFile(join(folder, 'machine.ovf'), 'utf8');
  } catch (cause) {
    throw new NotFoundError(`${folder} does not say how the machine was configured`, {
      code: 'no_document',
      hint: 'restore its disks alone with --disks-only, and attach them to a machine',
      cause,
    });
  }
  // The disks that it names may still be there, and belong to somebody: the new machine gets its own.
  return manifest.disks.reduce((left, { id }) => left.replaceAll(id, randomUUID()), text);
}

async function requireFreeName(runner: OperationRunner, name: string): Promise<void> {
  try {
    await runner.find(name, '/vms');
  } catch (error) {
    if (error instanceof NotFoundError) return;
    throw error;
  }
  throw new ConflictError(`there is a machine ${name} already, which is left as it is`, {
    code: 'name_taken',
    hint: `--name ${name}-restored gives the new one another name`,
  });
}

/** Throws unless the files are what was backed up. */
async function requireWhole(
  cli: CommandContext,
  backup: StoredBackup,
  { verify }: RestoreFlags,
): Promise<void> {
  const missing = await missingFile(backup);
  if (missing !== undefined) {
    throw new UsageError(`${missing} is missing, or has another size than what was backed up`, {
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
    const found = await fileChecksum(source, size, counter, cli.signal).finally(async () => {
      progress.clear();
      await source.close();
    });
    if (found === checksum) continue;
    throw new ConflictError(`${source.path} is not what was backed up: its checksum is ${found}`, {
      code: 'different',
      hint: 'it was changed or damaged since; restore another backup of the folder',
    });
  }
}

interface Parts {
  readonly cli: CommandContext;
  readonly client: Client;
  readonly runner: OperationRunner;
  readonly backup: StoredBackup;
  /** Where each disk is made, by its id. */
  readonly domains: ReadonlyMap<string, ApiObject>;
  readonly flags: RestoreFlags;
}

class Restore {
  readonly #parts: Parts;
  readonly #leftovers: Leftovers;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#leftovers = new Leftovers(parts.cli, parts.client);
  }

  get #manifest(): Manifest {
    return this.#parts.backup.manifest;
  }

  async disksAlone(): Promise<void> {
    const made = await this.#orTakeBack(async () => await this.#disks());
    await print(this.#parts.cli, { noun: 'disks', type: 'disk', items: made });
  }

  async machine(name: string, cluster: string, document: string): Promise<void> {
    const { cli, runner } = this.#parts;
    const machine = await this.#orTakeBack(async () => {
      const configuration = { type: 'ovf', data: document };
      const body = { name, cluster: { id: cluster }, initialization: { configuration } };
      const made = await runner.add({ path: '/vms', name: 'add', body }, (added) =>
        this.#leftovers.madeMachine(added),
      );
      const vm = String(made['id']);
      const disks = await this.#disks();
      for (const [index, { attachment }] of this.#manifest.disks.entries()) {
        const disk = String(disks[index]?.['id']);
        await runner.add({
          path: '/vms/{vm}/diskattachments',
          name: 'add',
          verb: 'attach',
          ids: { vm },
          body: { ...attachment, disk: { id: disk } },
        });
        this.#leftovers.attached(disk, false);
      }
      return await runner.call({ path: '/vms/{vm}', name: 'get', ids: { vm } });
    });
    const from = basename(this.#parts.backup.folder);
    cli.note(`vms/${name} is as it was at ${this.#manifest.taken} (${from})`);
    await print(cli, { noun: 'vms', type: 'vm', items: [machine], single: true });
  }

  /** What a failure leaves is named, or taken back where that was asked for. */
  async #orTakeBack<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (this.#parts.flags.cleanup) await this.#leftovers.takeBack(error);
      else this.#leftovers.tell(error);
      throw error;
    }
  }

  async #disks(): Promise<readonly ApiObject[]> {
    const made: ApiObject[] = [];
    for (const disk of this.#manifest.disks) made.push(await this.#disk(disk));
    return made;
  }

  async #disk({ id: before, name, file, size, ...of }: BackedUpDisk): Promise<ApiObject> {
    const { cli, client, runner, backup, domains, flags } = this.#parts;
    const { storageDomain, onBlockStorage } = placeOn(domains.get(before) ?? {});
    const attributes = of.disk;
    const isCow = attributes['format'] === 'cow';
    const body = {
      ...attributes,
      // Block storage has no thin raw disks.
      ...(onBlockStorage && !isCow ? { sparse: false } : {}),
      name,
      provisioned_size: size,
      storage_domains: [{ id: storageDomain }],
    };
    const disk = await runner.add({ path: '/disks', name: 'add', body }, ({ id }) =>
      this.#leftovers.madeDisk(String(id)),
    );
    const source = await FileSource.open(join(backup.folder, file));
    const progress = new TransferProgress(cli, name);
    try {
      return await upload({
        ...(await transferOptions(cli, client, flags, progress)),
        source,
        format: 'raw',
        discardPartial: true,
        into: { disk, guestData: { zeroed: isCow || !onBlockStorage } },
      });
    } catch (error) {
      throw explained(cli, error, () => '');
    } finally {
      progress.clear();
      await source.close();
    }
  }
}
