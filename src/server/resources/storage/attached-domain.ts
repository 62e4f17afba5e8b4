/** Storage domains of a data center: attach, activate, deactivate, detach. */

import type { EventName } from '../../../model/events.ts';
import type { FaultKey } from '../../../model/faults.ts';
import type { Resource } from '../../../model/resource.ts';
import { storageDomainLifecycle as lifecycle } from '../../../model/resources/storage-domain.ts';
import { type Addressed, define } from '../../core/behavior.ts';
import type { RuleContext } from '../../core/context.ts';
import { resolveMember } from '../../core/input.ts';
import type { TransitionHandlers, TransitionOf } from '../../core/transition-handlers.ts';
import { begin, requireState } from '../../core/transitions.ts';
import {
  domainsOf,
  electSpm,
  hostsUp,
  refreshDataCenter,
  releaseSpm,
} from '../../inventory/data-center.ts';
import { shownSpace, shownStorage } from '../../inventory/storage-space.ts';
import { leaveInventory, usersOf } from '../../inventory/unregistered.ts';
import { isRunning } from '../../inventory/vm.ts';
import { noneOf, referringCondition } from '../../store/conditions.ts';
import { removeDomain } from './domain-actions.ts';
import {
  type Attached,
  collectionIn,
  dataCenterOf,
  masterOf,
  moveMaster,
  successorOf,
} from './master.ts';
import { refreshOvfStore } from './ovf-store.ts';
import {
  claimShared,
  documentsOf,
  handOver,
  imagesToBring,
  imagesToTake,
  releaseOf,
  requireToHandOver,
  takeContents,
} from './shared.ts';

type Domain = Resource<'storage_domain'>;

const inProcess = new Set(['locked', 'detaching', 'activating', 'preparing_for_maintenance']);
/** Of these a data center has one at most. */
const single = new Set(['iso', 'export']);

/** Refuses a domain that does not go with its data center. */
function requireFitting(
  ctx: RuleContext,
  dataCenter: string,
  domain: Domain,
  first: boolean,
): void {
  const messageParams = { action: 'attach', domainType: domain.type };
  if (first && domain.type !== 'data') ctx.refuse('FIRST_DOMAIN_MUST_BE_DATA', messageParams);
  const owner = ctx.tx.get('data_center', dataCenter) ?? {};
  const local = domain.storage?.type === 'localfs';
  if (domain.type === 'data' && local !== (owner.local === true)) {
    ctx.refuse('DOMAIN_OF_OTHER_KIND', messageParams);
  }
  if (single.has(domain.type ?? '')) {
    const same = domainsOf(ctx, dataCenter)
      .map(({ id }) => ctx.tx.get('storage_domain', id ?? ''))
      .find((other) => other?.type === domain.type);
    if (same) ctx.refuse('DOMAIN_ONE_OF_TYPE', { ...messageParams, name: same.name });
  }
  const newest = newestFormat(owner);
  if (domain.type === 'data' && (domain.storage_format ?? 'v1') > newest) {
    ctx.refuse('DOMAIN_FORMAT_ILLEGAL', {
      ...messageParams,
      format: domain.storage_format,
      reason: `data center ${owner.name}, which supports formats up to ${newest}`,
    });
  }
}

/** Newest format of data domains that a data center of this level knows. */
export function newestFormat({ version }: Resource<'data_center'>): 'v3' | 'v4' | 'v5' {
  const { major = 4, minor = 8 } = version ?? {};
  if (major > 4 || (major === 4 && minor >= 3)) return 'v5';
  return major === 4 && minor === 2 ? 'v4' : 'v3';
}

/** Only with an active master can other domains come, go and be activated. */
function requireActiveMaster(ctx: RuleContext, attached: Attached, action: string): void {
  if (attached.master) return;
  const master = masterOf(ctx, dataCenterOf(attached));
  if (master && master.status !== 'active') ctx.refuse('MASTER_NOT_ACTIVE', { action });
}

