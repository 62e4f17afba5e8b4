/** Storage domains: creation, import, update, space and logical units. */

import type { Resource } from '../../../model/resource.ts';
import { defineBehavior } from '../../core/behavior.ts';
import type { RuleContext } from '../../core/context.ts';
import { requireAll, resolveReferenceId } from '../../core/input.ts';
import type { Parameters } from '../../core/parameters.ts';
import {
  listAttachedDomains,
  listHostsUp,
  refreshDataCenter,
} from '../../inventory/data-center.ts';
import { grantToEveryone } from '../../inventory/grants.ts';
import {
  type LogicalUnit,
  listLogicalUnits,
  readSentUnits,
  requireFree,
  sumUnitSizes,
} from '../../inventory/logical-unit.ts';
import {
  connect,
  findSameConnection,
  listUsingDomains,
  readConnectionStorage,
  splitPath,
} from '../../inventory/storage-connections.ts';
import { isBlock, showSpace, showStorage, simulatedSize } from '../../inventory/storage-space.ts';
import { getValueAt, type StoredObject } from '../../store/kinds.ts';
import { attachDomain } from './attached-domain.ts';
import { checkConnection, checkRelisted } from './connection.ts';
import {
  clearRemovedDomain,
  domainActions,
  extendDomain,
  findRemovedDomain,
  removeDomain,
} from './domain-actions.ts';
import { getNewestFormat } from './domain-preconditions.ts';
import { readFiles } from './file.ts';
import { findNextMaster, moveMaster } from './master.ts';
import { updateOvfStore } from './ovf-store.ts';
import { requireUnused } from './shared.ts';

type Domain = Resource<'storage_domain'>;

/** Replaces the id of a stored connection with its details. */
function fromConnection(ctx: RuleContext, domain: Domain): void {
  const id = domain.storage?.id;
  const connection = id ? ctx.tx.get('storage_connection', id) : undefined;
  if (connection) domain.storage = { ...domain.storage, ...readConnectionStorage(connection) };
}

/** Resolves the storage, and refuses one that another domain uses. */
function chooseStorage(ctx: RuleContext, domain: Domain): void {
  const storage = domain.storage ?? {};
  if (!isBlock(domain)) {
    const connection = findSameConnection(ctx, storage);
    const [user] = connection?.id ? listUsingDomains(ctx, connection.id) : [];
    if (user) ctx.refuse('DOMAIN_EXISTS', { action: 'add', name: user.name });
    domain.available = simulatedSize;
    return;
  }
  if (domain.type === 'managed_block_storage') return;
  const units = readSentUnits(listLogicalUnits(storage));
  if (units.length === 0) ctx.refuse('DOMAIN_WITHOUT_UNITS', { action: 'add' });
  requireFree(ctx, units, 'add');
  setUnits(ctx, domain, units);
}

function setUnits(ctx: RuleContext, domain: Domain, units: readonly LogicalUnit[]): void {
  const { type } = domain.storage ?? {};
  domain.storage = {
    ...(type ? { type } : {}),
    volume_group: { id: ctx.site.newId(), logical_units: [...units] },
  };
  domain.available = sumUnitSizes(units);
}

/** Restores an existing domain with its old id and its unregistered contents. */
function importKnown(ctx: RuleContext, domain: Domain, sent: StoredObject): void {
  const id = sent['id'];
  if (typeof id === 'string' && ctx.tx.get('storage_domain', id)) {
    const known = ctx.tx.get('storage_domain', id);
    ctx.refuse('DOMAIN_EXISTS', { action: 'import', name: known?.name });
  }
  const isMeant = (one: Domain) => one.id === id || sameStorage(one, domain);
  requireUnused(ctx, isMeant, 'import');
  const found = findRemovedDomain(ctx, isMeant);
  if (!found?.id) {
    if (typeof id === 'string' && /^[0-9a-f-]{36}$/.test(id)) domain.id = id;
    return;
  }
  clearRemovedDomain(ctx, found.id);
  const { storage_format: format, type, name, storage } = found;
  // The request has the current address of the storage.
  const reached = { ...domain.storage, ...storage };
  Object.assign(domain, { id: found.id, storage: reached, storage_format: format, type });
  domain.name ??= name ?? found.id;
}

