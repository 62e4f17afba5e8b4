/** Rules of storage domains as data centers see them: attach, activate, deactivate, detach. */

import type { EventName } from '../../../model/events.ts';
import type { Resource } from '../../../model/resource.ts';
import { storageDomainLifecycle as lifecycle } from '../../../model/resources/storage-domain.ts';
import { type Addressed, define } from '../../core/behavior.ts';
import type { RuleContext } from '../../core/context.ts';
import { resolveMember } from '../../core/input.ts';
import type { TransitionHandlers } from '../../core/transition-handlers.ts';
import { begin, requireState } from '../../core/transitions.ts';
import type { StoredObject } from '../../store/document.ts';
import {
  domainsOf,
  electSpm,
  hostsUp,
  refreshDataCenter,
  releaseSpm,
} from '../data-center/data-center.ts';
import { leaveInventory, usersOf } from '../domain-contents/unregistered.ts';
import {
  refuseBusy,
  refuseDetaching,
  requireActiveMaster,
  requireFitting,
} from './attached-checks.ts';
import { type Attached, collectionIn, dataCenterOf, moveMaster, successorOf } from './master.ts';
import { removeDomain } from './removal.ts';
import {
  claimShared,
  documentsOf,
  handOver,
  imagesToBring,
  imagesToTake,
  requireToHandOver,
  takeContents,
} from './shared.ts';
import { shownSpace, shownStorage } from './shown.ts';

type Domain = Resource<'storage_domain'>;
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
  },
  onEnd: {
    attach(ctx, object) {
      takeContents(ctx, String(object.id));
      return refreshed(ctx, object);
    },
    activate: refreshed,
    deactivate: refreshed,
    become_master: refreshed,
    detach(ctx, attached) {
      detached(ctx, attached);
      return undefined;
    },
  },
};

export const attachedStorageDomainRules = define('attached_storage_domain', {
  lifecycle,
  transitions,
  addsAtOnce: true,

  attach(ctx, place, sent) {
    const domain = ctx.tx.get('storage_domain', resolveMember(ctx.tx, 'storage_domain', sent));
    if (!domain) throw new Error('A resolved storage domain is gone.');
    return attachDomain(ctx, place.owner?.id ?? '', domain);
  },

  remove(ctx, { object, place }) {
    requireState(ctx, 'attached_storage_domain', object, 'detach');
    const domain = ctx.tx.get('storage_domain', object.id ?? '') ?? {};
    refuseDetaching(ctx, object, domain);
    requireToHandOver(ctx, domain);
    // Without images to be brought to shared storage it is gone within the call.
    const isBrought = imagesToBring(ctx, object.id ?? '').length > 0;
    const leaving = isBrought ? { ...object, status: 'detaching' } : object;
    begin(ctx, run(place.collection, object.id ?? '', 'detach'), leaving);
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
  begin(ctx, run(collection, id, 'attach'), attached as StoredObject);
  refreshDataCenter(ctx, dataCenter);
  return ctx.tx.get('attached_storage_domain', id, collection) ?? attached;
}

function refreshed(ctx: RuleContext, object: StoredObject): StoredObject {
  const attached = object as Attached;
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
  return object;
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
  const left = leaveDataCenter(ctx, attached);
  if (domain?.storage?.type === 'localfs') {
    removeDomain(ctx, domain, 'format');
  } else if (left) {
    leaveInventory(ctx, left);
    handOver(ctx, left, documents);
  }
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

function run(collection: string, id: string, operation: string) {
  return { kind: 'attached_storage_domain' as const, collection, id, operation };
}

function move(ctx: RuleContext, { place, object }: Target, operation: string): undefined {
  begin(ctx, run(place.collection, object.id ?? '', operation), object);
  if (ctx.site.speed > 0) refreshDataCenter(ctx, object.data_center?.id ?? '');
  return undefined;
}