/** Refuses to deactivate a domain that somebody uses. `succeeded`: another one becomes the master. */
export function refuseBusy(
  ctx: RuleContext,
  attached: Attached,
  domain: Domain,
  succeeded: boolean,
): void {
  const here = domain.id ?? '';
  if (attached.master) refuseMaster(ctx, attached, succeeded);
  refuseFor(ctx, 'DOMAIN_HAS_RUNNING_VMS', usersOf(ctx, here, 'vm').filter(isRunning));
  refuseFor(ctx, 'DOMAIN_HAS_ISO_IN_USE', runningWithIso(ctx, domain));
  const leases = ctx.tx
    .list('vm', { condition: noneOf('status', ['down']) })
    .filter((vm) => vm.lease?.storage_domain?.id === here && isRunning(vm));
  refuseFor(ctx, 'DOMAIN_HAS_LEASES', leases);
  const disks = referringCondition('disk', 'storage_domains', here);
  const transfers = ctx.tx
    .list('image_transfer', {
      condition: noneOf('phase', ['finished_success', 'finished_failure', 'finished_cleanup']),
    })
    .filter(({ disk }) => {
      const found = ctx.tx.get('disk', disk?.id ?? '');
      return found?.storage_domains?.some(({ id }) => id === here);
    });
  if (transfers.length > 0) ctx.refuse('DOMAIN_HAS_TRANSFERS', { action: 'deactivate' });
  const locked = ctx.tx.list('disk', { where: { status: 'locked' }, condition: disks });
  refuseFor(ctx, 'DOMAIN_HAS_TASKS', locked);
}

function refuseMaster(ctx: RuleContext, attached: Attached, succeeded: boolean): void {
  const others = domainsOf(ctx, dataCenterOf(attached)).filter(({ id }) => id !== attached.id);
  const busy = others.filter(({ status }) => inProcess.has(status ?? ''));
  refuseFor(ctx, 'DOMAIN_NEEDS_NO_OTHER_WORK', busy);
  if (succeeded) return;
  const active = others.filter(({ status }) => status === 'active');
  refuseFor(ctx, 'MASTER_WITH_NON_DATA_DOMAINS', active);
}

function runningWithIso(ctx: RuleContext, domain: Domain): Resource<'vm'>[] {
  if (domain.type !== 'iso') return [];
  const collection = `/storagedomains/${domain.id}/files`;
  const files = new Set(ctx.tx.list('file', { where: { collection } }).map(({ id }) => id));
  return ctx.tx
    .list('cdrom')
    .filter(({ file }) => file?.id !== undefined && files.has(file.id))
    .flatMap(({ vm }) => ctx.tx.get('vm', vm?.id ?? '') ?? [])
    .filter(isRunning);
}

/** Refuses to detach a domain on which the data center or somebody else depends. */
function refuseDetaching(ctx: RuleContext, attached: Attached, domain: Domain): void {
  const action = 'detach';
  const others = domainsOf(ctx, dataCenterOf(attached)).filter(({ id }) => id !== attached.id);
  if (attached.master && others.length > 0) ctx.refuse('MASTER_WITH_OTHER_DOMAINS', { action });
  requireActiveMaster(ctx, attached, action);
  const vms = usersOf(ctx, domain.id ?? '', 'vm');
  const templates = usersOf(ctx, domain.id ?? '', 'template');
  const guarded = [...vms, ...templates].filter((one) => one.delete_protected);
  refuseFor(ctx, 'DOMAIN_HAS_PROTECTED_VMS', guarded, action);
  const pooled = vms.filter(({ vm_pool }) => vm_pool?.id);
  refuseFor(ctx, 'DOMAIN_HAS_POOL_VMS', pooled, action);
  const previews = vms.filter((vm) =>
    ctx.tx
      .list('snapshot', { where: { collection: `/vms/${vm.id}/snapshots` } })
      .some(({ snapshot_status }) => snapshot_status === 'in_preview'),
  );
  refuseFor(ctx, 'DOMAIN_HAS_PREVIEWS', previews, action);
}

function refuseFor(
  ctx: RuleContext,
  fault: FaultKey,
  users: readonly { name?: string; id?: string }[],
  action = 'deactivate',
): void {
  if (users.length === 0) return;
  ctx.refuse(fault, { action, names: users.map(({ name, id }) => name ?? id).join(', ') });
}

type Target = Addressed<'attached_storage_domain'>;

