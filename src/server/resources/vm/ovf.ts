/** OVF configuration of VMs, templates and snapshots: export and import. */

import { operatingSystems } from '../../../model/operating-systems.ts';
import type { Resource } from '../../../model/resource.ts';
import { cdromId } from '../../../model/resources/vm-device.ts';
import {
  type LayoutName,
  type OvfDisk,
  OvfError,
  type OvfMachine,
  type OvfNic,
} from '../../../ovf/document.ts';
import { readOvf } from '../../../ovf/read.ts';
import { writeOvf } from '../../../ovf/write.ts';
import { isPermitted } from '../../auth/permissions.ts';
import type { RuleContext } from '../../core/context.ts';
import { Refusal } from '../../core/fault.ts';
import { namedId } from '../../core/random.ts';
import { findDomainDataCenter, findStorageDomain, listDiskVms } from '../../inventory/disk.ts';
import type { CopySource } from '../../inventory/disk-transitions.ts';
import { allocateMac } from '../../inventory/mac-addresses.ts';
import { listSnapshotSources } from '../../inventory/snapshot-contents.ts';
import {
  describeVmSubjects,
  findClusterDataCenter,
  listDiskAttachments,
  listNics,
  listSnapshots,
  type Vm,
} from '../../inventory/vm.ts';
import { inherit } from '../../inventory/vm-configuration.ts';
import type { StoredObject } from '../../store/kinds.ts';
import type { ObjectOf } from '../../store/transaction.ts';
import { formatConsoleId } from './console.ts';

type Template = ObjectOf<'template'>;
type Snapshot = ObjectOf<'snapshot'>;

/** Service version in documents; readers check its prefix. */
const version = '4.5.0.0';

/** The object of a document, with its parts. */
interface Subject {
  readonly object: Vm | Template;
  /** Path of its devices. */
  readonly path: string;
  readonly sources: readonly CopySource[];
  readonly nics: readonly Resource<'nic'>[];
  readonly snapshots: readonly Snapshot[];
  readonly isTemplate: boolean;
  readonly packed?: OvfDisk['format'] | undefined;
}

/**
 * The document of a VM with its current parts. With `packed`, the document declares this format for
 * all disks, whatever their current format.
 */
export function writeVmOvf(
  ctx: RuleContext,
  vm: Vm,
  layout: LayoutName,
  packed?: OvfDisk['format'],
): string {
  return writeDocument(ctx, layout, {
    object: vm,
    path: `/vms/${vm.id}`,
    sources: imagesAttached(ctx, listDiskAttachments(ctx, vm)),
    nics: listNics(ctx, vm),
    snapshots: layout === 'ovf' ? listSnapshots(ctx, vm) : [],
    isTemplate: false,
    packed,
  });
}

export function writeTemplateOvf(
  ctx: RuleContext,
  template: Template,
  layout: LayoutName,
  packed?: OvfDisk['format'],
): string {
  const path = `/templates/${template.id}`;
  return writeDocument(ctx, layout, {
    object: template,
    path,
    sources: imagesAttached(
      ctx,
      ctx.tx.list('disk_attachment', { where: { collection: `${path}/diskattachments` } }),
    ),
    nics: ctx.tx.list('nic', { where: { collection: `${path}/nics` } }),
    snapshots: [],
    isTemplate: true,
    packed,
  });
}

/** The document of the VM in a snapshot. Its disks are the images of the snapshot. */
export function writeSnapshotOvf(ctx: RuleContext, snapshot: Snapshot, vm: Vm): string {
  const collection = `/vms/${vm.id}/snapshots/${snapshot.id}/nics`;
  return writeDocument(ctx, 'ovf', {
    object: vm,
    path: `/vms/${vm.id}`,
    sources: listSnapshotSources(ctx, snapshot.id ?? ''),
    nics: ctx.tx.list('snapshot_nic', { where: { collection } }),
    snapshots: [snapshot],
    isTemplate: false,
  });
}

