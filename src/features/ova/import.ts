/** `import-ova`: creates a VM or a template from a local archive or OVF document. */
import { randomUUID } from 'node:crypto';
import { basename, extname } from 'node:path';
import type { TransferFlags } from '../../cli/commands/disks/transfer-options.ts';
import { TransferProgress } from '../../cli/commands/disks/transfer-progress.ts';
import { type Placement, selectPlacement } from '../../cli/commands/vms/create/placement.ts';
import {
  type NewDiskSpec,
  requireUnusedName,
  VmCreator,
} from '../../cli/commands/vms/create/vm-from-document.ts';
import { getFormat, printView } from '../../cli/output/print.ts';
import type { CommandContext } from '../../cli/session/command-context.ts';
import { OperationRunner } from '../../cli/verbs/operation-runner.ts';
import { UsageError } from '../../client/errors.ts';
import {
  type OvfDisk,
  OvfDocument,
  OvfError,
  type OvfMachine,
  type OvfNic,
} from '../../ovf/document.ts';
import { withNewDiskIds } from '../../ovf/new-disk-ids.ts';
import { readOvf } from '../../ovf/read.ts';
import { inspectImage, type PackedImage } from './images.ts';
import { requireDigests } from './manifest.ts';
import { chooseProfile, connectNics, type NetworkChoice, readNetworks } from './networks.ts';
import { type OvaPackage, openPackage } from './package.ts';
import { Workspace } from './workspace.ts';

export interface ImportFlags extends TransferFlags {
  readonly name?: string;
  readonly cluster?: string;
  readonly storageDomain?: string;
  readonly network?: string;
  readonly diskInterface?: string;
  readonly cleanup?: boolean;
  readonly waitTimeout?: string;
}

/** A package with its parsed document. */
interface Described {
  readonly source: OvaPackage;
  readonly machine: OvfMachine;
  readonly layout: OvfDocument['layout'];
  /** Whether an oVirt-style service wrote the document and can import it directly. */
  readonly isNative: boolean;
}

/** Creates a VM or a template from a package. Validates everything before the first change. */
export async function importOva(
  cli: CommandContext,
  path: string,
  flags: ImportFlags,
  noun: 'vms' | 'templates' = 'vms',
): Promise<void> {
  getFormat(cli);
  const described = describePackage(openPackage(path), noun);
  const { machine } = described;
  const name = flags.name ?? createName(machine.vm.name, path);
  const client = await cli.client();
  const options = flags.waitTimeout === undefined ? {} : { waitTimeout: flags.waitTimeout };
  const runner = await OperationRunner.create(cli, options);
  await requireUnusedName(runner, name, `/${noun}`);
  const places = await selectPlacement(runner, getFormerPlaces(machine), flags);
  const networks = await readNetworks(runner, places.datacenter, flags.network);
  const workspace = new Workspace();
  try {
    if (flags.verify) await requireIntact(cli, described.source);
    const disks = await describeDisks(cli, described, { name, places, flags, workspace });
    const maker = new VmCreator({ cli, client, runner, flags });
    const isTemplate = noun === 'templates';
    const vm = {
      body: createBody(described, isTemplate ? createTemporaryName() : name, places.cluster),
      disks,
      nics: described.isNative ? [] : machine.nics.map((nic) => createNic(nic, networks)),
      complete: async (vm: string) => await connectAllNics(cli, runner, vm, described, networks),
    };
    const made = isTemplate
      ? await maker.createTemplate(vm, { name, cluster: { id: places.cluster } })
      : await maker.createVm(vm);
    const type = isTemplate ? 'template' : 'vm';
    await printView(cli, { noun, type, items: [made], single: true });
  } finally {
    await workspace.remove();
  }
}

/** Name of a VM that exists only during the import of a template. */
function createTemporaryName(): string {
  return `import-${randomUUID().slice(0, 8)}`;
}

function describePackage(source: OvaPackage, noun: 'vms' | 'templates'): Described {
  const { name, text } = source.document;
  try {
    const { layout, isNative } = new OvfDocument(text);
    const machine = readOvf(text);
    const isStored = layout === 'ovf' && machine.disks.length > 0;
    if (!isStored) {
      // Services create VMs only from documents of VMs; only templates have a version.
      const isTemplate = noun === 'templates' && machine.version !== undefined;
      return { source, machine, layout, isNative: isNative && !isTemplate };
    }
  } catch (error) {
    if (!(error instanceof OvfError)) throw error;
    throw new UsageError(error.in(name), { code: 'wrong_format', cause: error });
  }
  throw new UsageError(`${name} does not name the files of the disks`, {
    code: 'wrong_format',
    hint: 'use vmctl backups restore for backups; vmctl vms export-ova creates archives',
  });
}

/** Maximum length of VM names. */
const longestName = 64;

/** Valid VM name, because other products permit characters that this API refuses. */
function createName(named: string | undefined, path: string): string {
  const usable = [named ?? '', basename(path, extname(path))].map((text) =>
    text.replace(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^-+|-+$/g, ''),
  );
  return (usable.find((name) => name !== '') ?? 'imported').slice(0, longestName);
}

