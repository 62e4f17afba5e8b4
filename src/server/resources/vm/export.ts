/** Export of machines and templates: to an export domain, or into a file on a host. */

import type { EventName } from '../../../model/events.ts';
import type { ActionBody, Resource } from '../../../model/resource.ts';
import type { Addressed } from '../../core/behavior.ts';
import type { RuleContext } from '../../core/context.ts';
import { defineWork } from '../../core/declared-tasks.ts';
import { resolveMember } from '../../core/input.ts';
import { beginWork } from '../../core/tasks.ts';
import type { ImageCopy, Packing, TransitionData } from '../../core/transition-handlers.ts';
import { copyImages, requireState } from '../../core/transitions.ts';
import { notedCopies, sourcesOf } from '../../inventory/disk-transitions.ts';
import {
  requireFreeDisks,
  requireNoBackup,
  requireSettledSnapshots,
} from '../../inventory/snapshot-checks.ts';
import { contentsOf, type Part, partsBelow } from '../../inventory/unregistered.ts';
import { dataCenterOfCluster, isRunning, moveVm, subjects } from '../../inventory/vm.ts';
import type { StoredObject } from '../../store/kinds.ts';
import { ovfOfTemplate, ovfOfVm } from './ovf.ts';

type Exported = Resource<'vm'> | Resource<'template'>;
type Kind = 'vm' | 'template';

/** Path of the copies of disks that go into archives. */
const archivedDisks = '/archiveddisks';

/** What is exported, and how the export goes on. */
interface Export {
  readonly operation: 'export' | 'export_to_file';
  readonly copies: ImageCopy[];
  /** The export domain, if it is one. */
  readonly domain?: string;
  /** The archive that is written, where it is one. */
  readonly packing?: Packing;
  /** Words of its events. */
  readonly words: { readonly StorageDomainName: string } | { readonly ExportPath: string };
}

/**
 * Begins the export of a machine, which is locked while its disks are copied. One that runs goes on
 * running; it can be exported to a file alone.
 */
export function exportVm(
  ctx: RuleContext,
  { object: vm }: Addressed<'vm'>,
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
    ctx.event('VM_EXPORT_TO_FILE_STARTED', subjects(ctx, vm));
    beginWork(ctx, runningExport, `export:${vm.id}`, { vm: vm.id, ...begun });
  } else moveVm(ctx, vm, operation, begun);
  return undefined;
}

/** The copying of the disks of a machine that runs meanwhile. */
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
  ctx.event(event, vm ? subjects(ctx, vm) : {}, messageParams);
}

/** Removes the copies that an archive was written from, when it is there or has failed. */
function removeArchivedCopies(ctx: RuleContext, data: StoredObject | undefined): void {
  for (const { to } of notedCopies(data)) {
    if (!ctx.tx.get('unregistered_disk', to, archivedDisks)) continue;
    ctx.tx.remove('unregistered_disk', to, archivedDisks);
    ctx.afterCommit.push(() => ctx.site.images.remove(to));
  }
}

/** Notes a machine or template at its new place; returns what is to be copied there. */
export function exportTo(ctx: RuleContext, kind: Kind, object: Exported, body: ActionBody): Export {
  if (body.storage_domain) return toDomain(ctx, kind, object, body);
  return toHost(ctx, kind, object, body);
}

function toDomain(ctx: RuleContext, kind: Kind, object: Exported, body: ActionBody): Export {
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
  if (attached.data_center?.id !== dataCenterOfCluster(ctx, object.cluster?.id)?.id) {
    ctx.refuse('EXPORT_TO_OTHER_DATA_CENTER', { action, name: domain.name });
  }
  const collection = contentsOf(id, `${kind}s`);
  const as = kind === 'vm' ? 'domain_vm' : 'domain_template';
  if (ctx.tx.get(as, object.id ?? '', collection)) {
    if (body['exclusive'] !== true) ctx.refuse('EXPORTED_ALREADY', { action, name: object.name });
    ctx.tx.remove(as, object.id ?? '', collection);
  }
  const places = { collection, disks: contentsOf(id, 'disks'), domain: id };
  return {
    operation: 'export',
    copies: put(ctx, kind, object, places),
    domain: id,
    words: { StorageDomainName: domain.name ?? id },
  };
}

/** Removes a copy on an export domain whose disks could not be copied. */
export function dropExported(
  ctx: RuleContext,
  kind: Kind,
  id: string,
  data: TransitionData | undefined,
): void {
  const domain = String(data?.['domain'] ?? '');
  const as = kind === 'vm' ? 'domain_vm' : 'domain_template';
  const [collection, disks] = [contentsOf(domain, `${kind}s`), contentsOf(domain, 'disks')];
  if (ctx.tx.get(as, id, collection)) ctx.tx.remove(as, id, collection);
  for (const { to } of notedCopies(data)) {
    if (ctx.tx.get('unregistered_disk', to, disks)) ctx.tx.remove('unregistered_disk', to, disks);
    ctx.afterCommit.push(() => ctx.site.images.remove(to));
  }
}

function toHost(ctx: RuleContext, kind: Kind, object: Exported, body: ActionBody): Export {
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
  // A machine that runs goes on: what is packed are its disks as they are now.
  const stored: StoredObject = object;
  const isCopied = kind === 'vm' && isRunning(stored);
  const sources = sourcesOf(ctx, { kind, id: object.id ?? '' });
  const packed = sources.map(({ disk }) => ({
    disk,
    copy: isCopied ? archivedCopy(ctx, disk) : (disk.id ?? ''),
  }));
  const document =
    kind === 'vm' ? ovfOfVm(ctx, stored, 'ova', 'cow') : ovfOfTemplate(ctx, stored, 'ova', 'cow');
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

/** Notes a copy of a disk that goes into an archive; it is removed when that is written. */
function archivedCopy(ctx: RuleContext, disk: Resource<'disk'>): string {
  const id = ctx.site.newId();
  const { template: _template, vm: _vm, ...rest } = disk;
  ctx.tx.insert('unregistered_disk', archivedDisks, { ...rest, id, storage_domains: [] });
  return id;
}

interface Places {
  readonly collection: string;
  readonly disks: string;
  readonly domain: string;
}

/** Stores the exported form, with disks of new ids. */
function put(ctx: RuleContext, kind: Kind, object: Exported, places: Places): ImageCopy[] {
  const path = `/${kind}s/${object.id}`;
  const ids = new Map<string, string>();
  for (const { disk } of sourcesOf(ctx, { kind, id: object.id ?? '' })) {
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
  const parts = partsBelow(ctx, path)
    .filter((part) => !part.collection.includes('/snapshots'))
    .flatMap((part) => retold(part, ids));
  const { host: _host, ...rest }: StoredObject = object;
  const exported: StoredObject = { ...rest, status: kind === 'vm' ? 'down' : 'ok', parts };
  const as = kind === 'vm' ? 'domain_vm' : 'domain_template';
  ctx.tx.insert(as, places.collection, exported);
  return [...ids].map(([from, to]) => ({ from, to }));
}

/** A part of the exported form: attachments name the copies; what was not copied stays behind. */
function retold(part: Part, ids: ReadonlyMap<string, string>): Part[] {
  if (part.kind === 'snapshot') return [];
  if (part.kind !== 'disk_attachment') return [part];
  const id = ids.get(String(part.object['id']));
  return id ? [{ ...part, object: { ...part.object, id, disk: { id } } }] : [];
}
