/** Actions of disks: copy, move, export, sparsify, reduce and extend. */

import type { ActionBody, Resource } from '../../../model/resource.ts';
import type { Action } from '../../core/behavior.ts';
import type { RuleContext } from '../../core/context.ts';
import { resolveMember, resolveReferenceId, resolveReferences } from '../../core/input.ts';
import type { TransitionOf } from '../../core/transition-handlers.ts';
import { requireState } from '../../core/transitions.ts';
import {
  checkFormat,
  findDomainDataCenter,
  findStorageDomain,
  getDiskParams,
  growImage,
  hasSnapshots,
  listDiskTemplates,
  listDiskVms,
  listPluggedVms,
  moveDisk,
  requireActiveDomain,
  requireDiskSize,
  requireSpace,
  settleOwners,
} from '../../inventory/disk.ts';
import type { DiskMove } from '../../inventory/disk-transitions.ts';
import { completeUnit, listLogicalUnits } from '../../inventory/logical-unit.ts';
import { chargeStorage } from '../../inventory/quota.ts';
import { registeredAlready } from '../../inventory/register.ts';
import { isBlock } from '../../inventory/storage-space.ts';
import type { StoredObject } from '../../store/kinds.ts';

type Disk = Resource<'disk'>;
type Domain = Resource<'storage_domain'>;

/** VM states in which the disks can be moved. */
const movable = new Set(['down', 'up', 'paused']);

