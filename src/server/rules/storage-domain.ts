/** Rules of storage domains, by themselves and as data centers see them. */
import { attachedStorageDomain as lifecycle } from '../../model/lifecycles/storage.ts';
import type { Resource } from '../../model/resource.ts';
import { begin, onArrival, requireState } from '../jobs/moves.ts';
import type { StoredObject } from '../store/document.ts';
import type { RuleContext } from './context.ts';
import { domainsOf, electSpm, hostsUp, refreshDataCenter } from './data-center.ts';
import { eraseDisk } from './disk.ts';
import { erase } from './generic.ts';
import { requireAll, resolveMember, resolveReferences } from './input.ts';
import { type Addressed, rules } from './notation.ts';
import { disksOf, isRunning } from './vm.ts';

type Domain = Resource<'storage_domain'>;

const gibibyte = 2 ** 30;
/** Size of a simulated storage domain, in bytes. */
const simulatedSize = 1024 * gibibyte;

/** What each type of storage must say to be found. */
const requiredByStorage: Readonly<Record<string, readonly string[]>> = {
  nfs: ['storage.address', 'storage.path'],
  localfs: ['storage.path'],
  posixfs: ['storage.path', 'storage.vfs_type'],
  glusterfs: ['storage.path', 'storage.vfs_type'],
};

const updatable = [
  'name',
  'description',
  'comment',
  'wipe_after_delete',
  'discard_after_delete',
  'warning_low_space_indicator',
  'critical_space_action_blocker',
  'backup',
] as const;

export const storageDomainRules = rules({
  kind: 'storage_domain',
  events: { add: 956, update: 958 },

  prepare(ctx, domain, _place, sent) {
    requireAll('StorageDomain', ['storage.type'], sent, 'add');
    const storage = domain.storage?.type ?? '';
    requireAll('StorageDomain', requiredByStorage[storage] ?? [], sent, 'add');
    const host = domain.host?.id ? ctx.tx.get('host', domain.host.id) : undefined;
    if (host?.status !== 'up') {
      ctx.refuse('HOST_STATUS_ILLEGAL', { action: 'use', status: host?.status ?? 'unknown' });
    }
    delete domain.host;
    domain.name ??= `${domain.type}-${domain.id?.slice(0, 8)}`;
    domain.storage_format ??= domain.type === 'data' ? 'v5' : 'v1';
    domain.status = 'unattached';
    domain.master = false;
    domain.external_status = 'ok';
    Object.assign(domain, { available: simulatedSize, used: 0, committed: 0 });
    domain.block_size ??= 512;
    domain.supports_discard = true;
    domain.wipe_after_delete ??= false;
    domain.discard_after_delete ??= false;
  },

  added(ctx, { object }) {
    if (object.type === 'data') addDiskProfile(ctx, object);
  },

  change(ctx, before, after, _place, sent) {
    const kept: StoredObject = { ...before };
    for (const name of updatable) {
      if (name in sent) kept[name] = (after as StoredObject)[name];
    }
    Object.assign(after, kept);
    const attached = ctx.tx.find('attached_storage_domain', { id: before.id ?? '' });
    if (attached?.status === 'locked') {
      ctx.refuse('STORAGE_DOMAIN_STATUS_ILLEGAL', { action: 'edit', status: 'locked' });
    }
  },

  removable(ctx, { object }, parameters) {
    const attached = ctx.tx.find('attached_storage_domain', { id: object.id ?? '' });
    if (parameters.flag('destroy')) {
      if (attached?.status === 'active') {
        ctx.refuse('STORAGE_DOMAIN_STATUS_ILLEGAL', { action: 'destroy', status: 'active' });
      }
      return;
    }
    if (attached) ctx.refuse('STORAGE_DOMAIN_ATTACHED', { action: 'remove' });
    const named = parameters.text('host') ?? '';
    if (named === '') ctx.refuse('HOST_PARAMETER_MISSING', { action: 'remove' });
    const reference: StoredObject = { host: { id: named } };
    if (!ctx.tx.get('host', named)) reference['host'] = { name: named };
    resolveReferences(ctx.tx, 'storage_domain', reference);
    const host = ctx.tx.get('host', String((reference['host'] as { id?: string }).id));
    if (host?.status !== 'up') {
      ctx.refuse('HOST_STATUS_ILLEGAL', { action: 'use', status: host?.status });
    }
  },

  remove(ctx, { place, object }, parameters) {
    ctx.event(parameters.flag('destroy') ? 981 : 960, { storage_domain: object });
    for (const attached of ctx.tx.list('attached_storage_domain', {
      where: { id: object.id ?? '' },
    })) {
      detached(ctx, attached as StoredObject);
    }
    forgetDisks(ctx, object);
    for (const profile of ctx.tx.list('disk_profile', {
      where: { storage_domain_id: object.id ?? '' },
    })) {
      if (profile.id) ctx.tx.remove('disk_profile', profile.id);
    }
    erase(ctx, { place, object: { ...object } });
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
      ...space(ctx, domain),
    };
  },
});