function imagesAttached(
  ctx: RuleContext,
  attachments: readonly Resource<'disk_attachment'>[],
): CopySource[] {
  return attachments.flatMap((attachment) => {
    const disk = ctx.tx.get('disk', attachment.id ?? '');
    if (!disk?.id || disk.storage_type === 'lun') return [];
    return [{ disk, image: disk.id, attachment }];
  });
}

function writeDocument(ctx: RuleContext, layout: LayoutName, subject: Subject): string {
  const { path, sources, nics, snapshots, isTemplate, packed } = subject;
  // A document only names objects that its reader may see.
  const type = isTemplate ? 'template' : 'vm';
  const shown: StoredObject = ctx.filter?.shows(type, subject.object) ?? subject.object;
  const object: Vm = shown;
  const cluster = findVisible(ctx, 'cluster', object.cluster?.id);
  const { template, original_template: original } = object;
  const findTemplateName = (one: { id?: string } | undefined) =>
    findVisible(ctx, 'template', one?.id)?.name;
  const consoles = ctx.tx.list('graphics_console', {
    where: { collection: `${path}/graphicsconsoles` },
  });
  const [watchdog] = ctx.tx.list('watchdog', { where: { collection: `${path}/watchdogs` } });
  const dataCenter = findVisible(
    ctx,
    'data_center',
    findClusterDataCenter(ctx, cluster?.id)?.id,
  )?.id;
  const active = snapshots.find(({ snapshot_type: type }) => type === 'active') ?? snapshots[0];
  const word = object.os?.type ?? 'other';
  const system = operatingSystems.find(([, known]) => known === word);
  let devices = 0;
  return writeOvf(
    {
      id: object.id,
      vm: object,
      version: isTemplate ? readVersion(shown) : undefined,
      disks: sources.map((source) => ({
        ...describeDisk(ctx, source, active?.id, dataCenter),
        ...(packed ? { format: packed, sparse: true } : {}),
      })),
      nics: nics.map((nic) => describeNic(ctx, nic)),
      consoles: consoles.flatMap(({ protocol }) => protocol ?? []),
      watchdog,
      snapshots: snapshots.map((snapshot) => ({
        id: snapshot.id ?? '',
        type: (snapshot.snapshot_type ?? 'regular').toUpperCase(),
        description: snapshot.description ?? '',
        created: snapshot.date,
      })),
    },
    {
      clusterName: cluster?.name,
      clusterLevel: cluster?.version && `${cluster.version.major}.${cluster.version.minor}`,
      templateName: findTemplateName(template),
      originalTemplateName: findTemplateName(original),
      version,
      isTemplate,
      exported: packed && ctx.now,
    },
    { number: system?.[0], label: system?.[2] ?? word },
    layout,
    () => {
      devices += 1;
      return namedId('device', object.id ?? '', String(devices));
    },
  );
}

function readVersion({ version: found }: Template): Template['version'] {
  return found;
}

/** An object that a document may name: it exists and its reader may see it. */
function findVisible<
  K extends 'cluster' | 'data_center' | 'network' | 'storage_domain' | 'template',
>(ctx: RuleContext, kind: K, id: string | undefined): Resource<K> | undefined {
  if (id === undefined || ctx.filter?.sees(kind, id) === false) return undefined;
  return ctx.tx.get(kind, id);
}

function describeDisk(
  ctx: RuleContext,
  { disk, image, attachment }: CopySource,
  snapshotId: string | undefined,
  dataCenter: string | undefined,
): OvfDisk {
  const id = disk.id ?? '';
  return {
    id,
    imageId: disk.image_id ?? image,
    provisionedSize: Number(disk.provisioned_size ?? 0),
    actualSize: Number(disk.actual_size ?? 0),
    format: disk.format,
    sparse: disk.sparse,
    alias: disk.alias,
    description: disk.description,
    shareable: disk.shareable,
    wipeAfterDelete: disk.wipe_after_delete,
    incrementalBackup: disk.backup === 'incremental',
    snapshotId,
    storageDomains: (disk.storage_domains ?? []).flatMap(
      ({ id: domain }) => findVisible(ctx, 'storage_domain', domain)?.id ?? [],
    ),
    dataCenter,
    attachment,
  };
}