/** Refuses a new domain on storage that already contains one. */
function requireEmpty(ctx: RuleContext, domain: Domain): void {
  requireUnused(ctx, (one) => sameStorage(one, domain), 'add');
}

function sameStorage(a: Domain, b: Domain): boolean {
  const [units, others] = [listLogicalUnits(a.storage), listLogicalUnits(b.storage)];
  if (units.length > 0) return units.some(({ id }) => others.some((other) => other.id === id));
  const { type, address, path } = a.storage ?? {};
  return type === b.storage?.type && address === b.storage?.address && path === b.storage?.path;
}

/** Completes a new domain. Refuses a format that its host does not support. */
function fillDomain(
  ctx: RuleContext,
  domain: Domain,
  dataCenter: Resource<'data_center'> | undefined,
): void {
  const newest = getNewestFormat(dataCenter ?? {});
  const data = domain.type === 'data';
  const format = domain.storage_format ?? (data ? newest : 'v1');
  if (data ? format > newest : format !== 'v1') {
    const reason = data
      ? `a host of this level, which supports up to ${newest}`
      : 'v1, which is required';
    ctx.refuse('DOMAIN_FORMAT_ILLEGAL', { action: 'add', format, reason });
  }
  const block = isBlock(domain);
  domain.name ??= `${domain.type}-${domain.id?.slice(0, 8)}`;
  domain.storage_format = format;
  domain.master = false;
  domain.external_status = 'ok';
  Object.assign(domain, { used: 0, committed: 0 });
  domain.block_size ??= 512;
  domain.supports_discard = block;
  domain.supports_discard_zeroes_data = false;
  domain.wipe_after_delete ??= false;
  domain.discard_after_delete ??= block;
}

/** Refuses invalid limits, and options that the storage type does not support. */
function checkLimits(ctx: RuleContext, domain: Domain, action: string): void {
  const limits = [
    ['warning_low_space_indicator', domain.warning_low_space_indicator, 100],
    ['critical_space_action_blocker', domain.critical_space_action_blocker, 2 ** 31 - 1],
  ] as const;
  for (const [attribute, value = 0, max] of limits) {
    if (value >= 0 && value <= max) continue;
    ctx.refuse('VALUE_OUT_OF_RANGE', { action, type: 'Storage', attribute, value, min: 0, max });
  }
  if (domain.discard_after_delete && !isBlock(domain)) {
    ctx.refuse('DOMAIN_NOT_BLOCK', { action, what: 'discards deleted data' });
  }
  if (domain.backup && domain.type !== 'data') {
    ctx.refuse('DOMAIN_NO_BACKUP', { action, domainType: domain.type });
  }
}

/** Required address members of each storage type. */
const requiredByStorage: Readonly<Record<string, readonly string[]>> = {
  nfs: ['storage.address', 'storage.path'],
  localfs: ['storage.path'],
  posixfs: ['storage.path', 'storage.vfs_type'],
  glusterfs: ['storage.path', 'storage.vfs_type'],
};

/** Storage types of each domain type. Image and volume domains belong to providers. */
const storagesByType: Readonly<Record<string, readonly string[]>> = {
  data: ['nfs', 'iscsi', 'fcp', 'localfs', 'posixfs', 'glusterfs'],
  iso: ['nfs', 'posixfs', 'localfs', 'glusterfs'],
  export: ['nfs', 'posixfs', 'glusterfs'],
  managed_block_storage: ['managed_block_storage'],
};

const updatable = [
  'name',
  'description',
  'comment',
  'wipe_after_delete',
  'discard_after_delete',
  'warning_low_space_indicator',
  'critical_space_action_blocker',
  'block_size',
  'backup',
] as const;
const fixed = [
  'type',
  'storage_format',
  'storage.type',
  'storage.address',
  'storage.path',
] as const;

