/** Preconditions for attaching, deactivating and detaching a storage domain. */

import type { FaultKey } from '../../../model/faults.ts';
import type { Resource } from '../../../model/resource.ts';
import type { RuleContext } from '../../core/context.ts';
import { listAttachedDomains } from '../../inventory/data-center.ts';
import { listDomainUsers } from '../../inventory/unregistered.ts';
import { isRunning } from '../../inventory/vm.ts';
import { noneOf, referringCondition } from '../../store/conditions.ts';
import { type Attached, findMaster, getDataCenterId } from './master.ts';

type Domain = Resource<'storage_domain'>;

const inProcess = new Set(['locked', 'detaching', 'activating', 'preparing_for_maintenance']);
/** Types of which a data center has at most one domain. */
const singletonTypes = new Set(['iso', 'export']);

/** Refuses a domain that is incompatible with its data center. */
export function requireFitting(
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
  if (singletonTypes.has(domain.type ?? '')) {
    const same = listAttachedDomains(ctx, dataCenter)
      .map(({ id }) => ctx.tx.get('storage_domain', id ?? ''))
      .find((other) => other?.type === domain.type);
    if (same) ctx.refuse('DOMAIN_ONE_OF_TYPE', { ...messageParams, name: same.name });
  }
  const newest = getNewestFormat(owner);
  if (domain.type === 'data' && (domain.storage_format ?? 'v1') > newest) {
    ctx.refuse('DOMAIN_FORMAT_ILLEGAL', {
      ...messageParams,
      format: domain.storage_format,
      reason: `data center ${owner.name}, which supports formats up to ${newest}`,
    });
  }
}

/** Newest format of data domains that a data center of this level supports. */
export function getNewestFormat({ version }: Resource<'data_center'>): 'v3' | 'v4' | 'v5' {
  const { major = 4, minor = 8 } = version ?? {};
  if (major > 4 || (major === 4 && minor >= 3)) return 'v5';
  return major === 4 && minor === 2 ? 'v4' : 'v3';
}

/** Attaching, detaching and activating other domains requires an active master. */
export function requireActiveMaster(ctx: RuleContext, attached: Attached, action: string): void {
  if (attached.master) return;
  const master = findMaster(ctx, getDataCenterId(attached));
  if (master && master.status !== 'active') ctx.refuse('MASTER_NOT_ACTIVE', { action });
}

/**
 * Refuses to deactivate a domain that is in use. `succeeded`: another domain becomes the master.
 */
export function refuseBusy(
  ctx: RuleContext,
  attached: Attached,
  domain: Domain,
  succeeded: boolean,
): void {
  const here = domain.id ?? '';
  if (attached.master) refuseMaster(ctx, attached, succeeded);
  refuseFor(ctx, 'DOMAIN_HAS_RUNNING_VMS', listDomainUsers(ctx, here, 'vm').filter(isRunning));
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
  const others = listAttachedDomains(ctx, getDataCenterId(attached)).filter(
    ({ id }) => id !== attached.id,
  );
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

/** Refuses to detach a domain that the data center, a VM or a template depends on. */
export function refuseDetaching(ctx: RuleContext, attached: Attached, domain: Domain): void {
  const action = 'detach';
  const others = listAttachedDomains(ctx, getDataCenterId(attached)).filter(
    ({ id }) => id !== attached.id,
  );
  if (attached.master && others.length > 0) ctx.refuse('MASTER_WITH_OTHER_DOMAINS', { action });
  requireActiveMaster(ctx, attached, action);
  const vms = listDomainUsers(ctx, domain.id ?? '', 'vm');
  const templates = listDomainUsers(ctx, domain.id ?? '', 'template');
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