function describeNic(ctx: RuleContext, nic: Resource<'nic'>): OvfNic {
  const named: Resource<'nic'> = ctx.filter?.shows('nic', nic) ?? nic;
  const profile = ctx.tx.get('vnic_profile', named.vnic_profile?.id ?? '');
  return {
    id: nic.id,
    name: nic.name ?? '',
    interface: nic.interface,
    mac: nic.mac?.address,
    linked: nic.linked ?? true,
    plugged: nic.plugged ?? true,
    network: findVisible(ctx, 'network', profile?.network?.id)?.name,
    profile: profile?.name,
  };
}

/**
 * The parsed document in a request; undefined without one. Refuses an invalid document with 400.
 */
export function readSentOvf({ initialization }: Vm): OvfMachine | undefined {
  const { configuration } = initialization ?? {};
  return configuration?.data ? readConfiguration(configuration.data) : undefined;
}

/** Parses a document. Refuses an invalid one with 400. */
export function readConfiguration(text: string): OvfMachine {
  try {
    return readOvf(text);
  } catch (error) {
    if (!(error instanceof OvfError)) throw error;
    throw new Refusal(400, 'Operation Failed', error.message);
  }
}

/** Completes a new VM from a document. Members in the request have precedence. */
export function configureFromOvf(ctx: RuleContext, vm: Vm, ovf: OvfMachine): void {
  // The document itself is not stored.
  const { configuration: _document, ...initialization } = vm.initialization ?? {};
  if (Object.keys(initialization).length > 0) vm.initialization = initialization;
  else delete vm.initialization;
  const found = knownHere(ctx, ovf.vm);
  inherit(vm, found, Object.keys(found));
  const [console] = ovf.consoles;
  if (console) vm.display = { ...vm.display, type: vm.display?.type ?? console };
  if (ovf.id && !ctx.tx.get('vm', ovf.id)) vm.id = ovf.id;
}

/** Removes references to objects of another site. */
function knownHere(ctx: RuleContext, { lease, placement_policy: policy, ...rest }: Vm): Vm {
  const found: Vm = { ...rest };
  const domain = lease?.storage_domain?.id;
  if (lease && domain && ctx.tx.get('storage_domain', domain)) found.lease = lease;
  if (policy) {
    const { hosts = [], ...others } = policy;
    const here = hosts.filter(({ id }) => ctx.tx.get('host', id ?? '') !== undefined);
    found.placement_policy = { ...others, ...(here.length > 0 ? { hosts: here } : {}) };
  }
  return found;
}

/** The sent memory settings, completed from the document, for the validation of memory. */
export function completeMemory(sent: Vm, ovf: OvfMachine | undefined): Vm {
  if (!ovf?.vm.memory_policy) return sent;
  // Guaranteed memory of the document may contradict a sent memory size.
  if (sent.memory !== undefined) return sent;
  return { ...sent, memory_policy: { ...ovf.vm.memory_policy, ...sent.memory_policy } };
}

/** Creates the devices of a stored new VM, and attaches existing disks. */
export function furnishFromOvf(ctx: RuleContext, vm: Vm, ovf: OvfMachine): void {
  ctx.tx.insert('cdrom', `/vms/${vm.id}/cdroms`, { id: cdromId, vm: { id: vm.id ?? '' } });
  addDevices(ctx, vm, ovf);
  const missing = ovf.disks.filter((disk) => !attachExisting(ctx, vm, disk));
  if (missing.length === 0) {
    ctx.event('VM_MADE_OF_CONFIGURATION', describeVmSubjects(ctx, vm));
    return;
  }
  const names = missing.map(({ alias, id: disk }) => alias ?? disk).join(', ');
  ctx.event('VM_MADE_OF_CONFIGURATION_WITHOUT_DISKS', describeVmSubjects(ctx, vm), {
    DiskAliases: names,
  });
}

