/** `vmctl vms import-ova`: a new machine from an archive or a document in local files. */
import { basename, extname } from 'node:path';
import type { TransferFlags } from '../../cli/commands/disks/transfer-options.ts';
import { TransferProgress } from '../../cli/commands/disks/transfer-progress.ts';
import {
  type DiskToMake,
  MachineMaker,
  requireFreeName,
} from '../../cli/commands/vms/create/machine-from-document.ts';
import { type Places, placesFor } from '../../cli/commands/vms/create/machine-places.ts';
import { formatOf, print } from '../../cli/output/print.ts';
import type { CommandContext } from '../../cli/session/command-context.ts';
import { OperationRunner } from '../../cli/verbs/operation-runner.ts';
import type { ApiObject } from '../../client/client.ts';
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
import { imageIn, type PackedImage } from './images.ts';
import { requireDigests } from './manifest.ts';
import { connectNics, type NetworkChoice, networksFor, profileOf } from './networks.ts';
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

/** A package with what its document says. */
interface Described {
  readonly source: OvaPackage;
  readonly machine: OvfMachine;
  readonly layout: OvfDocument['layout'];
  /** An oVirt-style service wrote it, and takes it as it is. */
  readonly isNative: boolean;
}

/** Makes a machine from a package. Everything is looked at before anything is made. */
export async function importOva(
  cli: CommandContext,
  path: string,
  flags: ImportFlags,
): Promise<void> {
  formatOf(cli);
  const described = describe(openPackage(path));
  const { machine } = described;
  const name = flags.name ?? nameFor(machine.vm.name, path);
  const client = await cli.client();
  const options = flags.waitTimeout === undefined ? {} : { waitTimeout: flags.waitTimeout };
  const runner = await OperationRunner.begin(cli, options);
  await requireFreeName(runner, name);
  const places = await placesFor(runner, formerPlaces(machine), flags);
  const networks = await networksFor(runner, places.datacenter, flags.network);
  const workspace = new Workspace();
  try {
    if (flags.verify) await requireWhole(cli, described.source);
    const disks = await disksOf(cli, described, { name, places, flags, workspace });
    const maker = new MachineMaker({ cli, client, runner, flags });
    const made = await maker.machine({
      body: bodyOf(described, name, places.cluster),
      disks,
      nics: described.isNative ? [] : machine.nics.map((nic) => nicOf(nic, networks)),
      complete: async (vm) => await connect(cli, runner, vm, described, networks),
    });
    await print(cli, { noun: 'vms', type: 'vm', items: [made], single: true });
  } finally {
    await workspace.remove();
  }
}

function describe(source: OvaPackage): Described {
  const { name, text } = source.document;
  try {
    const { layout, isNative } = new OvfDocument(text);
    const machine = readOvf(text);
    const isStored = layout === 'ovf' && machine.disks.length > 0;
    if (!isStored) return { source, machine, layout, isNative };
  } catch (error) {
    if (!(error instanceof OvfError)) throw error;
    throw new UsageError(error.in(name), { code: 'wrong_format', cause: error });
  }
  throw new UsageError(`${name} does not name the files of the disks`, {
    code: 'wrong_format',
    hint: 'use vmctl backups restore for backups; vmctl vms export-ova creates archives',
  });
}

/** Services take no longer names of machines. */
const longestName = 64;

/** Names of other virtualization may hold what names here must not. */
function nameFor(named: string | undefined, path: string): string {
  const usable = [named ?? '', basename(path, extname(path))].map((text) =>
    text.replace(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^-+|-+$/g, ''),
  );
  return (usable.find((name) => name !== '') ?? 'imported').slice(0, longestName);
}

function formerPlaces({ disks }: OvfMachine): Parameters<typeof placesFor>[1] {
  return {
    disks: disks.map(({ id, storageDomains }) => ({ id, storageDomain: storageDomains?.[0] })),
  };
}

async function requireWhole(cli: CommandContext, source: OvaPackage): Promise<void> {
  const progress = new TransferProgress(cli, basename(source.path));
  const show = (_file: string, transferred: number, total: number) =>
    progress.show({ phase: 'verifying', transferred, total, resumed: 0, skipped: 0 });
  try {
    await requireDigests(source, show, cli.signal);
  } finally {
    progress.clear();
  }
}

function bodyOf(
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

function nicOf(nic: OvfNic, networks: NetworkChoice): Record<string, unknown> {
  const { name, mac, linked, plugged } = nic;
  const profile = profileOf(nic.network, networks);
  return {
    name,
    interface: nic.interface,
    linked,
    plugged,
    ...(mac === undefined ? {} : { mac: { address: mac } }),
    ...(profile ? { vnic_profile: { id: profile.id } } : {}),
  };
}

async function connect(
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
  readonly places: Places;
  readonly flags: ImportFlags;
  readonly workspace: Workspace;
}

/** The disks with their images, each of them looked at. */
async function disksOf(
  cli: CommandContext,
  described: Described,
  choices: DiskChoices,
): Promise<readonly DiskToMake[]> {
  const { source, machine } = described;
  const disks: DiskToMake[] = [];
  for (const [index, disk] of machine.disks.entries()) {
    const image =
      disk.file === undefined
        ? undefined
        : await imageIn(cli, source.fileAt(disk.file), disk.file, choices.workspace);
    noteDifferences(cli, disk, image);
    disks.push({
      name: disk.alias ?? `${choices.name}_Disk${index + 1}`,
      attributes: attributesOf(disk, image),
      domain: choices.places.domains.get(disk.id) ?? {},
      attachment: attachmentOf(described, disk, index === 0, choices.flags),
      ...(image ? { open: image.open } : {}),
    });
  }
  return disks;
}

/** Says what the disk will not be like. */
function noteDifferences(cli: CommandContext, disk: OvfDisk, image: PackedImage | undefined): void {
  const { file = 'a disk', shareable, provisionedSize } = disk;
  if (shareable && image?.format === 'cow') {
    cli.warn(`${file} was shareable, which is not possible for a qcow2 image`);
  }
  if (image?.format === 'raw' && image.virtualSize < provisionedSize) {
    cli.warn(`${file} has ${image.virtualSize} bytes of ${provisionedSize}: the rest is zeros`);
  }
}

function attributesOf(disk: OvfDisk, image: PackedImage | undefined): Record<string, unknown> {
  const { description, shareable, wipeAfterDelete, incrementalBackup, provisionedSize } = disk;
  const size = Math.max(image?.virtualSize ?? 0, provisionedSize);
  // A qcow2 image says itself how large its disk is.
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

/** Guests of other virtualization may have no drivers for virtio in what they boot from: SATA works for all. */
function attachmentOf(
  { machine, isNative }: Described,
  { attachment }: OvfDisk,
  isFirst: boolean,
  { diskInterface }: ImportFlags,
): ApiObject {
  const bootsFromNone = !machine.disks.some((one) => one.attachment.bootable);
  const { bootable, ...rest } = attachment;
  return {
    ...rest,
    interface: diskInterface ?? (isNative ? attachment.interface : 'sata'),
    bootable: bootable || (bootsFromNone && isFirst),
  };
}
