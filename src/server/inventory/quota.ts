/** Quotas: what is used of their limits, and the requests that they refuse (specification 4.5). */

import type { EventName } from '../../model/events.ts';
import type { Resource } from '../../model/resource.ts';
import { isPermitted } from '../auth/permissions.ts';
import type { RuleContext } from '../core/context.ts';
import { noneOf, referringCondition } from '../store/conditions.ts';
import type { ObjectOf } from '../store/transaction.ts';

type Quota = Resource<'quota'>;
type Vm = ObjectOf<'vm'>;

/** A quota as it is stored: that of a data center which stands for "no quota" cannot be changed. */
export type StoredQuota = Quota & { isDefault?: boolean };

const gibibyte = 2 ** 30;
/** The limit of what is not limited. */
export const unlimited = -1;

const offStates = ['down', 'suspended', 'image_locked'];

/** What a quota limits, and the events about it. */
interface Resourceful {
  readonly what: string;
  /** What faults call it, after a number. */
  readonly amount: string;
  /** Type of the objects that take it. */
  readonly type: string;
  readonly exceeded: EventName;
  readonly grace: EventName;
  readonly threshold: EventName;
}

const storage: Resourceful = {
  what: 'storage',
  amount: 'GiB of storage',
  type: 'Virtual Disk',
  exceeded: 'QUOTA_STORAGE_EXCEEDED',
  grace: 'QUOTA_STORAGE_GRACE',
  threshold: 'QUOTA_STORAGE_THRESHOLD',
};
const vcpus: Resourceful = {
  what: 'virtual CPUs',
  amount: 'virtual CPUs',
  type: 'VM',
  exceeded: 'QUOTA_CLUSTER_EXCEEDED',
  grace: 'QUOTA_CLUSTER_GRACE',
  threshold: 'QUOTA_CLUSTER_THRESHOLD',
};
const memory: Resourceful = { ...vcpus, what: 'memory', amount: 'GiB of memory' };

/** The quota of a data center that stands for no quota. */
export function defaultQuota(ctx: RuleContext, dataCenter: string): Quota | undefined {
  const quotas: StoredQuota[] = ctx.tx.list('quota', {
    where: { collection: `/datacenters/${dataCenter}/quotas` },
  });
  return quotas.find(({ isDefault }) => isDefault) ?? quotas[0];
}

/** Takes bytes of a storage domain from a quota. Refuses, or warns, when it is used up. */
export function chargeStorage(
  ctx: RuleContext,
  quota: string | undefined,
  domain: string,
  bytes: number,
  action: string,
): void {
  const owner = chargeable(ctx, quota, action);
  if (!owner || bytes <= 0) return;
  const soft = owner.storage_soft_limit_pct ?? 80;
  const hard = owner.storage_hard_limit_pct ?? 20;
  for (const limit of storageLimits(ctx, owner)) {
    if (limit.storage_domain?.id && limit.storage_domain.id !== domain) continue;
    const used = storageUsed(ctx, owner.id ?? '', limit.storage_domain?.id) + bytes / gibibyte;
    check(ctx, owner, storage, used, Number(limit.limit ?? unlimited), { soft, hard, action });
  }
}

/** Takes the processors and memory of a virtual machine that is started from its quota. */
export function chargeCluster(ctx: RuleContext, vm: Vm, action = 'run'): void {
  const cluster = ctx.tx.get('cluster', vm.cluster?.id ?? '');
  const quota = vm.quota?.id ?? defaultQuota(ctx, cluster?.data_center?.id ?? '')?.id;
  const owner = chargeable(ctx, quota, action);
  if (!owner) return;
  const soft = owner.cluster_soft_limit_pct ?? 80;
  const hard = owner.cluster_hard_limit_pct ?? 20;
  const own = needsOf(vm);
  for (const limit of clusterLimits(ctx, owner)) {
    if (limit.cluster?.id && limit.cluster.id !== cluster?.id) continue;
    const used = clusterUsed(ctx, owner.id ?? '', limit.cluster?.id, vm.id);
    const terms = { soft, hard, action };
    check(ctx, owner, vcpus, used.vcpus + own.vcpus, limit.vcpu_limit ?? unlimited, terms);
    check(ctx, owner, memory, used.memory + own.memory, limit.memory_limit ?? unlimited, terms);
  }
}