export const storageDomainBehavior = defineBehavior('storage_domain', {
  events: { add: 'STORAGE_DOMAIN_ADDED', update: 'STORAGE_DOMAIN_UPDATED' },

  beforeCreate(ctx, domain, _place, sent) {
    if (domain.storage) splitPath(domain.storage);
    fromConnection(ctx, domain);
    requireAll('StorageDomain', ['storage.type'], domain, 'add');
    const storage = domain.storage ?? {};
    const type = storage.type ?? '';
    requireAll('StorageDomain', requiredByStorage[type] ?? [], domain, 'add');
    if (!storagesByType[domain.type ?? '']?.includes(type)) {
      ctx.refuse('DOMAIN_STORAGE_TYPE_ILLEGAL', { action: 'add', domainType: domain.type, type });
    }
    const host = domain.host?.id ? ctx.tx.get('host', domain.host.id) : undefined;
    if (host?.status !== 'up') {
      ctx.refuse('HOST_STATUS_ILLEGAL', { action: 'use', status: host?.status ?? 'unknown' });
    }
    delete domain.host;
    domain.status = 'unattached';
    checkConnection(ctx, storage, 'add');
    const dataCenter = dataCenterOfHost(ctx, host);
    if (type === 'localfs' && domain.type === 'data' && !dataCenter?.local) {
      ctx.refuse('DOMAIN_LOCAL_ELSEWHERE', { action: 'add' });
    }
    chooseStorage(ctx, domain);
    if (sent['import'] === true) importKnown(ctx, domain, sent);
    else requireEmpty(ctx, domain);
    checkLimits(ctx, domain, 'add');
    fillDomain(ctx, domain, dataCenter);
  },

  afterCreate(ctx, { object }, sent) {
    const connections = connect(ctx, object.storage ?? {});
    ctx.tx.update('storage_domain', { ...object, storage_connections: connections });
    if (object.type === 'data') addDiskProfile(ctx, object);
    if (object.type === 'iso') readFiles(ctx, object.id ?? '');
    if (object.type === 'data' && object.storage?.type === 'localfs') {
      const host = sentHost(ctx, sent);
      const dataCenter = dataCenterOfHost(ctx, host);
      const added = ctx.tx.get('storage_domain', object.id ?? '');
      if (dataCenter?.id && added) attachDomain(ctx, dataCenter.id, added);
    }
  },

  beforeUpdate(ctx, before, after, _place, sent) {
    const different = fixed.filter((path) => isChanged(before, sent, path));
    if (different.length > 0) {
      ctx.refuse('DOMAIN_FIELDS_FIXED', { action: 'edit', attributes: different.join(', ') });
    }
    const stored: StoredObject = { ...before };
    for (const name of updatable) {
      if (name in sent) stored[name] = after[name];
    }
    Object.assign(after, stored);
    const attached = ctx.tx.find('attached_storage_domain', { id: before.id ?? '' });
    if (attached?.status === 'locked') {
      ctx.refuse('STORAGE_DOMAIN_STATUS_ILLEGAL', { action: 'edit', status: 'locked' });
    }
    checkLimits(ctx, after, 'edit');
    const units = readSentUnits(listLogicalUnits(sent['storage']));
    if (units.length > 0) extendDomain(ctx, after, units);
  },

  onMembershipChange(ctx, before, _after, member) {
    checkRelisted(ctx, before, member);
    ctx.event('STORAGE_DOMAIN_UPDATED', { storage_domain: before });
  },

  beforeDelete(ctx, { object }, parameters) {
    const attached = ctx.tx.list('attached_storage_domain', { where: { id: object.id ?? '' } });
    const [first] = attached;
    if (object.type === 'image' || object.type === 'volume') {
      ctx.refuse('DOMAIN_OF_PROVIDER', { action: 'remove', name: object.name });
    }
    if (parameters.flag('destroy')) {
      const busy = attached.find(({ status }) => status === 'active' || status === 'locked');
      if (busy) {
        ctx.refuse('STORAGE_DOMAIN_STATUS_ILLEGAL', { action: 'destroy', status: busy.status });
      }
      for (const one of attached.filter(({ master }) => master)) requireSuccessor(ctx, one);
      return;
    }
    requireWorkingHost(ctx, parameters);
    if (first) ctx.refuse('STORAGE_DOMAIN_ATTACHED', { action: 'remove' });
  },

  remove(ctx, { object }, parameters) {
    const destroys = parameters.flag('destroy') === true;
    ctx.event(destroys ? 'STORAGE_DOMAIN_DESTROYED' : 'STORAGE_DOMAIN_REMOVED', {
      storage_domain: object,
    });
    const attached = ctx.tx.list('attached_storage_domain', { where: { id: object.id ?? '' } });
    for (const one of attached.filter(({ master }) => master)) {
      const next = findNextMaster(ctx, one);
      if (next) moveMaster(ctx, one, next);
    }
    removeDomain(ctx, object, !destroys && parameters.flag('format') === true ? 'format' : 'keep');
    for (const { data_center } of attached) refreshDataCenter(ctx, data_center?.id ?? '');
  },

  /** Only its data centers know the status of an attached domain (specification 3). */
  present(ctx, domain) {
    const attached = ctx.tx.list('attached_storage_domain', { where: { id: domain.id ?? '' } });
    const [first] = attached;
    return {
      status: first ? undefined : 'unattached',
      master: attached.some(({ master }) => master),
      ...(first
        ? {
            data_centers: attached.flatMap(({ data_center }) => (data_center ? [data_center] : [])),
          }
        : {}),
      ...showSpace(ctx, domain, first?.status),
      ...showStorage(ctx, domain),
    };
  },

  actions: { ...domainActions, update_ovf_store: updateOvfStore },
});