/** Creates the NICs, consoles and watchdog of a document. */
export function addDevices(ctx: RuleContext, vm: Vm, ovf: OvfMachine): void {
  const id = vm.id ?? '';
  const belongs = { vm: { id } };
  for (const nic of ovf.nics) addNic(ctx, vm, nic);
  for (const protocol of ovf.consoles) {
    const console = { id: formatConsoleId(protocol), protocol, ...belongs };
    ctx.tx.insert('graphics_console', `/vms/${id}/graphicsconsoles`, console);
  }
  if (ovf.watchdog) {
    const watchdog = { id: ctx.site.newId(), ...ovf.watchdog, ...belongs };
    ctx.tx.insert('watchdog', `/vms/${id}/watchdogs`, watchdog);
  }
}

/** A NIC keeps its address and id if they are unused, and its profile if it exists. */
function addNic(ctx: RuleContext, vm: Vm, nic: OvfNic): void {
  const isFree = nic.mac && ctx.tx.count('nic', { where: { mac_address: nic.mac } }) === 0;
  const profile = findProfile(ctx, vm, nic);
  const known = nic.id && ctx.tx.get('nic', nic.id);
  ctx.tx.insert('nic', `/vms/${vm.id}/nics`, {
    id: nic.id && !known ? nic.id : ctx.site.newId(),
    name: nic.name,
    interface: nic.interface ?? 'virtio',
    linked: nic.linked,
    plugged: nic.plugged,
    mac: { address: isFree ? nic.mac : allocateMac(ctx, vm, 'add') },
    ...(profile ? { vnic_profile: { id: profile } } : {}),
    vm: { id: vm.id ?? '' },
  });
}

/** The profile and network with these names in the data center of the VM. */
function findProfile(ctx: RuleContext, vm: Vm, nic: OvfNic): string | undefined {
  if (!nic.network) return undefined;
  const home = findClusterDataCenter(ctx, vm.cluster?.id)?.id;
  const network = ctx.tx
    .list('network', { where: { name: nic.network } })
    .find((one) => one.data_center?.id === home);
  if (!network) return undefined;
  const profiles = ctx.tx.list('vnic_profile', { where: { network_id: network.id ?? '' } });
  return (profiles.find(({ name }) => name === nic.profile) ?? profiles[0])?.id;
}

function mayAttach(ctx: RuleContext, id: string): boolean {
  return isPermitted(ctx.tx, ctx.caller, 'attach_disk', { kind: 'disk', id });
}

/** Attaches an existing, unused disk. Returns false if that is not possible. */
function attachExisting(ctx: RuleContext, vm: Vm, named: OvfDisk): boolean {
  const disk = ctx.tx.get('disk', named.id);
  if (disk?.status !== 'ok' || !mayAttach(ctx, named.id)) {
    return false;
  }
  const users = listDiskVms(ctx, disk);
  if (users.length > 0 && disk.shareable !== true) return false;
  const domain = findStorageDomain(ctx, disk);
  if (
    domain &&
    findDomainDataCenter(ctx, domain) !== findClusterDataCenter(ctx, vm.cluster?.id)?.id
  ) {
    return false;
  }
  ctx.tx.insert('disk_attachment', `/vms/${vm.id}/diskattachments`, {
    ...named.attachment,
    id: named.id,
    disk: { id: named.id },
    vm: { id: vm.id ?? '' },
  });
  ctx.event('DISK_ATTACHED', { vm }, { DiskAlias: disk.alias });
  return true;
}
