/** A machine from what is known of it, and its images: made, given its disks; what a failure leaves is named or taken back. */
import type { ApiObject, Client } from '../../../../client/client.ts';
import { ConflictError, NotFoundError } from '../../../../client/errors.ts';
import { type Source, upload } from '../../../../transfer/index.ts';
import type { CommandContext } from '../../../session/command-context.ts';
import type { OperationRunner } from '../../../verbs/operation-runner.ts';
import { explained } from '../../disks/transfer-failure.ts';
import { type TransferFlags, transferOptions } from '../../disks/transfer-options.ts';
import { TransferProgress } from '../../disks/transfer-progress.ts';
import { placeOn } from '../../disks/upload.ts';
import { Leftovers } from './leftovers.ts';

/** A disk to be made, and what goes into it. */
export interface DiskToMake {
  readonly name: string;
  /** Its attributes beside name and place: format, `provisioned_size` in bytes. */
  readonly attributes: Readonly<Record<string, unknown>>;
  /** The storage domain, as the service describes it. */
  readonly domain: ApiObject;
  readonly attachment: Readonly<Record<string, unknown>>;
  /** The image; nothing for a disk that is empty. */
  readonly open?: () => Promise<Source>;
}

/** A machine to be made. */
export interface MachineToMake {
  /** What is sent, its name in it. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly disks: readonly DiskToMake[];
  /** Bodies of its interfaces, beside those that come of themselves. */
  readonly nics?: readonly Readonly<Record<string, unknown>>[];
  /** What else is to be done with it, by its id. */
  readonly complete?: (vm: string) => Promise<void>;
}

interface Parts {
  readonly cli: CommandContext;
  readonly client: Client;
  readonly runner: OperationRunner;
  readonly flags: TransferFlags & { readonly cleanup?: boolean };
}

export class MachineMaker {
  readonly #parts: Parts;
  readonly #leftovers: Leftovers;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#leftovers = new Leftovers(parts.cli, parts.client);
  }

  /** Makes disks that are attached to nothing. */
  async disks(disks: readonly DiskToMake[]): Promise<readonly ApiObject[]> {
    return await this.#orTakeBack(async () => await this.#disks(disks));
  }

  /** Makes the machine with its disks, and returns it. */
  async machine({ body, disks, nics = [], complete }: MachineToMake): Promise<ApiObject> {
    const { runner } = this.#parts;
    return await this.#orTakeBack(async () => {
      const made = await runner.add({ path: '/vms', name: 'add', body }, (added) =>
        this.#leftovers.madeMachine(added, true),
      );
      await this.#inspect(made);
      const vm = String(made['id']);
      for (const nic of nics) {
        await runner.add({ path: '/vms/{vm}/nics', name: 'add', ids: { vm }, body: nic });
      }
      const all = await this.#disks(disks);
      for (const [index, { attachment }] of disks.entries()) {
        const disk = String(all[index]?.['id']);
        await runner.add({
          path: '/vms/{vm}/diskattachments',
          name: 'add',
          verb: 'attach',
          ids: { vm },
          body: { ...attachment, disk: { id: disk } },
        });
        this.#leftovers.attached(disk, false);
      }
      await complete?.(vm);
      return await runner.call({ path: '/vms/{vm}', name: 'get', ids: { vm } });
    });
  }

  /** The service attaches disks of the document that are there already: they are somebody's. */
  async #inspect({ id, name }: ApiObject): Promise<void> {
    const { cli } = this.#parts;
    const borrowed = await this.#leftovers.inspect(cli.signal);
    if (borrowed.length === 0) return;
    const named = borrowed.map((disk) => `disks/${disk}`).join(', ');
    cli.warn(
      `vms/${String(name ?? id)} uses existing disks: ${named}; detach disks that it must not change`,
    );
  }

  async #orTakeBack<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (this.#parts.flags.cleanup) await this.#leftovers.takeBack(error);
      else this.#leftovers.tell(error);
      throw error;
    }
  }

  async #disks(disks: readonly DiskToMake[]): Promise<readonly ApiObject[]> {
    const made: ApiObject[] = [];
    for (const disk of disks) made.push(await this.#disk(disk));
    return made;
  }

  async #disk({ name, attributes, domain, open }: DiskToMake): Promise<ApiObject> {
    const { cli, client, runner, flags } = this.#parts;
    const { storageDomain, onBlockStorage } = placeOn(domain);
    const isCow = attributes['format'] === 'cow';
    const body = {
      ...attributes,
      // Block storage has no thin raw disks.
      ...(onBlockStorage && !isCow ? { sparse: false } : {}),
      name,
      storage_domains: [{ id: storageDomain }],
    };
    const disk = await runner.add({ path: '/disks', name: 'add', body }, ({ id }) =>
      this.#leftovers.madeDisk(String(id)),
    );
    if (!open) return disk;
    const source = await open();
    const progress = new TransferProgress(cli, name);
    const isGuestData = source.content.format === 'raw';
    try {
      return await upload({
        ...(await transferOptions(cli, client, flags, progress)),
        ...(isGuestData ? { format: 'raw' } : {}),
        source,
        discardPartial: true,
        into: isGuestData ? { disk, guestData: { zeroed: isCow || !onBlockStorage } } : { disk },
      });
    } catch (error) {
      throw explained(cli, error, () => '');
    } finally {
      progress.clear();
      await source.close();
    }
  }
}

/** Throws where a machine of this name is there: nothing is overwritten. */
export async function requireFreeName(runner: OperationRunner, name: string): Promise<void> {
  try {
    await runner.find(name, '/vms');
  } catch (error) {
    if (error instanceof NotFoundError) return;
    throw error;
  }
  throw new ConflictError(`vms/${name} already exists, unchanged`, {
    code: 'name_taken',
    hint: `use --name ${name}-new for another name`,
  });
}
