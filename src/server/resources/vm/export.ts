/** Export of VMs and templates: to an export domain, or to a file on a host. */

import type { EventName } from '../../../model/events.ts';
import type { ActionBody, Resource } from '../../../model/resource.ts';
import type { LocatedObject } from '../../core/behavior.ts';
import type { RuleContext } from '../../core/context.ts';
import { defineWork } from '../../core/declared-tasks.ts';
import { resolveMember } from '../../core/input.ts';
import { beginWork } from '../../core/tasks.ts';
import type { ImageCopy, Packing, TransitionData } from '../../core/transition-handlers.ts';
import { copyImages, requireState } from '../../core/transitions.ts';
import { getRecordedCopies, listCopySources } from '../../inventory/disk-transitions.ts';
import {
  requireFreeDisks,
  requireNoBackup,
  requireSettledSnapshots,
} from '../../inventory/snapshot-checks.ts';
import {
  formatContentsPath,
  listPartsBelow,
  type StoredPart,
} from '../../inventory/unregistered.ts';
import {
  describeVmSubjects,
  findClusterDataCenter,
  isRunning,
  moveVm,
} from '../../inventory/vm.ts';
import type { StoredObject } from '../../store/kinds.ts';
import { writeTemplateOvf, writeVmOvf } from './ovf.ts';

type Exported = Resource<'vm'> | Resource<'template'>;
type Kind = 'vm' | 'template';

/** Collection of the disk copies for archives. */
const archivedDisks = '/archiveddisks';

/** Exported objects, and the remaining steps of the export. */
interface Export {
  readonly operation: 'export' | 'export_to_file';
  readonly copies: ImageCopy[];
  /** Target export domain; undefined for an export to a file. */
  readonly domain?: string;
  /** Target archive, for an export to a file. */
  readonly packing?: Packing;
  /** Parameters of its events. */
  readonly words: { readonly StorageDomainName: string } | { readonly ExportPath: string };
}

/**
 * Starts the export of a VM, which is locked while its disks are copied. A running VM continues to
 * run; it can only be exported to a file.
 */
export function exportVm(
  ctx: RuleContext,
  { object: vm }: LocatedObject<'vm'>,
  body: ActionBody,
): undefined {
  const toFile = body['storage_domain'] === undefined && body['host'] !== undefined;
  requireState(ctx, 'vm', vm, toFile ? 'export_to_file' : 'export', {
    action: 'export',
  });
  requireNoBackup(ctx, vm, 'export');
  requireSettledSnapshots(ctx, vm, 'export');
  requireFreeDisks(ctx, vm, 'export');
  const { operation, ...begun } = exportTo(ctx, 'vm', vm, body);
  if (isRunning(vm)) {
    ctx.event('VM_EXPORT_TO_FILE_STARTED', describeVmSubjects(ctx, vm));
    beginWork(ctx, runningExport, `export:${vm.id}`, { vm: vm.id, ...begun });
  } else moveVm(ctx, vm, operation, begun);
  return undefined;
}

/** Name of the copy work for a running VM. */
const runningExport = 'export running vm';

interface RunningExport {
  readonly vm: string;
  readonly copies: readonly ImageCopy[];
  readonly packing: Packing;
  readonly words: { readonly ExportPath: string };
}

export const runningExportWork = defineWork<RunningExport>(runningExport, {
  run(site, { copies, packing }) {
    return copyImages(site, copies, packing);
  },
  done: (ctx, data) => endRunningExport(ctx, data, 'VM_EXPORTED_TO_FILE'),
  failed: (ctx, data) => endRunningExport(ctx, data, 'VM_EXPORT_TO_FILE_FAILED'),
  subject: (ctx, { vm }) => ({
    ...{ task: 'export', type: 'vm', name: ctx.tx.get('vm', vm)?.name ?? vm },
    objects: [{ kind: 'vm', id: vm }],
  }),
});