const transitions: TransitionHandlers<'attached_storage_domain'> = {
  describe: (ctx, { id, data_center }) => ({
    subjects: {
      storage_domain: ctx.tx.get('storage_domain', id ?? ''),
      data_center: ctx.tx.get('data_center', data_center?.id ?? ''),
    },
  }),
  copies: {
    attach: (ctx, { id }) => imagesToTake(ctx, String(id)),
    detach: (ctx, { id }) => imagesToBring(ctx, String(id)),
    release: (_, { id }) => [releaseOf(String(id))],
  },
  onCopyFailure: {
    attach(ctx, attached) {
      const { id = '' } = attached;
      report(ctx, attached, 'STORAGE_DOMAIN_ATTACH_FAILED');
      leaveDataCenter(ctx, attached);
      ctx.afterCommit.push(() => ctx.site.sharedStorage?.disclaim(id));
      return undefined;
    },
    detach(ctx, attached) {
      report(ctx, attached, 'STORAGE_DOMAIN_DETACH_FAILED');
      return { ...attached, status: 'maintenance' };
    },
    // The claim that is left is given up at the next start.
    release: released,
  },
  onEnd: {
    attach(ctx, object) {
      takeContents(ctx, String(object.id));
      return refreshed(ctx, object);
    },
    activate: refreshed,
    deactivate(ctx, attached) {
      const domain = ctx.tx.get('storage_domain', attached.id ?? '');
      if (domain) refreshOvfStore(ctx, domain);
      return refreshed(ctx, attached);
    },
    become_master: refreshed,
    detach(ctx, attached) {
      detached(ctx, attached);
      return undefined;
    },
    release: released,
  },
};

export const attachedStorageDomainBehavior = define('attached_storage_domain', {
  lifecycle,
  transitions,
  addsAtOnce: true,

  attach(ctx, ref, sent) {
    // An unknown id is a bad value; an unknown name is not found.
    const status = sent.id === undefined ? 404 : 400;
    const id = resolveMember(ctx.tx, 'storage_domain', sent, status);
    const domain = ctx.tx.get('storage_domain', id);
    if (!domain) throw new Error('A resolved storage domain was removed.');
    return attachDomain(ctx, ref.owner?.id ?? '', domain);
  },

  remove(ctx, { object, ref }) {
    requireState(ctx, 'attached_storage_domain', object, 'detach');
    const domain = ctx.tx.get('storage_domain', object.id ?? '') ?? {};
    refuseDetaching(ctx, object, domain);
    requireToHandOver(ctx, domain);
    // Without images to be brought to shared storage it is gone within the call.
    const isBrought = imagesToBring(ctx, object.id ?? '').length > 0;
    const leaving = isBrought ? { ...object, status: 'detaching' } : object;
    begin(ctx, run(ref.collection, 'detach'), leaving);
  },

  present(ctx, attached) {
    const domain = ctx.tx.get('storage_domain', attached.id ?? '');
    if (!domain) return {};
    return {
      ...domain,
      ...shownSpace(ctx, domain, attached.status),
      ...attached,
      ...shownStorage(ctx, domain),
      name: domain.name,
    };
  },

  actions: {
    activate(ctx, target) {
      requireState(ctx, 'attached_storage_domain', target.object, 'activate');
      requireActiveMaster(ctx, target.object, 'activate');
      requireHost(ctx, dataCenterOf(target.object), 'activate');
      return move(ctx, target, 'activate');
    },

    deactivate(ctx, target) {
      requireState(ctx, 'attached_storage_domain', target.object, 'deactivate');
      const domain = ctx.tx.get('storage_domain', target.object.id ?? '') ?? {};
      const next = target.object.master ? successorOf(ctx, target.object) : undefined;
      refuseBusy(ctx, target.object, domain, next !== undefined);
      if (!target.object.master) return move(ctx, target, 'deactivate');
      if (next) {
        const object = moveMaster(ctx, target.object, next);
        return move(ctx, { ...target, object }, 'deactivate');
      }
      const dataCenter = ctx.tx.get('data_center', dataCenterOf(target.object));
      ctx.event('LAST_MASTER_DEACTIVATED', { storage_domain: domain, data_center: dataCenter });
      return move(ctx, target, 'deactivate');
    },
  },
});

/** Attaches a domain to a data center; the first data domain becomes its master. */
export function attachDomain(ctx: RuleContext, dataCenter: string, domain: Domain): Domain {
  const id = domain.id ?? '';
  const elsewhere = ctx.tx.list('attached_storage_domain', { where: { id } });
  const here = elsewhere.find((one) => one.data_center?.id === dataCenter);
  const [other] = domain.type === 'iso' ? [here] : elsewhere;
  if (other) {
    ctx.refuse('STORAGE_DOMAIN_STATUS_ILLEGAL', { action: 'attach', status: other.status });
  }
  requireHost(ctx, dataCenter, 'attach');
  const first = domainsOf(ctx, dataCenter).length === 0;
  requireFitting(ctx, dataCenter, domain, first);
  const collection = collectionIn(dataCenter);
  const attached: Attached = {
    id,
    name: domain.name ?? id,
    status: 'unattached',
    master: first,
    data_center: { id: dataCenter },
  };
  if (!first) requireActiveMaster(ctx, attached, 'attach');
  claimShared(ctx, domain);
  ctx.tx.insert('attached_storage_domain', collection, attached);
  const dataCenters = [...(domain.data_centers ?? []), { id: dataCenter }];
  ctx.tx.update('storage_domain', { ...domain, data_centers: dataCenters });
  const owner = ctx.tx.get('data_center', dataCenter);
  if (first && owner && domain.storage_format) {
    ctx.tx.update('data_center', { ...owner, storage_format: domain.storage_format });
  }
  electSpm(ctx, dataCenter);
  begin(ctx, run(collection, 'attach'), attached);
  refreshDataCenter(ctx, dataCenter);
  return ctx.tx.get('attached_storage_domain', id, collection) ?? attached;
}

