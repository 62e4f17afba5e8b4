/** Quotas: limits, usage, and the requests that they refuse (specification 4.5). */

import type { EventName } from '../../model/events.ts';
import type { Resource } from '../../model/resource.ts';
import { isPermitted } from '../auth/permissions.ts';
import { define } from '../core/behavior.ts';
import type { CollectionRef } from '../core/collection-ref.ts';
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

function rounded(value: number): number {
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
function storageUsed(ctx: RuleContext, quota: string, domain?: string): number {
  const condition = domain && referringCondition('disk', 'storage_domains', domain);
  const bytes = ctx.tx.sum('disk', 'provisioned_size', {
    where: { quota_id: quota },
    ...(condition ? { condition } : {}),
  });
  return bytes / gibibyte;
}

/** Processors, and memory in GiB, of running virtual machines of a quota, but for one of them. */
function clusterUsed(
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

type Limit = Resource<'quota_storage_limit'> & Resource<'quota_cluster_limit'>;

export const quotaBehavior = define('quota', {
  events: { add: 'QUOTA_ADDED', update: 'QUOTA_UPDATED', remove: 'QUOTA_REMOVED' },

  beforeCreate(ctx, quota, ref) {
    quota.data_center = { id: ref.owner?.id ?? '' };
    checkPercentages(ctx, quota, 'add');
  },

  beforeUpdate(ctx, before, after) {
    refuseDefault(ctx, before, 'edit');
    checkPercentages(ctx, after, 'edit');
  },

  beforeDelete(ctx, { object }) {
    refuseDefault(ctx, object, 'remove');
    if (modeOf(ctx, object) === 'disabled') return;
    const where = { quota_id: object.id ?? '' };
    const users = [
      ...ctx.tx.list('vm', { where, limit: 6 }),
      ...ctx.tx.list('disk', { where, limit: 6 }),
    ];
    if (users.length === 0) return;
    const names = users.map(({ name }) => name).join(', ');
    ctx.refuse('QUOTA_IN_USE', { action: 'remove', name: object.name, users: names });
  },
});

export const quotaStorageLimitBehavior = define('quota_storage_limit', {
  events: { add: 'QUOTA_UPDATED', remove: 'QUOTA_UPDATED' },
  beforeCreate(ctx, limit, ref) {
    requireUniform(ctx, 'quota_storage_limit', limit, ref, limit.storage_domain?.id);
    limit.limit ??= unlimited;
    limit.name = '';
  },
  present(ctx, { quota, storage_domain }) {
    return { usage: rounded(storageUsed(ctx, quota?.id ?? '', storage_domain?.id)) };
  },
});

export const quotaClusterLimitBehavior = define('quota_cluster_limit', {
  events: { add: 'QUOTA_UPDATED', remove: 'QUOTA_UPDATED' },
  beforeCreate(ctx, limit, ref) {
    requireUniform(ctx, 'quota_cluster_limit', limit, ref, limit.cluster?.id);
    limit.vcpu_limit ??= unlimited;
    limit.memory_limit ??= unlimited;
    limit.name = '';
  },
  present(ctx, { quota, cluster }) {
    const used = clusterUsed(ctx, quota?.id ?? '', cluster?.id);
    return { vcpu_usage: used.vcpus, memory_usage: rounded(used.memory) };
  },
});

/** Limits are all for one object each, or there is one for all objects. */
function requireUniform(
  ctx: RuleContext,
  kind: 'quota_storage_limit' | 'quota_cluster_limit',
  limit: Limit,
  ref: CollectionRef,
  object: string | undefined,
): void {
  refuseDefault(ctx, ctx.tx.get('quota', ref.owner?.id ?? '') ?? {}, 'limit');
  const others: Limit[] = ctx.tx.list(kind, { where: { collection: ref.collection } });
  const objectOf = (one: Limit) => one.storage_domain?.id ?? one.cluster?.id;
  const mixed = others.some((one) => (objectOf(one) === undefined) !== (object === undefined));
  const again = others.some((one) => objectOf(one) === object);
  if (mixed || again) ctx.refuse('QUOTA_LIMITS_MIXED', { action: 'add' });
  limit.quota = { id: ref.owner?.id ?? '' };
}

function refuseDefault(ctx: RuleContext, quota: StoredQuota, action: string): void {
  if (quota.isDefault) ctx.refuse('QUOTA_IS_DEFAULT', { action, name: quota.name });
}

const percentages = [
  ['cluster_soft_limit_pct', 100],
  ['storage_soft_limit_pct', 100],
  ['cluster_hard_limit_pct', 1_000],
  ['storage_hard_limit_pct', 1_000],
] as const;

function checkPercentages(ctx: RuleContext, quota: StoredQuota, action: string): void {
  for (const [attribute, max] of percentages) {
    const value = quota[attribute];
    if (value === undefined || (value >= 0 && value <= max)) continue;
    ctx.refuse('VALUE_OUT_OF_RANGE', { action, type: 'Quota', attribute, value, min: 0, max });
  }
}