function endRunningExport(ctx: RuleContext, data: RunningExport, event: EventName): void {
  removeArchivedCopies(ctx, { ...data });
  const { vm: id, words: messageParams } = data;
  const vm = ctx.tx.get('vm', id);
  ctx.event(event, vm ? describeVmSubjects(ctx, vm) : {}, messageParams);
}

/** Removes the disk copies of an archive after its success or failure. */
function removeArchivedCopies(ctx: RuleContext, data: StoredObject | undefined): void {
  for (const { to } of getRecordedCopies(data)) {
    if (!ctx.tx.get('unregistered_disk', to, archivedDisks)) continue;
    ctx.tx.remove('unregistered_disk', to, archivedDisks);
    ctx.afterCommit.push(() => ctx.site.images.remove(to));
  }
}

/** Stores a VM or template in the target. Returns the remaining copies. */
export function exportTo(ctx: RuleContext, kind: Kind, object: Exported, body: ActionBody): Export {
  if (body.storage_domain) return exportToDomain(ctx, kind, object, body);
  return exportToHost(ctx, kind, object, body);
}

function exportToDomain(ctx: RuleContext, kind: Kind, object: Exported, body: ActionBody): Export {
  const action = 'export';
  const id = resolveMember(ctx.tx, 'storage_domain', body.storage_domain ?? {});
  const domain = ctx.tx.get('storage_domain', id);
  if (domain?.type !== 'export') {
    ctx.refuse('STORAGE_DOMAIN_TYPE_ILLEGAL', {
      action,
      type: kind === 'vm' ? 'VM' : 'Template',
      name: domain?.name,
      domainType: domain?.type,
    });
  }
  const attached = ctx.tx.find('attached_storage_domain', { id });
  if (attached?.status !== 'active') {
    ctx.refuse('STORAGE_DOMAIN_STATUS_ILLEGAL', {
      action,
      status: attached?.status ?? 'unattached',
    });
  }
  if (attached.data_center?.id !== findClusterDataCenter(ctx, object.cluster?.id)?.id) {
    ctx.refuse('EXPORT_TO_OTHER_DATA_CENTER', { action, name: domain.name });
  }
  const collection = formatContentsPath(id, `${kind}s`);
  const as = kind === 'vm' ? 'domain_vm' : 'domain_template';
  if (ctx.tx.get(as, object.id ?? '', collection)) {
    if (body['exclusive'] !== true) ctx.refuse('EXPORTED_ALREADY', { action, name: object.name });
    ctx.tx.remove(as, object.id ?? '', collection);
  }
  const places = { collection, disks: formatContentsPath(id, 'disks'), domain: id };
  return {
    operation: 'export',
    copies: storeExported(ctx, kind, object, places),
    domain: id,
    words: { StorageDomainName: domain.name ?? id },
  };
}

/** Removes an exported object whose disks could not be copied. */
export function dropExported(
  ctx: RuleContext,
  kind: Kind,
  id: string,
  data: TransitionData | undefined,
): void {
  const domain = String(data?.['domain'] ?? '');
  const as = kind === 'vm' ? 'domain_vm' : 'domain_template';
  const [collection, disks] = [
    formatContentsPath(domain, `${kind}s`),
    formatContentsPath(domain, 'disks'),
  ];
  if (ctx.tx.get(as, id, collection)) ctx.tx.remove(as, id, collection);
  for (const { to } of getRecordedCopies(data)) {
    if (ctx.tx.get('unregistered_disk', to, disks)) ctx.tx.remove('unregistered_disk', to, disks);
    ctx.afterCommit.push(() => ctx.site.images.remove(to));
  }
}