export const diskActions = {
  register: registeredAlready.register,

  copy(ctx, { object: disk, ref }, body) {
    requireImage(ctx, disk, 'copy');
    const domain = requireTarget(ctx, disk, body, 'copy');
    if (listDiskTemplates(ctx, disk).length > 0) return copyToDomain(ctx, disk, ref, domain);
    const id = ctx.site.newId();
    const { alias, name } = body['disk'] ?? {};
    const copy: Disk = {
      ...withoutHistory(disk),
      id,
      alias: alias ?? name ?? disk.alias ?? id,
      image_id: ctx.site.newId(),
      storage_domains: [{ id: domain.id ?? '' }],
      ...resolveOwners(ctx, body),
      status: 'locked',
      actual_size: 0,
      total_size: 0,
    };
    copy.name = copy.alias ?? id;
    fitTo(ctx, copy, domain, 'copy');
    settleOwners(ctx, copy, domain, 'copy');
    // Engines give a copy no profile unless the request has one.
    if (ctx.site.dialect.engineAnswers && !body['disk_profile']) delete copy.disk_profile;
    ctx.tx.insert('disk', '/disks', copy);
    begin(ctx, disk, ref, 'copy', {
      domain: domain.id ?? '',
      target: id,
      words: describeTarget(domain),
    });
    return undefined;
  },

  move(ctx, { object: disk, ref }, body) {
    requireImage(ctx, disk, 'move');
    const [template] = listDiskTemplates(ctx, disk);
    if (template) ctx.refuse('DISK_OF_TEMPLATE', { action: 'move', name: template.name });
    const domain = requireTarget(ctx, disk, body, 'move');
    const stuck = listPluggedVms(ctx, disk).find(({ status }) => !movable.has(status ?? ''));
    if (stuck)
      ctx.refuse('VM_STATUS_ILLEGAL', { action: 'move the disk of', status: stuck.status });
    if (disk.shareable && disk.sparse && isBlock(domain)) {
      ctx.refuse('DISK_NOT_SHAREABLE', { action: 'move' });
    }
    const moved: Disk = { ...disk, ...resolveOwners(ctx, body) };
    if (!body['disk_profile']) delete moved.disk_profile;
    if (
      findDomainDataCenter(ctx, domain) !==
      findDomainDataCenter(ctx, findStorageDomain(ctx, disk) ?? {})
    ) {
      ctx.refuse('DOMAIN_IN_OTHER_DATA_CENTER', { action: 'move', name: domain.name });
    }
    fitTo(ctx, moved, domain, 'move');
    settleOwners(ctx, moved, domain, 'move');
    const { sparse, disk_profile: profile, quota } = moved;
    const changes: Disk = {
      ...(sparse === undefined ? {} : { sparse }),
      ...(profile ? { disk_profile: profile } : {}),
      ...(quota ? { quota } : {}),
    };
    begin(ctx, disk, ref, 'move', {
      domain: domain.id ?? '',
      changes,
      words: describeTarget(domain),
    });
    return undefined;
  },

  export(ctx, { object: disk, ref }, body) {
    requireImage(ctx, disk, 'export');
    const id = resolveMember(ctx.tx, 'storage_domain', body.storage_domain ?? {});
    const domain = ctx.tx.get('storage_domain', id) ?? {};
    if (domain.type !== 'image') {
      ctx.refuse('STORAGE_DOMAIN_TYPE_ILLEGAL', {
        action: 'export',
        type: 'Virtual Disk',
        name: domain.name,
        domainType: domain.type,
      });
    }
    if (hasSnapshots(ctx, disk)) ctx.refuse('DISK_HAS_SNAPSHOTS', { action: 'export' });
    requireUnplugged(ctx, disk, 'export');
    const target = ctx.site.newId();
    begin(ctx, disk, ref, 'export', { domain: id, target, words: describeTarget(domain) });
    return undefined;
  },

  sparsify(ctx, { object: disk, ref }) {
    requireImage(ctx, disk, 'sparsify');
    if (disk.sparse === false) ctx.refuse('DISK_PREALLOCATED', { action: 'sparsify' });
    if (disk.format === 'cow' && ctx.site.dialect.engineRefusals) {
      ctx.refuse('DISK_NOT_SPARSIFIABLE', { action: 'sparsify' });
    }
    if (hasSnapshots(ctx, disk)) ctx.refuse('DISK_HAS_SNAPSHOTS', { action: 'sparsify' });
    requireUnplugged(ctx, disk, 'sparsify');
    begin(ctx, disk, ref, 'sparsify');
    return undefined;
  },

  convert(ctx, { object: disk, ref }, body) {
    requireImage(ctx, disk, 'convert');
    // An omitted attribute keeps its value; `fitTo` checks the combination.
    const sent = body['disk'] ?? {};
    const changes: Disk = {
      format: sent.format ?? disk.format ?? 'raw',
      sparse: sent.sparse ?? disk.sparse ?? true,
      ...(sent.backup ? { backup: sent.backup } : {}),
    };
    if (hasSnapshots(ctx, disk)) ctx.refuse('DISK_HAS_SNAPSHOTS', { action: 'convert' });
    const [template] = listDiskTemplates(ctx, disk);
    if (template) ctx.refuse('DISK_OF_TEMPLATE', { action: 'convert', name: template.name });
    requireUnplugged(ctx, disk, 'convert');
    const domain = findStorageDomain(ctx, disk);
    if (domain) {
      checkFormat(ctx, { ...disk, ...changes }, domain, 'convert');
      requireSpace(ctx, { ...disk, ...changes }, domain, 'convert');
    }
    begin(ctx, disk, ref, 'convert', { changes });
    return undefined;
  },

  reduce(ctx, { object: disk, ref }) {
    requireImage(ctx, disk, 'reduce');
    const domain = findStorageDomain(ctx, disk);
    if (!domain || !isBlock(domain) || disk.format !== 'cow') {
      ctx.refuse('DISK_NOT_REDUCIBLE', { action: 'reduce' });
    }
    requireUnplugged(ctx, disk, 'reduce');
    begin(ctx, disk, ref, 'reduce');
    return undefined;
  },

  refresh_lun(ctx, { object: disk }, body) {
    if (disk.storage_type !== 'lun') ctx.refuse('DISK_NOT_A_UNIT', { action: 'refresh' });
    const id = resolveReferenceId(ctx.tx, 'host', body.host);
    const host = id ? ctx.tx.get('host', id) : undefined;
    if (host && host.status !== 'up') {
      ctx.refuse('HOST_STATUS_ILLEGAL', { action: 'use', status: host.status });
    }
    const units = listLogicalUnits(disk.lun_storage).map((unit) =>
      completeUnit(unit.id ?? '', unit),
    );
    ctx.tx.update('disk', { ...disk, lun_storage: { ...disk.lun_storage, logical_units: units } });
    ctx.event('DISK_UNIT_REFRESHED', host ? { host } : {}, { DiskAlias: disk.alias });
    return undefined;
  },
} satisfies Readonly<Record<string, Action<'disk'>>>;