/** Requires another data domain as the new master, unless the master is the only domain. */
function requireSuccessor(ctx: RuleContext, master: Domain): void {
  const dataCenter = master.data_center?.id ?? '';
  if (listAttachedDomains(ctx, dataCenter).length < 2) return;
  if (!findNextMaster(ctx, master)) ctx.refuse('MASTER_WITHOUT_SUCCESSOR', { action: 'destroy' });
  if (listHostsUp(ctx, dataCenter).length === 0) {
    ctx.refuse('NO_HOST_IN_DATA_CENTER', { action: 'destroy', type: 'Storage' });
  }
}

/** Requires the parameter `host` with a host that is up. */
function requireWorkingHost(ctx: RuleContext, parameters: Parameters): void {
  const named = parameters.text('host') ?? '';
  if (named === '') ctx.refuse('HOST_PARAMETER_MISSING', { action: 'remove' });
  const host = sentHost(ctx, { host: ctx.tx.get('host', named) ? { id: named } : { name: named } });
  if (host?.status !== 'up') {
    ctx.refuse('HOST_STATUS_ILLEGAL', { action: 'use', status: host?.status });
  }
}

function sentHost(ctx: RuleContext, { host }: Domain): Resource<'host'> | undefined {
  return ctx.tx.get('host', resolveReferenceId(ctx.tx, 'host', host) ?? '');
}

function dataCenterOfHost(
  ctx: RuleContext,
  host: Resource<'host'> | undefined,
): Resource<'data_center'> | undefined {
  const cluster = ctx.tx.get('cluster', host?.cluster?.id ?? '');
  return ctx.tx.get('data_center', cluster?.data_center?.id ?? '');
}

function isChanged(before: Domain, sent: StoredObject, path: string): boolean {
  const [a, b] = [before, sent].map((object) => getValueAt(object, path.split('.')));
  return b !== undefined && b !== a;
}

function addDiskProfile(ctx: RuleContext, domain: Domain): void {
  const id = ctx.site.newId();
  ctx.tx.insert('disk_profile', '/diskprofiles', {
    id,
    name: domain.name ?? '',
    storage_domain: { id: domain.id ?? '' },
  });
  grantToEveryone(ctx, 'DiskProfileUser', `/diskprofiles/${id}`);
}
