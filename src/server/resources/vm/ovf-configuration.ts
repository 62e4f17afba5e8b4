/** The configuration of machines, templates and snapshots as OVF documents. */
import type { Resource } from '../../../model/resource.ts';
import type { RuleContext } from '../../core/context.ts';
import { namedId } from '../../core/digest.ts';
import type { LayoutName } from '../../ovf/layout.ts';
import type { OvfDisk, OvfNic } from '../../ovf/machine.ts';
import { writeOvf } from '../../ovf/write.ts';
import { operatingSystems } from '../../seed/data/operating-systems.ts';
import type { StoredObject } from '../../store/document.ts';
import type { Source } from '../disk/copies.ts';
import { snapshotSources } from '../snapshot/images.ts';
import { attachmentsOf, dataCenterOfCluster, nicsOf, snapshotsOf, type Vm } from './vm.ts';

type Template = Resource<'template'>;
type Snapshot = Resource<'snapshot'>;

/** Version of the service that a document names; readers look at its beginning. */
const version = '4.5.0.0';

/** What a document is about: an object, with what belongs to it. */
interface Subject {
  readonly object: Vm | Template;
  /** Path of its devices. */
  readonly path: string;
  readonly sources: readonly Source[];
  readonly nics: readonly Resource<'nic'>[];
  readonly snapshots: readonly Snapshot[];
  readonly isTemplate: boolean;
  readonly packed?: OvfDisk['format'] | undefined;
}

/**
 * The document of a machine, with all that belongs to it now. With `packed` the disks have that form,
 * whichever they have now.
 */
export function ovfOfVm(
  ctx: RuleContext,
  vm: Vm,
  layout: LayoutName,
  packed?: OvfDisk['format'],
): string {
  return ovfOf(ctx, layout, {
    object: vm,
    path: `/vms/${vm.id}`,
    sources: imagesAttached(ctx, attachmentsOf(ctx, vm)),
    nics: nicsOf(ctx, vm),
    snapshots: layout === 'ovf' ? snapshotsOf(ctx, vm) : [],
    isTemplate: false,
    packed,
  });
}

export function ovfOfTemplate(
  ctx: RuleContext,
  template: Template,
  layout: LayoutName,
  packed?: OvfDisk['format'],
): string {
  const path = `/templates/${template.id}`;
  return ovfOf(ctx, layout, {
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

/** The document of a machine as a snapshot keeps it: its disks are the images of the snapshot. */
export function ovfOfSnapshot(ctx: RuleContext, snapshot: Snapshot, vm: Vm): string {
  const collection = `/vms/${vm.id}/snapshots/${snapshot.id}/nics`;
  return ovfOf(ctx, 'ovf', {
    object: vm,
    path: `/vms/${vm.id}`,
    sources: snapshotSources(ctx, snapshot.id ?? ''),
    nics: ctx.tx.list('snapshot_nic', { where: { collection } }),
    snapshots: [snapshot],
    isTemplate: false,
  });
}

function imagesAttached(
  ctx: RuleContext,
  attachments: readonly Resource<'disk_attachment'>[],
): Source[] {
  return attachments.flatMap((attachment) => {
    const disk = ctx.tx.get('disk', attachment.id ?? '');
    if (!disk?.id || disk.storage_type === 'lun') return [];
    return [{ disk, image: disk.id, attachment }];
  });
}

function ovfOf(ctx: RuleContext, layout: LayoutName, subject: Subject): string {
  const { path, sources, nics, snapshots, isTemplate, packed } = subject;
  // A document names nothing that its reader does not see.
  const type = isTemplate ? 'template' : 'vm';
  const shown = ctx.sight?.shows(type, subject.object as StoredObject) ?? subject.object;
  const object = shown as Vm | Template;
  const cluster = visible(ctx, 'cluster', object.cluster?.id);
  const { template, original_template: original } = object as Vm;
  const nameOf = (one: { id?: string } | undefined) => visible(ctx, 'template', one?.id)?.name;
  const consoles = ctx.tx.list('graphics_console', {
    where: { collection: `${path}/graphicsconsoles` },
  });
  const [watchdog] = ctx.tx.list('watchdog', { where: { collection: `${path}/watchdogs` } });
  const dataCenter = visible(ctx, 'data_center', dataCenterOfCluster(ctx, cluster?.id)?.id)?.id;
  const active = snapshots.find(({ snapshot_type: type }) => type === 'active') ?? snapshots[0];
  const word = object.os?.type ?? 'other';
  const system = operatingSystems.find(([, known]) => known === word);
  let devices = 0;
  return writeOvf(
    {
      id: object.id,
      vm: object as Vm,
      disks: sources.map((source) => ({
        ...diskOf(ctx, source, active?.id, dataCenter),
        ...(packed ? { format: packed, sparse: true } : {}),
      })),
      nics: nics.map((nic) => nicOf(ctx, nic)),
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
      templateName: nameOf(template),
      originalTemplateName: nameOf(original),
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

/** An object that a document may name: it is there, and its reader sees it. */
function visible<K extends 'cluster' | 'data_center' | 'network' | 'storage_domain' | 'template'>(
  ctx: RuleContext,
  kind: K,
  id: string | undefined,
): Resource<K> | undefined {
  if (id === undefined || ctx.sight?.sees(kind, id) === false) return undefined;
  return ctx.tx.get(kind, id) as Resource<K> | undefined;
}

function diskOf(
  ctx: RuleContext,
  { disk, image, attachment }: Source,
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
      ({ id: domain }) => visible(ctx, 'storage_domain', domain)?.id ?? [],
    ),
    dataCenter,
    attachment,
  };
}

function nicOf(ctx: RuleContext, nic: Resource<'nic'>): OvfNic {
  const named = (ctx.sight?.shows('nic', nic as StoredObject) ?? nic) as Resource<'nic'>;
  const profile = ctx.tx.get('vnic_profile', named.vnic_profile?.id ?? '');
  return {
    id: nic.id,
    name: nic.name ?? '',
    interface: nic.interface,
    mac: nic.mac?.address,
    linked: nic.linked ?? true,
    plugged: nic.plugged ?? true,
    network: visible(ctx, 'network', profile?.network?.id)?.name,
    profile: profile?.name,
  };
}
