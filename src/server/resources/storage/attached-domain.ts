/** Storage domains of a data center: attach, activate, deactivate, detach. */

import type { EventName } from '../../../model/events.ts';
import type { Resource } from '../../../model/resource.ts';
import { storageDomainLifecycle as lifecycle } from '../../../model/resources/storage-domain.ts';
import { defineBehavior, type LocatedObject } from '../../core/behavior.ts';
import type { RuleContext } from '../../core/context.ts';
import { resolveMember } from '../../core/input.ts';
import type { TransitionHandlers, TransitionOf } from '../../core/transition-handlers.ts';
import { beginTransition, requireState } from '../../core/transitions.ts';
import {
  electSpm,
  listAttachedDomains,
  listHostsUp,
  refreshDataCenter,
  releaseSpm,
} from '../../inventory/data-center.ts';
import { showSpace, showStorage } from '../../inventory/storage-space.ts';
import { leaveInventory, listDomainUsers } from '../../inventory/unregistered.ts';
import { removeDomain } from './domain-actions.ts';
import {
  refuseBusy,
  refuseDetaching,
  requireActiveMaster,
  requireFitting,
} from './domain-preconditions.ts';
import {
  type Attached,
  findNextMaster,
  formatDomainsPath,
  getDataCenterId,
  moveMaster,
} from './master.ts';
import { refreshOvfStore } from './ovf-store.ts';
import {
  claimShared,
  createReleaseStep,
  handOverContents,
  imagesToBring,
  imagesToTake,
  requireToHandOver,
  takeContents,
  writeOvfDocuments,
} from './shared.ts';

type Domain = Resource<'storage_domain'>;

type Target = LocatedObject<'attached_storage_domain'>;

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
    release: (_, { id }) => [createReleaseStep(String(id))],
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
    // The next start releases the remaining claim.
    release: finishRelease,
  },
  onEnd: {
    attach(ctx, object) {
      takeContents(ctx, String(object.id));
      return storeAttached(ctx, object);
    },
    activate: storeAttached,
    deactivate(ctx, attached) {
      const domain = ctx.tx.get('storage_domain', attached.id ?? '');
      if (domain) refreshOvfStore(ctx, domain);
      return storeAttached(ctx, attached);
    },
    become_master: storeAttached,
    detach(ctx, attached) {
      finishDetach(ctx, attached);
      return undefined;
    },
    release: finishRelease,
  },
};

export const attachedStorageDomainBehavior = defineBehavior('attached_storage_domain', {
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
    // Without images to move to shared storage, the domain is detached within the request.
    const isBrought = imagesToBring(ctx, object.id ?? '').length > 0;
    const leaving = isBrought ? { ...object, status: 'detaching' } : object;
    beginTransition(ctx, run(ref.collection, 'detach'), leaving);
  },

  present(ctx, attached) {
    const domain = ctx.tx.get('storage_domain', attached.id ?? '');
    if (!domain) return {};
    return {
      ...domain,
      ...showSpace(ctx, domain, attached.status),
      ...attached,
      ...showStorage(ctx, domain),
      name: domain.name,
    };
  },

  actions: {
    activate(ctx, target) {
      requireState(ctx, 'attached_storage_domain', target.object, 'activate');
      requireActiveMaster(ctx, target.object, 'activate');
      requireHost(ctx, getDataCenterId(target.object), 'activate');
      return move(ctx, target, 'activate');
    },

    deactivate(ctx, target) {
      requireState(ctx, 'attached_storage_domain', target.object, 'deactivate');
      const domain = ctx.tx.get('storage_domain', target.object.id ?? '') ?? {};
      const next = target.object.master ? findNextMaster(ctx, target.object) : undefined;
      refuseBusy(ctx, target.object, domain, next !== undefined);
      if (!target.object.master) return move(ctx, target, 'deactivate');
      if (next) {
        const object = moveMaster(ctx, target.object, next);
        return move(ctx, { ...target, object }, 'deactivate');
      }
      const dataCenter = ctx.tx.get('data_center', getDataCenterId(target.object));
      ctx.event('LAST_MASTER_DEACTIVATED', { storage_domain: domain, data_center: dataCenter });
      return move(ctx, target, 'deactivate');
    },
  },
});