/** Starts the extension of a disk to a size in bytes. */
export function startExtendDisk(
  ctx: RuleContext,
  disk: Disk,
  size: number | bigint,
  changes: Disk = {},
): void {
  const present = disk.provisioned_size ?? 0;
  if (size < present) ctx.refuse('DISK_SIZE_TOO_SMALL', { action: 'extend', size, present });
  const attachments = listDiskVms(ctx, disk);
  const readOnly = attachments.find(({ attachment }) => attachment.read_only);
  if (readOnly) ctx.refuse('DISK_IS_READ_ONLY', { action: 'extend', vm: readOnly.vm.name });
  const stuck = attachments.find(({ vm }) => vm.status !== 'down' && vm.status !== 'up');
  if (stuck)
    ctx.refuse('VM_STATUS_ILLEGAL', { action: 'extend the disk of', status: stuck.vm.status });
  const domain = findStorageDomain(ctx, disk);
  if (domain) requireDiskSize(ctx, size, domain, 'extend');
  const more = Number(size) - Number(present);
  if (domain && disk.sparse === false) {
    requireSpace(ctx, { ...disk, provisioned_size: more }, domain, 'extend');
  }
  chargeStorage(ctx, disk.quota?.id, domain?.id ?? '', more, 'extend');
  const messageParams = { NewSize: Math.round(Number(size) / 2 ** 30) };
  growImage(ctx, disk, Number(size));
  const data: DiskMove = { changes: { ...changes, provisioned_size: size }, words: messageParams };
  moveDisk(ctx, { collection: '/disks' }, { ...disk, ...changes }, 'extend', { ...data });
}

/** Copies a disk of a template to an additional domain, where it has the same id. */
function copyToDomain(
  ctx: RuleContext,
  disk: Disk,
  ref: { collection: string },
  domain: Domain,
): undefined {
  if (disk.storage_domains?.some(({ id }) => id === domain.id)) {
    ctx.refuse('DISK_IS_THERE', { action: 'copy', name: domain.name });
  }
  requireSpace(ctx, disk, domain, 'copy');
  begin(ctx, disk, ref, 'copy', { domain: domain.id ?? '', words: describeTarget(domain) });
  return undefined;
}

function begin(
  ctx: RuleContext,
  disk: Disk,
  ref: { collection: string },
  operation: TransitionOf<'disk'>,
  data: DiskMove = {},
): void {
  moveDisk(ctx, ref, disk, operation, { ...data });
}

/** The target domain of an action: another active data domain. */
function requireTarget(ctx: RuleContext, disk: Disk, body: ActionBody, action: string): Domain {
  const id = resolveMember(ctx.tx, 'storage_domain', body.storage_domain ?? {});
  const domain = ctx.tx.get('storage_domain', id) ?? {};
  const there = disk.storage_domains?.some((one) => one.id === id);
  if (action === 'move' && there) {
    ctx.refuse('DISK_IS_THERE', { action, name: domain.name });
  }
  requireActiveDomain(ctx, domain, action, 'Virtual Disk');
  return domain;
}

/** Disk profile and quota in an action. */
function resolveOwners(ctx: RuleContext, body: ActionBody): Disk {
  const { disk_profile, quota } = body;
  const owners: Disk = { ...(disk_profile ? { disk_profile } : {}), ...(quota ? { quota } : {}) };
  resolveReferences(ctx.tx, 'disk', owners);
  return owners;
}

/** Preallocates a raw disk on block storage, which does not support sparse raw disks. */
function fitTo(ctx: RuleContext, disk: Disk, domain: Domain, action: string): void {
  if (isBlock(domain) && disk.format === 'raw') disk.sparse = false;
  checkFormat(ctx, disk, domain, action);
  requireSpace(ctx, disk, domain, action);
}

/** A disk without the members that a copy does not inherit. */
function withoutHistory(disk: Disk): Disk {
  const { quota: _q, disk_profile: _p, snapshot: _s, image_id: _i, ...rest } = disk;
  return rest;
}

/** Refuses logical units, and disks that are locked or illegal. */
function requireImage(ctx: RuleContext, disk: Disk, action: TransitionOf<'disk'>): void {
  if (disk.storage_type === 'lun') ctx.refuse('DISK_IS_A_UNIT', { action });
  requireState(ctx, 'disk', disk, action, getDiskParams(disk));
}

function requireUnplugged(ctx: RuleContext, disk: Disk, action: string): void {
  const vms = listPluggedVms(ctx, disk);
  if (vms.length === 0) return;
  ctx.refuse('DISK_IS_IN_USE', { action, names: vms.map(({ name }) => name).join(', ') });
}

function describeTarget(domain: Domain): StoredObject {
  return { StorageDomainName: domain.name ?? '' };
}