function getFormerPlaces({ disks }: OvfMachine): Parameters<typeof selectPlacement>[1] {
  return {
    disks: disks.map(({ id, storageDomains }) => ({ id, storageDomain: storageDomains?.[0] })),
  };
}

async function requireIntact(cli: CommandContext, source: OvaPackage): Promise<void> {
  const progress = new TransferProgress(cli, basename(source.path));
  const show = (_file: string, transferred: number, total: number) =>
    progress.show({ phase: 'verifying', transferred, total, resumed: 0, skipped: 0 });
  try {
    await requireDigests(source, show, cli.signal);
  } finally {
    progress.clear();
  }
}

function createBody(
  { source, machine, layout, isNative }: Described,
  name: string,
  cluster: string,
): Record<string, unknown> {
  const common = { name, cluster: { id: cluster } };
  if (!isNative) return { ...machine.vm, ...common, template: { name: 'Blank' } };
  const ids = machine.disks.map(({ id }) => id);
  const data = withNewDiskIds(source.document.text, ids);
  return { ...common, initialization: { configuration: { type: layout, data } } };
}

function createNic(nic: OvfNic, networks: NetworkChoice): Record<string, unknown> {
  const { name, mac, linked, plugged } = nic;
  const profile = chooseProfile(nic.network, networks);
  return {
    name,
    interface: nic.interface,
    linked,
    plugged,
    ...(mac === undefined ? {} : { mac: { address: mac } }),
    ...(profile ? { vnic_profile: { id: profile.id } } : {}),
  };
}

async function connectAllNics(
  cli: CommandContext,
  runner: OperationRunner,
  vm: string,
  { machine }: Described,
  networks: NetworkChoice,
): Promise<void> {
  const named = new Map(machine.nics.map(({ name, network }) => [name, network]));
  await connectNics(cli, runner, vm, named, networks);
}

interface DiskChoices {
  readonly name: string;
  readonly places: Placement;
  readonly flags: ImportFlags;
  readonly workspace: Workspace;
}

/** Disks with their inspected images. */
async function describeDisks(
  cli: CommandContext,
  described: Described,
  choices: DiskChoices,
): Promise<readonly NewDiskSpec[]> {
  const { source, machine } = described;
  const disks: NewDiskSpec[] = [];
  for (const [index, disk] of machine.disks.entries()) {
    const image =
      disk.file === undefined
        ? undefined
        : await inspectImage(cli, source.fileAt(disk.file), disk.file, choices.workspace);
    reportDifferences(cli, disk, image);
    disks.push({
      name: disk.alias ?? `${choices.name}_Disk${index + 1}`,
      attributes: createAttributes(disk, image),
      domain: choices.places.domains.get(disk.id) ?? {},
      attachment: createAttachment(described, disk, index === 0, choices.flags),
      ...(image ? { open: image.open } : {}),
    });
  }
  return disks;
}

/** Reports properties of the disk that the import cannot preserve. */
function reportDifferences(
  cli: CommandContext,
  disk: OvfDisk,
  image: PackedImage | undefined,
): void {
  const { file = 'a disk', shareable, provisionedSize } = disk;
  if (shareable && image?.format === 'cow') {
    cli.warn(`${file} was shareable, which is not possible for a qcow2 image`);
  }
  if (image?.format === 'raw' && image.virtualSize < provisionedSize) {
    cli.warn(`${file} has ${image.virtualSize} bytes of ${provisionedSize}: the rest is zeros`);
  }
}

function createAttributes(disk: OvfDisk, image: PackedImage | undefined): Record<string, unknown> {
  const { description, shareable, wipeAfterDelete, incrementalBackup, provisionedSize } = disk;
  const size = Math.max(image?.virtualSize ?? 0, provisionedSize);
  // The header of a qcow2 image defines the size of the disk.
  const bytes = image?.format === 'cow' ? image.virtualSize : size;
  const format = image?.format === 'cow' || incrementalBackup ? 'cow' : (disk.format ?? 'raw');
  return {
    format,
    sparse: true,
    provisioned_size: Math.ceil(bytes / 512) * 512,
    ...(description === undefined ? {} : { description }),
    ...(shareable && format === 'raw' ? { shareable } : {}),
    ...(wipeAfterDelete ? { wipe_after_delete: true } : {}),
    ...(incrementalBackup ? { backup: 'incremental' } : {}),
  };
}

/**
 * Attachment of a disk. Guests of other products may lack virtio drivers in their boot image; SATA
 * works for all.
 */
function createAttachment(
  { machine, isNative }: Described,
  { attachment }: OvfDisk,
  isFirst: boolean,
  { diskInterface }: ImportFlags,
): Record<string, unknown> {
  const bootsFromNone = !machine.disks.some((one) => one.attachment.bootable);
  const { bootable, ...rest } = attachment;
  return {
    ...rest,
    interface: diskInterface ?? (isNative ? attachment.interface : 'sata'),
    bootable: bootable || (bootsFromNone && isFirst),
  };
}
