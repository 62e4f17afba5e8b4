/** Rules of storage domains: how they are added, imported, extended, changed and removed. */
import type { Resource } from '../../../model/resource.ts';
import { define, type Parameters } from '../../core/behavior.ts';
import type { RuleContext } from '../../core/context.ts';
import { requireAll, resolveReferences } from '../../core/input.ts';
import type { StoredObject } from '../../store/document.ts';
import { domainsOf, hostsUp, refreshDataCenter } from '../data-center/data-center.ts';
import { attachDomain } from './attached-domain.ts';
import { checkConnection, checkRelisted, connect } from './connection.ts';
import { domainActions, extendDomain } from './domain-actions.ts';
import {
  checkLimits,
  chooseStorage,
  fillDomain,
  fromConnection,
  importKnown,
  requireEmpty,
} from './domain-new.ts';
import { readFiles } from './file.ts';
import { sentUnits, unitsOf } from './logical-unit.ts';
import { moveMaster, successorOf } from './master.ts';
import { updateOvfStore } from './ovf-store.ts';
import { removeDomain } from './removal.ts';
import { shownSpace, shownStorage } from './shown.ts';

type Domain = Resource<'storage_domain'>;

/** What each type of storage must say to be found. */
const requiredByStorage: Readonly<Record<string, readonly string[]>> = {
  nfs: ['storage.address', 'storage.path'],
  localfs: ['storage.path'],
  posixfs: ['storage.path', 'storage.vfs_type'],
  glusterfs: ['storage.path', 'storage.vfs_type'],
};

/** On which storage each type of domain can be. Those of image and volume come with providers. */
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

export const storageDomainRules = define('storage_domain', {
  events: { add: 'STORAGE_DOMAIN_ADDED', update: 'STORAGE_DOMAIN_UPDATED' },

  beforeCreate(ctx, domain, _place, sent) {
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
    const different = fixed.filter((path) => differs(before, sent, path));
    if (different.length > 0) {
      ctx.refuse('DOMAIN_FIELDS_FIXED', { action: 'edit', attributes: different.join(', ') });
    }
    const kept: StoredObject = { ...before };
    for (const name of updatable) {
      if (name in sent) kept[name] = after[name];
    }
    Object.assign(after, kept);
    const attached = ctx.tx.find('attached_storage_domain', { id: before.id ?? '' });
    if (attached?.status === 'locked') {
      ctx.refuse('STORAGE_DOMAIN_STATUS_ILLEGAL', { action: 'edit', status: 'locked' });
    }
    checkLimits(ctx, after, 'edit');
    const units = sentUnits(unitsOf(sent['storage']));
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
      const next = successorOf(ctx, one);
      if (next) moveMaster(ctx, one, next);
    }
    removeDomain(ctx, object, !destroys && parameters.flag('format') === true ? 'format' : 'keep');
    for (const { data_center } of attached) refreshDataCenter(ctx, data_center?.id ?? '');
  },

  /** Only its data centers know the status of a domain that is attached (specification 3). */
  present(ctx, domain) {
    const attached = ctx.tx.list('attached_storage_domain', { where: { id: domain.id ?? '' } });
    const [first] = attached;
    return {
      status: first ? undefined : 'unattached',
      master: attached.some(({ master }) => master),
      ...(first?.data_center ? { data_center: first.data_center } : {}),
      data_centers: attached.flatMap(({ data_center }) => (data_center ? [data_center] : [])),
      ...shownSpace(ctx, domain, first?.status),
      ...shownStorage(ctx, domain),
    };
  },

  actions: { ...domainActions, update_ovf_store: updateOvfStore },
});

/** A master can be destroyed alone, or when another data domain takes its place. */
function requireSuccessor(ctx: RuleContext, master: Domain): void {
  const dataCenter = master.data_center?.id ?? '';
  if (domainsOf(ctx, dataCenter).length < 2) return;
  if (!successorOf(ctx, master)) ctx.refuse('MASTER_WITHOUT_SUCCESSOR', { action: 'destroy' });
  if (hostsUp(ctx, dataCenter).length === 0) {
    ctx.refuse('NO_HOST_IN_DATA_CENTER', { action: 'destroy', type: 'Storage' });
  }
}

/** Refuses unless the parameter `host` names one that is up. */
function requireWorkingHost(ctx: RuleContext, parameters: Parameters): void {
  const named = parameters.text('host') ?? '';
  if (named === '') ctx.refuse('HOST_PARAMETER_MISSING', { action: 'remove' });
  const host = sentHost(ctx, { host: ctx.tx.get('host', named) ? { id: named } : { name: named } });
  if (host?.status !== 'up') {
    ctx.refuse('HOST_STATUS_ILLEGAL', { action: 'use', status: host?.status });
  }
}

function sentHost(ctx: RuleContext, sent: StoredObject): Resource<'host'> | undefined {
  const reference: StoredObject = { host: sent['host'] };
  resolveReferences(ctx.tx, 'storage_domain', reference);
  return ctx.tx.get('host', String((reference['host'] as { id?: string } | undefined)?.id));
}

function dataCenterOfHost(
  ctx: RuleContext,
  host: Resource<'host'> | undefined,
): Resource<'data_center'> | undefined {
  const cluster = ctx.tx.get('cluster', host?.cluster?.id ?? '');
  return ctx.tx.get('data_center', cluster?.data_center?.id ?? '');
}

function differs(before: Domain, sent: StoredObject, path: string): boolean {
  const [first = '', second] = path.split('.');
  const [a, b] = [before as StoredObject, sent].map((object) => {
    const value = object[first] as StoredObject | undefined;
    return second === undefined ? value : value?.[second];
  });
  return b !== undefined && b !== a;
}

function addDiskProfile(ctx: RuleContext, domain: Domain): void {
  ctx.tx.insert('disk_profile', '/diskprofiles', {
    id: ctx.site.newId(),
    name: domain.name ?? '',
    storage_domain: { id: domain.id ?? '' },
  });
}
