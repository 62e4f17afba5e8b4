/** Rules of quotas and of their limits: what cannot be changed, what is shown as used. */
import type { Resource } from '../../../model/resource.ts';
import { define } from '../../core/behavior.ts';
import type { Place } from '../../core/collection-ref.ts';
import type { RuleContext } from '../../core/context.ts';
import { clusterUsed, modeOf, type StoredQuota, storageUsed, unlimited } from './quota.ts';

type Limit = Resource<'quota_storage_limit'> & Resource<'quota_cluster_limit'>;

export const quotaRules = define('quota', {
  events: { add: 'QUOTA_ADDED', update: 'QUOTA_UPDATED', remove: 'QUOTA_REMOVED' },

  beforeCreate(ctx, quota, place) {
    quota.data_center = { id: place.owner?.id ?? '' };
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

export const quotaStorageLimitRules = define('quota_storage_limit', {
  events: { add: 'QUOTA_UPDATED', remove: 'QUOTA_UPDATED' },
  beforeCreate(ctx, limit, place) {
    requireUniform(ctx, 'quota_storage_limit', limit, place, limit.storage_domain?.id);
    limit.limit ??= unlimited;
    limit.name = '';
  },
  present(ctx, { quota, storage_domain }) {
    return { usage: rounded(storageUsed(ctx, quota?.id ?? '', storage_domain?.id)) };
  },
});

export const quotaClusterLimitRules = define('quota_cluster_limit', {
  events: { add: 'QUOTA_UPDATED', remove: 'QUOTA_UPDATED' },
  beforeCreate(ctx, limit, place) {
    requireUniform(ctx, 'quota_cluster_limit', limit, place, limit.cluster?.id);
    limit.vcpu_limit ??= unlimited;
    limit.memory_limit ??= unlimited;
    limit.name = '';
  },
  present(ctx, { quota, cluster }) {
    const used = clusterUsed(ctx, quota?.id ?? '', cluster?.id);
    return { vcpu_usage: used.vcpus, memory_usage: rounded(used.memory) };
  },
});

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

/** Limits are all for one object each, or there is one for all objects. */
function requireUniform(
  ctx: RuleContext,
  kind: 'quota_storage_limit' | 'quota_cluster_limit',
  limit: Limit,
  place: Place,
  object: string | undefined,
): void {
  refuseDefault(ctx, ctx.tx.get('quota', place.owner?.id ?? '') ?? {}, 'limit');
  const others: Limit[] = ctx.tx.list(kind, { where: { collection: place.collection } });
  const objectOf = (one: Limit) => one.storage_domain?.id ?? one.cluster?.id;
  const mixed = others.some((one) => (objectOf(one) === undefined) !== (object === undefined));
  const again = others.some((one) => objectOf(one) === object);
  if (mixed || again) ctx.refuse('QUOTA_LIMITS_MIXED', { action: 'add' });
  limit.quota = { id: place.owner?.id ?? '' };
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