export const attachedStorageDomainRules = rules({
  kind: 'attached_storage_domain',
  lifecycle,
  addsAtOnce: true,

  attach(ctx, place, sent) {
    const id = resolveMember(ctx.tx, 'storage_domain', sent);
    const domain = ctx.tx.get('storage_domain', id);
    const dataCenter = place.owner?.id ?? '';
    if (!domain) throw new Error('A resolved storage domain is gone.');
    const elsewhere = ctx.tx.find('attached_storage_domain', { id });
    if (elsewhere && (domain.type !== 'iso' || elsewhere.data_center?.id === dataCenter)) {
      ctx.refuse('STORAGE_DOMAIN_STATUS_ILLEGAL', { action: 'attach', status: elsewhere.status });
    }
    if (hostsUp(ctx, dataCenter).length === 0) {
      ctx.refuse('NO_HOST_IN_DATA_CENTER', { action: 'attach', type: 'Storage' });
    }
    const first = domainsOf(ctx, dataCenter).length === 0;
    if (first && domain.type !== 'data')
      ctx.refuse('FIRST_DOMAIN_MUST_BE_DATA', { action: 'attach' });
    const attached: Domain = {
      id,
      name: domain.name ?? id,
      status: 'unattached',
      master: first,
      data_center: { id: dataCenter },
    };
    ctx.tx.insert('attached_storage_domain', place.collection, attached);
    const dataCenters = [...(domain.data_centers ?? []), { id: dataCenter }];
    ctx.tx.update('storage_domain', { ...domain, data_centers: dataCenters });
    electSpm(ctx, dataCenter);
    begin(ctx, journey(place.collection, id, 'attach'), attached as StoredObject);
    refreshDataCenter(ctx, dataCenter);
    return ctx.tx.get('attached_storage_domain', id, place.collection) ?? attached;
  },

  remove(ctx, target) {
    requireState(ctx, 'attached_storage_domain', target.object as StoredObject, 'detach');
    const others = domainsOf(ctx, dataCenterOf(target)).filter(({ id }) => id !== target.object.id);
    if (target.object.master && others.length > 0) {
      ctx.refuse('MASTER_WITH_OTHER_DOMAINS', { action: 'detach' });
    }
    begin(
      ctx,
      journey(target.place.collection, target.object.id ?? '', 'detach'),
      target.object as StoredObject,
    );
  },

  present(ctx, attached) {
    const domain = ctx.tx.get('storage_domain', attached.id ?? '');
    if (!domain) return {};
    return { ...domain, ...space(ctx, domain), ...attached, name: domain.name };
  },

  actions: {
    activate(ctx, target) {
      requireState(ctx, 'attached_storage_domain', target.object as StoredObject, 'activate');
      if (hostsUp(ctx, dataCenterOf(target)).length === 0) {
        ctx.refuse('NO_HOST_IN_DATA_CENTER', { action: 'activate', type: 'Storage' });
      }
      return move(ctx, target, 'activate');
    },
    deactivate(ctx, target) {
      requireState(ctx, 'attached_storage_domain', target.object as StoredObject, 'deactivate');
      refuseBusy(ctx, target.object);
      electMaster(ctx, target);
      const object = ctx.tx.get(
        'attached_storage_domain',
        target.object.id ?? '',
        target.place.collection,
      );
      return move(ctx, object ? { ...target, object } : target, 'deactivate');
    },
  },
});

onArrival('attached_storage_domain', {
  describe: (ctx, attached) => {
    const { id, data_center } = attached as Domain;
    return {
      subjects: {
        storage_domain: ctx.tx.get('storage_domain', id ?? ''),
        data_center: ctx.tx.get('data_center', data_center?.id ?? ''),
      },
    };
  },
  arrived: {
    attach: (ctx, attached) => refreshed(ctx, attached),
    activate: (ctx, attached) => refreshed(ctx, attached),
    deactivate: (ctx, attached) => refreshed(ctx, attached),
    detach(ctx, attached) {
      detached(ctx, attached);
      return undefined;
    },
  },
});