function refreshed(ctx: RuleContext, attached: Attached): Attached {
  const dataCenter = dataCenterOf(attached);
  const domain = ctx.tx.get('storage_domain', attached.id ?? '');
  // Searches look at the domain itself; what is shown of it there hides the status again.
  if (domain && attached.status) {
    ctx.tx.update('storage_domain', { ...domain, status: attached.status });
  }
  ctx.tx.update('attached_storage_domain', attached, collectionIn(dataCenter));
  if (attached.master && attached.status === 'maintenance') stopSpm(ctx, dataCenter);
  else electSpm(ctx, dataCenter);
  refreshDataCenter(ctx, dataCenter);
  return attached;
}

function stopSpm(ctx: RuleContext, dataCenter: string): void {
  for (const host of hostsUp(ctx, dataCenter)) releaseSpm(ctx, host);
}

/** A domain has left its data center; local storage is of no use to any other, and erased. */
function detached(ctx: RuleContext, attached: Attached): void {
  const domain = ctx.tx.get('storage_domain', attached.id ?? '');
  const id = attached.id ?? '';
  const documents = ctx.site.sharedStorage
    ? documentsOf(ctx, usersOf(ctx, id, 'vm'), usersOf(ctx, id, 'template'))
    : new Map<string, string>();
  if (domain?.storage?.type === 'localfs') {
    leaveDataCenter(ctx, attached);
    removeDomain(ctx, domain, 'format');
    return;
  }
  if (domain) leaveInventory(ctx, domain);
  if (domain && handOver(ctx, domain, documents)) {
    const collection = collectionIn(dataCenterOf(attached));
    begin(ctx, run(collection, 'release'), { ...attached, status: 'detaching' });
    return;
  }
  leaveDataCenter(ctx, attached);
}

function released(ctx: RuleContext, attached: Attached): undefined {
  leaveDataCenter(ctx, attached);
}

/** Takes a domain out of a data center. Returns it as it is then. */
function leaveDataCenter(ctx: RuleContext, attached: Attached): Domain | undefined {
  const dataCenter = dataCenterOf(attached);
  const domain = ctx.tx.get('storage_domain', attached.id ?? '');
  ctx.tx.remove('attached_storage_domain', attached.id ?? '', collectionIn(dataCenter));
  const left = domain?.data_centers?.filter(({ id }) => id !== dataCenter) ?? [];
  const status = left.length > 0 ? domain?.status : 'unattached';
  const after = domain && { ...domain, ...(status ? { status } : {}), data_centers: left };
  if (after) ctx.tx.update('storage_domain', after);
  if (domainsOf(ctx, dataCenter).length === 0) stopSpm(ctx, dataCenter);
  refreshDataCenter(ctx, dataCenter);
  return after;
}

/** Writes an event about a domain and its data center. */
function report(ctx: RuleContext, attached: Attached, event: EventName): void {
  ctx.event(event, {
    storage_domain: ctx.tx.get('storage_domain', attached.id ?? ''),
    data_center: ctx.tx.get('data_center', dataCenterOf(attached)),
  });
}

function requireHost(ctx: RuleContext, dataCenter: string, action: string): void {
  if (hostsUp(ctx, dataCenter).length === 0) {
    ctx.refuse('NO_HOST_IN_DATA_CENTER', { action, type: 'Storage' });
  }
}

type Transition = TransitionOf<'attached_storage_domain'>;

function run(collection: string, operation: Transition) {
  return { kind: 'attached_storage_domain' as const, collection, operation };
}

function move(ctx: RuleContext, { ref, object }: Target, operation: Transition): undefined {
  begin(ctx, run(ref.collection, operation), object);
  if (ctx.site.speed > 0) refreshDataCenter(ctx, object.data_center?.id ?? '');
  return undefined;
}