/**
 * Refuses a quota that does not limit what a VM takes, or that is of another data center than the
 * cluster of the VM. That of the data center itself is always usable.
 */
export function requireUsableQuota(ctx: RuleContext, vm: Vm, action: string): void {
  const quota: StoredQuota | undefined = vm.quota?.id
    ? ctx.tx.get('quota', vm.quota.id)
    : undefined;
  const home = ctx.tx.get('cluster', vm.cluster?.id ?? '')?.data_center?.id;
  if (!quota?.id || defaultQuota(ctx, home ?? '')?.id === quota.id) return;
  if (quota.data_center?.id === home && clusterLimits(ctx, quota).length > 0) return;
  ctx.refuse('QUOTA_UNUSABLE', { action, name: quota.name });
}

/** Refuses a quota without limits on storage for a disk, except the default quota of the data center. */
export function requireStorageQuota(ctx: RuleContext, quota: Quota, action: string): void {
  const isDefault = defaultQuota(ctx, quota.data_center?.id ?? '')?.id === quota.id;
  if (isDefault || storageLimits(ctx, quota).length > 0) return;
  ctx.refuse('STORAGE_QUOTA_UNUSABLE', { action, name: quota.name });
}

/** The quota where its data center looks at quotas. Refuses whoever may not consume it. */
function chargeable(ctx: RuleContext, id: string | undefined, action: string): Quota | undefined {
  const quota = id ? ctx.tx.get('quota', id) : undefined;
  if (!quota?.id) return undefined;
  const mode = modeOf(ctx, quota);
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

/** Whether a data center refuses (`enabled`), warns (`audit`) or does not look at all. */
export function modeOf(ctx: RuleContext, quota: Quota): 'enabled' | 'disabled' | 'audit' {
  const dataCenter = ctx.tx.get('data_center', quota.data_center?.id ?? '');
  return dataCenter?.quota_mode ?? 'disabled';
}

function check(
  ctx: RuleContext,
  quota: Quota,
  { what, amount, type, exceeded, grace, threshold }: Resourceful,
  used: number,
  limit: number,
  { soft, hard, action }: { soft: number; hard: number; action: string },
): void {
  if (limit < 0) return;
  const messageParams = { Resource: what, Used: rounded(used), Limit: limit };
  const dataCenter = ctx.tx.get('data_center', quota.data_center?.id ?? '');
  const subjects = { data_center: dataCenter, quota };
  if (used > (limit * (100 + hard)) / 100) {
    if (modeOf(ctx, quota) === 'enabled') {
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

/** With two digits behind the point, as usage is shown. */
export function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

/** Limits of a quota on storage. */
function storageLimits(ctx: RuleContext, { id }: Quota): Resource<'quota_storage_limit'>[] {
  return ctx.tx.list('quota_storage_limit', { where: { quota_id: id ?? '' } });
}

/** Limits of a quota on clusters. */
function clusterLimits(ctx: RuleContext, { id }: Quota): Resource<'quota_cluster_limit'>[] {
  return ctx.tx.list('quota_cluster_limit', { where: { quota_id: id ?? '' } });
}

/** GiB that disks of a quota take, on one domain or on all. */
export function storageUsed(ctx: RuleContext, quota: string, domain?: string): number {
  const condition = domain && referringCondition('disk', 'storage_domains', domain);
  const bytes = ctx.tx.sum('disk', 'provisioned_size', {
    where: { quota_id: quota },
    ...(condition ? { condition } : {}),
  });
  return bytes / gibibyte;
}

/** Processors, and memory in GiB, of running virtual machines of a quota, but for one of them. */
export function clusterUsed(
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
    const needs = needsOf(vm);
    used.vcpus += needs.vcpus;
    used.memory += needs.memory;
  }
  return used;
}

function needsOf(vm: Vm): { vcpus: number; memory: number } {
  const { sockets = 1, cores = 1, threads = 1 } = vm.cpu?.topology ?? {};
  return { vcpus: sockets * cores * threads, memory: Number(vm.memory ?? 0) / gibibyte };
}