function refreshed(ctx: RuleContext, attached: StoredObject): StoredObject {
  const { id, status, data_center } = attached as Domain;
  const dataCenter = data_center?.id ?? '';
  const domain = ctx.tx.get('storage_domain', id ?? '');
  // Searches look at the domain itself; what is shown of it there hides the status again.
  if (domain && status) ctx.tx.update('storage_domain', { ...domain, status });
  ctx.tx.update('attached_storage_domain', attached as Domain, collectionIn(dataCenter));
  electSpm(ctx, dataCenter);
  refreshDataCenter(ctx, dataCenter);
  return attached;
}

function detached(ctx: RuleContext, attached: StoredObject): void {
  const { id, data_center } = attached as Domain;
  const dataCenter = data_center?.id ?? '';
  ctx.tx.remove('attached_storage_domain', id ?? '', collectionIn(dataCenter));
  const domain = ctx.tx.get('storage_domain', id ?? '');
  if (domain) {
    const left = domain.data_centers?.filter((one) => one.id !== dataCenter) ?? [];
    ctx.tx.update('storage_domain', { ...domain, status: 'unattached', data_centers: left });
  }
  refreshDataCenter(ctx, dataCenter);
}

function collectionIn(dataCenter: string): string {
  return `/datacenters/${dataCenter}/storagedomains`;
}

function dataCenterOf({ object }: Addressed<'attached_storage_domain'>): string {
  return object.data_center?.id ?? '';
}

/** Disks on a domain. */
function disksOn(ctx: RuleContext, domain: Domain): Resource<'disk'>[] {
  return ctx.tx.referring('disk', 'storage_domains', domain.id ?? '');
}

/** Refuses to deactivate a domain that running virtual machines or transfers use. */
function refuseBusy(ctx: RuleContext, attached: Domain): void {
  const here = new Set(disksOn(ctx, attached).map(({ id }) => id));
  if (here.size === 0) return;
  const vms = ctx.tx
    .list('vm', { condition: { sql: "status <> 'down'", values: [] } })
    .filter((vm) => isRunning(vm) && disksOf(ctx, vm).some(({ id }) => here.has(id)));
  if (vms.length > 0) {
    ctx.refuse('DOMAIN_HAS_RUNNING_VMS', {
      action: 'deactivate',
      names: vms.map(({ name }) => name).join(', '),
    });
  }
  const transfers = ctx.tx
    .list('image_transfer')
    .filter(({ phase, disk }) => !phase?.startsWith('finished') && here.has(disk?.id));
  if (transfers.length > 0) ctx.refuse('DOMAIN_HAS_TRANSFERS', { action: 'deactivate' });
}

/** When the master leaves, another active data domain takes its role. */
function electMaster(
  ctx: RuleContext,
  { object, place }: Addressed<'attached_storage_domain'>,
): void {
  if (!object.master) return;
  const next = domainsOf(ctx, object.data_center?.id ?? '').find((domain) => {
    const type = ctx.tx.get('storage_domain', domain.id ?? '')?.type;
    return domain.id !== object.id && domain.status === 'active' && type === 'data';
  });
  if (!next) return;
  ctx.tx.update('attached_storage_domain', { ...next, master: true }, place.collection);
  ctx.tx.update('attached_storage_domain', { ...object, master: false }, place.collection);
}

function forgetDisks(ctx: RuleContext, domain: Domain): void {
  for (const disk of disksOn(ctx, domain)) eraseDisk(ctx, disk as StoredObject);
}

/** Space of a domain: what its disks take is used, what they may grow to is committed. */
function space(ctx: RuleContext, domain: Domain): StoredObject {
  let used = 0n;
  let committed = 0n;
  for (const disk of disksOn(ctx, domain)) {
    used += BigInt(disk.id ? ctx.site.images.sizes(disk.id).allocated : 0);
    committed += BigInt(disk.provisioned_size ?? 0);
  }
  const size = BigInt(domain.available ?? simulatedSize) + BigInt(domain.used ?? 0);
  return {
    used: Number(used),
    available: Number(size > used ? size - used : 0n),
    committed: Number(committed),
  };
}

function addDiskProfile(ctx: RuleContext, domain: Domain): void {
  ctx.tx.insert('disk_profile', '/diskprofiles', {
    id: ctx.site.newId(),
    name: domain.name ?? '',
    storage_domain: { id: domain.id ?? '' },
  });
}

function journey(collection: string, id: string, operation: string) {
  return { kind: 'attached_storage_domain' as const, collection, id, operation };
}

function move(
  ctx: RuleContext,
  { place, object }: Addressed<'attached_storage_domain'>,
  operation: string,
): undefined {
  begin(ctx, journey(place.collection, object.id ?? '', operation), object as StoredObject);
  if (ctx.site.speed > 0) refreshDataCenter(ctx, object.data_center?.id ?? '');
  return undefined;
}