function exportToHost(ctx: RuleContext, kind: Kind, object: Exported, body: ActionBody): Export {
  const id = resolveMember(ctx.tx, 'host', body.host ?? {});
  const host = ctx.tx.get('host', id);
  if (host?.status !== 'up') {
    ctx.refuse('HOST_STATUS_ILLEGAL', { action: 'export to', status: host?.status });
  }
  const directory = body['directory'];
  if (typeof directory !== 'string' || !directory.startsWith('/')) {
    ctx.refuse('EXPORT_DIRECTORY_INVALID', {
      action: 'export',
      directory: String(directory ?? ''),
    });
  }
  const file = typeof body['filename'] === 'string' ? body['filename'] : `${object.name}.ova`;
  const path = `${directory.replace(/\/$/, '')}/${file}`;
  // A running VM keeps running: the archive contains copies of its current disks.
  const stored: StoredObject = object;
  const isCopied = kind === 'vm' && isRunning(stored);
  const sources = listCopySources(ctx, { kind, id: object.id ?? '' });
  const packed = sources.map(({ disk }) => ({
    disk,
    copy: isCopied ? archivedCopy(ctx, disk) : (disk.id ?? ''),
  }));
  const document =
    kind === 'vm'
      ? writeVmOvf(ctx, stored, 'ova', 'cow')
      : writeTemplateOvf(ctx, stored, 'ova', 'cow');
  return {
    operation: 'export_to_file',
    copies: isCopied ? packed.map(({ disk, copy }) => ({ from: disk.id ?? '', to: copy })) : [],
    packing: {
      archive: { host: host.name ?? id, path },
      document,
      disks: packed.map(({ disk, copy }) => ({
        image: copy,
        member: disk.image_id ?? '',
        form: {
          from: disk.format ?? 'raw',
          to: 'cow',
          size: Number(disk.provisioned_size ?? 0),
          whole: true,
        },
      })),
    },
    words: { ExportPath: `${host.name}:${path}` },
  };
}

/** Stores a disk copy for an archive, removed after the archive is written. */
function archivedCopy(ctx: RuleContext, disk: Resource<'disk'>): string {
  const id = ctx.site.newId();
  const { template: _template, vm: _vm, ...rest } = disk;
  ctx.tx.insert('unregistered_disk', archivedDisks, { ...rest, id, storage_domains: [] });
  return id;
}

interface ExportTarget {
  readonly collection: string;
  readonly disks: string;
  readonly domain: string;
}

/** Stores the exported form, whose disks have new ids. */
function storeExported(
  ctx: RuleContext,
  kind: Kind,
  object: Exported,
  places: ExportTarget,
): ImageCopy[] {
  const path = `/${kind}s/${object.id}`;
  const ids = new Map<string, string>();
  for (const { disk } of listCopySources(ctx, { kind, id: object.id ?? '' })) {
    const id = ctx.site.newId();
    ids.set(disk.id ?? '', id);
    const { template: _template, vm: _vm, ...rest } = disk;
    ctx.tx.insert('unregistered_disk', places.disks, {
      ...rest,
      id,
      image_id: id,
      storage_domains: [{ id: places.domain }],
    });
  }
  const parts = listPartsBelow(ctx, path)
    .filter((part) => !part.collection.includes('/snapshots'))
    .flatMap((part) => exportPart(part, ids));
  const { host: _host, ...rest }: StoredObject = object;
  const exported: StoredObject = { ...rest, status: kind === 'vm' ? 'down' : 'ok', parts };
  const as = kind === 'vm' ? 'domain_vm' : 'domain_template';
  ctx.tx.insert(as, places.collection, exported);
  return [...ids].map(([from, to]) => ({ from, to }));
}

/** A part of the exported form: attachments refer to the copies. Omits parts without a copy. */
function exportPart(part: StoredPart, ids: ReadonlyMap<string, string>): StoredPart[] {
  if (part.kind === 'snapshot') return [];
  if (part.kind !== 'disk_attachment') return [part];
  const id = ids.get(String(part.object['id']));
  return id ? [{ ...part, object: { ...part.object, id, disk: { id } } }] : [];
}
