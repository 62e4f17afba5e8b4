/** Quotas: usage of their limits, and refused requests (specification 4.5). */

import type { EventName } from '../../model/events.ts';
import type { Resource } from '../../model/resource.ts';
import { isPermitted } from '../auth/permissions.ts';
import type { RuleContext } from '../core/context.ts';
import { noneOf, referringCondition } from '../store/conditions.ts';
import type { ObjectOf } from '../store/transaction.ts';

type Quota = Resource<'quota'>;
type Vm = ObjectOf<'vm'>;

/** A stored quota. The default quota of a data center cannot be changed. */
export type StoredQuota = Quota & { isDefault?: boolean };

const gibibyte = 2 ** 30;
/** Value of an unlimited limit. */
export const unlimited = -1;

const offStates = ['down', 'suspended', 'image_locked'];

/** A limited resource and its events. */
interface LimitedResource {
  readonly what: string;
  /** Unit in faults, after a number. */
  readonly amount: string;
  /** Type of the objects that consume it. */
  readonly type: string;
  readonly exceeded: EventName;
  readonly grace: EventName;
  readonly threshold: EventName;
}

const storage: LimitedResource = {
  what: 'storage',
  amount: 'GiB of storage',
  type: 'Virtual Disk',
  exceeded: 'QUOTA_STORAGE_EXCEEDED',
  grace: 'QUOTA_STORAGE_GRACE',
  threshold: 'QUOTA_STORAGE_THRESHOLD',
};
const vcpus: LimitedResource = {
  what: 'virtual CPUs',
  amount: 'virtual CPUs',
  type: 'VM',
  exceeded: 'QUOTA_CLUSTER_EXCEEDED',
  grace: 'QUOTA_CLUSTER_GRACE',
  threshold: 'QUOTA_CLUSTER_THRESHOLD',
};
const memory: LimitedResource = { ...vcpus, what: 'memory', amount: 'GiB of memory' };

/** The default quota of a data center. */
export function findDefaultQuota(ctx: RuleContext, dataCenter: string): Quota | undefined {
  const quotas: StoredQuota[] = ctx.tx.list('quota', {
    where: { collection: `/datacenters/${dataCenter}/quotas` },
  });
  return quotas.find(({ isDefault }) => isDefault) ?? quotas[0];
}

/** Charges bytes of a storage domain to a quota. Refuses or warns if the limit is exceeded. */
export function chargeStorage(
  ctx: RuleContext,
  quota: string | undefined,
  domain: string,
  bytes: number,
  action: string,
): void {
  const owner = findCheckedQuota(ctx, quota, action);
  if (!owner || bytes <= 0) return;
  const soft = owner.storage_soft_limit_pct ?? 80;
  const hard = owner.storage_hard_limit_pct ?? 20;
  for (const limit of storageLimits(ctx, owner)) {
    if (limit.storage_domain?.id && limit.storage_domain.id !== domain) continue;
    const used =
      measureStorageUse(ctx, owner.id ?? '', limit.storage_domain?.id) + bytes / gibibyte;
    check(ctx, owner, storage, used, Number(limit.limit ?? unlimited), { soft, hard, action });
  }
}

/** Charges the processors and memory of a starting VM to its quota. */
export function chargeCluster(ctx: RuleContext, vm: Vm, action = 'run'): void {
  const cluster = ctx.tx.get('cluster', vm.cluster?.id ?? '');
  const quota = vm.quota?.id ?? findDefaultQuota(ctx, cluster?.data_center?.id ?? '')?.id;
  const owner = findCheckedQuota(ctx, quota, action);
  if (!owner) return;
  const soft = owner.cluster_soft_limit_pct ?? 80;
  const hard = owner.cluster_hard_limit_pct ?? 20;
  const own = measureVm(vm);
  for (const limit of clusterLimits(ctx, owner)) {
    if (limit.cluster?.id && limit.cluster.id !== cluster?.id) continue;
    const used = measureClusterUse(ctx, owner.id ?? '', limit.cluster?.id, vm.id);
    const terms = { soft, hard, action };
    check(ctx, owner, vcpus, used.vcpus + own.vcpus, limit.vcpu_limit ?? unlimited, terms);
    check(ctx, owner, memory, used.memory + own.memory, limit.memory_limit ?? unlimited, terms);
  }
}

/**
 * Refuses a quota without limits on the resources of a VM, or from another data center than that of
 * its cluster. The default quota is always usable.
 */
export function requireUsableQuota(ctx: RuleContext, vm: Vm, action: string): void {
  const quota: StoredQuota | undefined = vm.quota?.id
    ? ctx.tx.get('quota', vm.quota.id)
    : undefined;
  const home = ctx.tx.get('cluster', vm.cluster?.id ?? '')?.data_center?.id;
  if (!quota?.id || findDefaultQuota(ctx, home ?? '')?.id === quota.id) return;
  if (quota.data_center?.id === home && clusterLimits(ctx, quota).length > 0) return;
  ctx.refuse('QUOTA_UNUSABLE', { action, name: quota.name });
}

