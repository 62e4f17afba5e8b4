/** Quotas and their limits on storage and clusters (specification 4.5). */
import type { Resource } from '../../model/resource.ts';
import { defineBehavior } from '../core/behavior.ts';
import type { CollectionRef } from '../core/collection-ref.ts';
import type { RuleContext } from '../core/context.ts';
import {
  getQuotaMode,
  measureClusterUse,
  measureStorageUse,
  rounded,
  type StoredQuota,
  unlimited,
} from '../inventory/quota.ts';

type Limit = Resource<'quota_storage_limit'> & Resource<'quota_cluster_limit'>;

export const quotaBehavior = defineBehavior('quota', {
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
    if (getQuotaMode(ctx, object) === 'disabled') return;
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

export const quotaStorageLimitBehavior = defineBehavior('quota_storage_limit', {
  events: { add: 'QUOTA_UPDATED', remove: 'QUOTA_UPDATED' },
  beforeCreate(ctx, limit, ref) {
    requireUniform(ctx, 'quota_storage_limit', limit, ref, limit.storage_domain?.id);
    limit.limit ??= unlimited;
    limit.name = '';
  },
  present(ctx, { quota, storage_domain }) {
    return { usage: rounded(measureStorageUse(ctx, quota?.id ?? '', storage_domain?.id)) };
  },
});

export const quotaClusterLimitBehavior = defineBehavior('quota_cluster_limit', {
  events: { add: 'QUOTA_UPDATED', remove: 'QUOTA_UPDATED' },
  beforeCreate(ctx, limit, ref) {
    requireUniform(ctx, 'quota_cluster_limit', limit, ref, limit.cluster?.id);
    limit.vcpu_limit ??= unlimited;
    limit.memory_limit ??= unlimited;
    limit.name = '';
  },
  present(ctx, { quota, cluster }) {
    const used = measureClusterUse(ctx, quota?.id ?? '', cluster?.id);
    return { vcpu_usage: used.vcpus, memory_usage: rounded(used.memory) };
  },
});

/** Limits are either one for all objects, or one for each object. */
function requireUniform(
  ctx: RuleContext,
  kind: 'quota_storage_limit' | 'quota_cluster_limit',
  limit: Limit,
  ref: CollectionRef,
  object: string | undefined,
): void {
  refuseDefault(ctx, ctx.tx.get('quota', ref.owner?.id ?? '') ?? {}, 'limit');
  const others: Limit[] = ctx.tx.list(kind, { where: { collection: ref.collection } });
  const findObjectId = (one: Limit) => one.storage_domain?.id ?? one.cluster?.id;
  const mixed = others.some((one) => (findObjectId(one) === undefined) !== (object === undefined));
  const again = others.some((one) => findObjectId(one) === object);
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