/** Attaches a domain to a data center. The first data domain becomes its master. */
export function attachDomain(ctx: RuleContext, dataCenter: string, domain: Domain): Domain {
  const id = domain.id ?? '';
  const elsewhere = ctx.tx.list('attached_storage_domain', { where: { id } });
  const here = elsewhere.find((one) => one.data_center?.id === dataCenter);
  const [other] = domain.type === 'iso' ? [here] : elsewhere;
  if (other) {
    ctx.refuse('STORAGE_DOMAIN_STATUS_ILLEGAL', { action: 'attach', status: other.status });
  }
  requireHost(ctx, dataCenter, 'attach');
  const first = listAttachedDomains(ctx, dataCenter).length === 0;
  requireFitting(ctx, dataCenter, domain, first);
  const collection = formatDomainsPath(dataCenter);
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
  beginTransition(ctx, run(collection, 'attach'), attached);
  refreshDataCenter(ctx, dataCenter);
  return ctx.tx.get('attached_storage_domain', id, collection) ?? attached;
}

function storeAttached(ctx: RuleContext, attached: Attached): Attached {
  const dataCenter = getDataCenterId(attached);
  const domain = ctx.tx.get('storage_domain', attached.id ?? '');
  // Searches use the status of the domain; its representation omits it.
  if (domain && attached.status) {
    ctx.tx.update('storage_domain', { ...domain, status: attached.status });
  }
  ctx.tx.update('attached_storage_domain', attached, formatDomainsPath(dataCenter));
  if (attached.master && attached.status === 'maintenance') stopSpm(ctx, dataCenter);
  else electSpm(ctx, dataCenter);
  refreshDataCenter(ctx, dataCenter);
  return attached;
}

function stopSpm(ctx: RuleContext, dataCenter: string): void {
  for (const host of listHostsUp(ctx, dataCenter)) releaseSpm(ctx, host);
}

/**
 * Ends the detachment of a domain. Local storage is erased, because no other data center can use
 * it.
 */
function finishDetach(ctx: RuleContext, attached: Attached): void {
  const domain = ctx.tx.get('storage_domain', attached.id ?? '');
  const id = attached.id ?? '';
  const documents = ctx.site.sharedStorage
    ? writeOvfDocuments(ctx, listDomainUsers(ctx, id, 'vm'), listDomainUsers(ctx, id, 'template'))
    : new Map<string, string>();
  if (domain?.storage?.type === 'localfs') {
    leaveDataCenter(ctx, attached);
    removeDomain(ctx, domain, 'format');
    return;
  }
  if (domain) leaveInventory(ctx, domain);
  if (domain && handOverContents(ctx, domain, documents)) {
    const collection = formatDomainsPath(getDataCenterId(attached));
    beginTransition(ctx, run(collection, 'release'), { ...attached, status: 'detaching' });
    return;
  }
  leaveDataCenter(ctx, attached);
}

function finishRelease(ctx: RuleContext, attached: Attached): undefined {
  leaveDataCenter(ctx, attached);
}

/** Removes a domain from a data center. Returns the updated domain. */
function leaveDataCenter(ctx: RuleContext, attached: Attached): Domain | undefined {
  const dataCenter = getDataCenterId(attached);
  const domain = ctx.tx.get('storage_domain', attached.id ?? '');
  ctx.tx.remove('attached_storage_domain', attached.id ?? '', formatDomainsPath(dataCenter));
  const left = domain?.data_centers?.filter(({ id }) => id !== dataCenter) ?? [];
  const status = left.length > 0 ? domain?.status : 'unattached';
  const after = domain && { ...domain, ...(status ? { status } : {}), data_centers: left };
  if (after) ctx.tx.update('storage_domain', after);
  if (listAttachedDomains(ctx, dataCenter).length === 0) stopSpm(ctx, dataCenter);
  refreshDataCenter(ctx, dataCenter);
  return after;
}

/** Writes an event about a domain and its data center. */
function report(ctx: RuleContext, attached: Attached, event: EventName): void {
  ctx.event(event, {
    storage_domain: ctx.tx.get('storage_domain', attached.id ?? ''),
    data_center: ctx.tx.get('data_center', getDataCenterId(attached)),
  });
}

function requireHost(ctx: RuleContext, dataCenter: string, action: string): void {
  if (listHostsUp(ctx, dataCenter).length === 0) {
    ctx.refuse('NO_HOST_IN_DATA_CENTER', { action, type: 'Storage' });
  }
}

type Transition = TransitionOf<'attached_storage_domain'>;

function run(collection: string, operation: Transition) {
  return { kind: 'attached_storage_domain' as const, collection, operation };
}

function move(ctx: RuleContext, { ref, object }: Target, operation: Transition): undefined {
  beginTransition(ctx, run(ref.collection, operation), object);
  if (ctx.site.speed > 0) refreshDataCenter(ctx, object.data_center?.id ?? '');
  return undefined;
}
