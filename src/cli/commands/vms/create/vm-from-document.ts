/**
 * Creation of a VM with disks from a document and images. After a failure, remaining objects are
 * reported or removed.
 */
import type { Client } from '../../../../client/client.ts';
import { AmbiguousError, ConflictError, NotFoundError } from '../../../../client/errors.ts';
import type { Resource } from '../../../../model/resource.ts';
import { type Source, upload } from '../../../../transfer/index.ts';
import type { CommandContext } from '../../../session/command-context.ts';
import type { OperationRunner } from '../../../verbs/operation-runner.ts';
import { explainFailure } from '../../disks/transfer-failure.ts';
import { createTransferOptions, type TransferFlags } from '../../disks/transfer-options.ts';
import { TransferProgress } from '../../disks/transfer-progress.ts';
import { createPlacement } from '../../disks/upload.ts';
import { CreatedObjects } from './cleanup.ts';

/** Disk to create, with its contents. */
export interface NewDiskSpec {
  readonly name: string;
  /** Attributes except name and storage domain: format, `provisioned_size` in bytes. */
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Storage domain from the service. */
  readonly domain: Resource<'storage_domain'>;
  readonly attachment: Readonly<Record<string, unknown>>;
  /** Opens the image; undefined for an empty disk. */
  readonly open?: () => Promise<Source>;
}

export interface NewVm {
  /** Body of the request, including the name. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly disks: readonly NewDiskSpec[];
  /** Bodies of NICs that the service does not create automatically. */
  readonly nics?: readonly Readonly<Record<string, unknown>>[];
  /** Last step, called with the id of the VM. */
  readonly complete?: (vm: string) => Promise<void>;
}

interface Parts {
  readonly cli: CommandContext;
  readonly client: Client;
  readonly runner: OperationRunner;
  readonly flags: TransferFlags & { readonly cleanup?: boolean };
}

export class VmCreator {
  readonly #parts: Parts;
  readonly #created: CreatedObjects;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#created = new CreatedObjects(parts.cli, parts.client);
  }

  /** Creates unattached disks. */
  async createDisks(disks: readonly NewDiskSpec[]): Promise<readonly Resource<'disk'>[]> {
    return await this.#withCleanup(async () => await this.#disks(disks));
  }

  /** Creates a VM with its disks, and returns it. */
  async createVm(wanted: NewVm): Promise<Resource<'vm'>> {
    return await this.#withCleanup(async () => {
      const vm = await this.#vm(wanted);
      return await this.#parts.runner.call({ path: '/vms/{vm}', name: 'get', ids: { vm } });
    });
  }

  /** Creates a template with its disks: from a temporary VM, which is removed afterwards. */
  async createTemplate(
    wanted: NewVm,
    template: Readonly<Record<string, unknown>>,
  ): Promise<Resource<'template'>> {
    const { runner } = this.#parts;
    return await this.#withCleanup(async () => {
      const vm = await this.#vm(wanted);
      const made = await runner.add(
        { path: '/templates', name: 'add', body: { ...template, vm: { id: vm } } },
        (added) => this.#created.recordTemplate(added),
      );
      const label = `vms/${String(wanted.body['name'])}`;
      await runner.change({ path: '/vms/{vm}', name: 'remove', ids: { vm } }, { id: vm, label });
      return made;
    });
  }

  /** Creates a VM with its disks, and returns its id. */
  async #vm({ body, disks, nics = [], complete }: NewVm): Promise<string> {
    const { runner } = this.#parts;
    const made = await runner.add({ path: '/vms', name: 'add', body }, (added) =>
      this.#created.recordVm(added, true),
    );
    await this.#inspect(made);
    const vm = String(made.id);
    for (const nic of nics) {
      await runner.add({ path: '/vms/{vm}/nics', name: 'add', ids: { vm }, body: nic });
    }
    const all = await this.#disks(disks);
    for (const [index, { attachment }] of disks.entries()) {
      const disk = String(all[index]?.id);
      await runner.add({
        path: '/vms/{vm}/diskattachments',
        name: 'add',
        verb: 'attach',
        ids: { vm },
        body: { ...attachment, disk: { id: disk } },
      });
      this.#created.recordAttachment(disk, false);
    }
    await complete?.(vm);
    return vm;
  }

  /** The service attaches existing disks of the document. They may belong to other VMs. */
  async #inspect({ id, name }: Resource<'vm'>): Promise<void> {
    const { cli } = this.#parts;
    const borrowed = await this.#created.inspect(cli.signal);
    if (borrowed.length === 0) return;
    const named = borrowed.map((disk) => `disks/${disk}`).join(', ');
    cli.warn(
      `vms/${String(name ?? id)} uses existing disks: ${named}; detach disks that it must not change`,
    );
  }

  async #withCleanup<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (this.#parts.flags.cleanup) await this.#created.removeAll(error);
      else this.#created.reportRemaining(error);
      throw error;
    }
  }

  async #disks(disks: readonly NewDiskSpec[]): Promise<readonly Resource<'disk'>[]> {
    const made: Resource<'disk'>[] = [];
    for (const disk of disks) made.push(await this.#disk(disk));
    return made;
  }

  async #disk({ name, attributes, domain, open }: NewDiskSpec): Promise<Resource<'disk'>> {
    const { cli, client, runner, flags } = this.#parts;
    const { storageDomain, onBlockStorage } = createPlacement(domain);
    const isCow = attributes['format'] === 'cow';
    const body = {
      ...attributes,
      // Block storage does not support thin raw disks.
      ...(onBlockStorage && !isCow ? { sparse: false } : {}),
      name,
      storage_domains: [{ id: storageDomain }],
    };
    const disk = await runner.add({ path: '/disks', name: 'add', body }, ({ id }) =>
      this.#created.recordDisk(String(id)),
    );
    if (!open) return disk;
    const source = await open();
    const progress = new TransferProgress(cli, name);
    const isGuestData = source.content.format === 'raw';
    try {
      return await upload({
        ...(await createTransferOptions(cli, client, flags, progress)),
        ...(isGuestData ? { format: 'raw' } : {}),
        source,
        discardPartial: true,
        into: isGuestData ? { disk, guestData: { zeroed: isCow || !onBlockStorage } } : { disk },
      });
    } catch (error) {
      throw explainFailure(cli, error, () => '');
    } finally {
      progress.clear();
      await source.close();
    }
  }
}

/** Throws `ConflictError` if a VM or template with this name exists. */
export async function requireUnusedName(
  runner: OperationRunner,
  name: string,
  path: '/vms' | '/templates' = '/vms',
): Promise<void> {
  try {
    await runner.find(name, path);
  } catch (error) {
    if (error instanceof NotFoundError) return;
    // Versions of a template share its name.
    if (!(error instanceof AmbiguousError)) throw error;
  }
  throw new ConflictError(`${path.slice(1)}/${name} already exists, unchanged`, {
    code: 'name_taken',
    hint: `use --name ${name}-new for another name`,
  });
}