/**
 * Refuses a quota without limits on storage for a disk, except the default quota of the data
 * center.
 */
export function requireStorageQuota(ctx: RuleContext, quota: Quota, action: string): void {
  const isDefault = findDefaultQuota(ctx, quota.data_center?.id ?? '')?.id === quota.id;
  if (isDefault || storageLimits(ctx, quota).length > 0) return;
  ctx.refuse('STORAGE_QUOTA_UNUSABLE', { action, name: quota.name });
}

/** The quota if its data center checks quotas. Refuses a caller who may not consume it. */
function findCheckedQuota(
  ctx: RuleContext,
  id: string | undefined,
  action: string,
): Quota | undefined {
  const quota = id ? ctx.tx.get('quota', id) : undefined;
  if (!quota?.id) return undefined;
  const mode = getQuotaMode(ctx, quota);
  if (mode === 'disabled') return undefined;
  const consumes = isPermitted(ctx.tx, ctx.caller, 'consume_quota', {
    kind: 'quota',
    id: quota.id,
  });
  if (mode === 'enabled' && !consumes) {
    ctx.refuse('QUOTA_NOT_A_CONSUMER', { action, name: quota.name });
  }
  return quota;
}

/** Mode of a data center: refuse (`enabled`), warn (`audit`) or ignore (`disabled`). */
export function getQuotaMode(ctx: RuleContext, quota: Quota): 'enabled' | 'disabled' | 'audit' {
  const dataCenter = ctx.tx.get('data_center', quota.data_center?.id ?? '');
  return dataCenter?.quota_mode ?? 'disabled';
}

function check(
  ctx: RuleContext,
  quota: Quota,
  { what, amount, type, exceeded, grace, threshold }: LimitedResource,
  used: number,
  limit: number,
  { soft, hard, action }: { soft: number; hard: number; action: string },
): void {
  if (limit < 0) return;
  const messageParams = { Resource: what, Used: rounded(used), Limit: limit };
  const dataCenter = ctx.tx.get('data_center', quota.data_center?.id ?? '');
  const subjects = { data_center: dataCenter, quota };
  if (used > (limit * (100 + hard)) / 100) {
    if (getQuotaMode(ctx, quota) === 'enabled') {
      const { name } = quota;
      const refusal = { action, type, name, what: amount, limit, used: rounded(used) };
      ctx.refuse('QUOTA_EXCEEDED', refusal);
    }
    ctx.event(exceeded, subjects, messageParams);
  } else if (used > limit) {
    ctx.event(grace, subjects, messageParams);
  } else if (used > (limit * soft) / 100) {
    ctx.event(threshold, subjects, messageParams);
  }
}

/** Rounds to two decimal places, as responses show usage. */
export function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

/** Storage limits of a quota. */
function storageLimits(ctx: RuleContext, { id }: Quota): Resource<'quota_storage_limit'>[] {
  return ctx.tx.list('quota_storage_limit', { where: { quota_id: id ?? '' } });
}

/** Cluster limits of a quota. */
function clusterLimits(ctx: RuleContext, { id }: Quota): Resource<'quota_cluster_limit'>[] {
  return ctx.tx.list('quota_cluster_limit', { where: { quota_id: id ?? '' } });
}

/** GiB that disks of a quota use, on one domain or on all. */
export function measureStorageUse(ctx: RuleContext, quota: string, domain?: string): number {
  const condition = domain && referringCondition('disk', 'storage_domains', domain);
  const bytes = ctx.tx.sum('disk', 'provisioned_size', {
    where: { quota_id: quota },
    ...(condition ? { condition } : {}),
  });
  return bytes / gibibyte;
}

/** Processors and memory in GiB of the running VMs of a quota, except for one of them. */
export function measureClusterUse(
  ctx: RuleContext,
  quota: string,
  cluster?: string,
  except?: string,
): { vcpus: number; memory: number } {
  const vms = ctx.tx.list('vm', {
    where: { quota_id: quota, ...(cluster ? { cluster_id: cluster } : {}) },
    condition: noneOf('status', offStates),
  });
  const used = { vcpus: 0, memory: 0 };
  for (const vm of vms) {
    if (vm.id === except) continue;
    const needs = measureVm(vm);
    used.vcpus += needs.vcpus;
    used.memory += needs.memory;
  }
  return used;
}

function measureVm(vm: Vm): { vcpus: number; memory: number } {
  const { sockets = 1, cores = 1, threads = 1 } = vm.cpu?.topology ?? {};
  return { vcpus: sockets * cores * threads, memory: Number(vm.memory ?? 0) / gibibyte };
}
