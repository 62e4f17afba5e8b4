/** Scheduling policies and the units that they consist of. */

import type { Resource } from '../../../model/resource.ts';
import { define } from '../../core/behavior.ts';
import type { CollectionRef } from '../../core/collection-ref.ts';
import type { RuleContext } from '../../core/context.ts';
import { refuseInUse } from '../../core/removal.ts';
import { schedulingPolicies } from '../../reference-data/scheduling.ts';

type PartKind = 'filter' | 'weight' | 'balance';

/** Type of the units that may stand at each place of a policy. */
const unitTypes = { filter: 'filter', weight: 'weight', balance: 'load_balancing' } as const;

function partRules(kind: PartKind) {
  return define(kind, {
    events: { add: 'SCHEDULING_POLICY_UPDATED', remove: 'SCHEDULING_POLICY_UPDATED' },
    addsWith: 200,
    beforeCreate(ctx, part, ref) {
      requireUnlocked(ctx, ref, 'edit');
      const id = part.scheduling_policy_unit?.id;
      const unit = id === undefined ? undefined : ctx.tx.get('scheduling_policy_unit', id);
      if (unit?.type !== unitTypes[kind]) {
        ctx.refuse('POLICY_UNIT_UNFIT', {
          action: 'add',
          unit: unit?.name ?? id ?? '',
          place: kind,
        });
      }
      const same = ctx.tx.list(kind, { where: { collection: ref.collection } });
      if (kind === 'balance' ? same.length > 0 : same.some((one) => one.id === id)) {
        ctx.refuse('POLICY_UNIT_TWICE', { action: 'add', unit: unit?.name ?? '' });
      }
      // A part of a policy is named by its unit.
      Object.assign(part, { id, name: unit?.name });
    },
    beforeDelete(ctx, { ref }) {
      requireUnlocked(ctx, ref, 'edit');
    },
  });
}

/** Policies that come with the service do not change. */
function requireUnlocked(ctx: RuleContext, ref: CollectionRef, action: string): void {
  const policy = ref.owner && ctx.tx.get('scheduling_policy', ref.owner.id);
  if (policy?.locked) ctx.refuse('POLICY_IS_LOCKED', { action, name: policy.name });
}

/**
 * Refuses properties that none of the units of a policy knows. A new policy has no units yet, and so no properties.
 * Which a unit knows follows from the predefined policies that it balances.
 */
function requireKnownProperties(
  ctx: RuleContext,
  policy: Resource<'scheduling_policy'>,
  action: string,
): void {
  if (!ctx.site.dialect.engineRefusals) return;
  const collection = `/schedulingpolicies/${policy.id}/balances`;
  const balances = ctx.tx.list('balance', { where: { collection } }).map(({ name }) => name);
  const known = schedulingPolicies
    .filter(({ balance }) => balances.includes(balance))
    .flatMap(({ properties }) => Object.keys(properties));
  const stranger = policy.properties?.find(({ name = '' }) => !known.includes(name));
  if (stranger) ctx.refuse('POLICY_PROPERTY_UNKNOWN', { action, name: stranger.name });
}

export const schedulingPolicyBehaviors = [
  partRules('filter'),
  partRules('weight'),
  partRules('balance'),
  define('scheduling_policy', {
    events: {
      add: 'SCHEDULING_POLICY_ADDED',
      update: 'SCHEDULING_POLICY_UPDATED',
      remove: 'SCHEDULING_POLICY_REMOVED',
    },
    beforeCreate(ctx, policy) {
      requireKnownProperties(ctx, policy, 'add');
      Object.assign(policy, { locked: false, default_policy: false });
    },
    beforeUpdate(ctx, before, after) {
      // Engines change the description of built-in policies.
      const isLocked = before.locked && !ctx.site.dialect.engineAnswers;
      if (isLocked) ctx.refuse('POLICY_IS_LOCKED', { action: 'edit', name: before.name });
      requireKnownProperties(ctx, after, 'edit');
    },
    beforeDelete(ctx, { ref, object }) {
      if (object.locked) ctx.refuse('POLICY_IS_LOCKED', { action: 'remove', name: object.name });
      const where = { scheduling_policy_id: object.id ?? '' };
      const clusters = ctx.tx.list('cluster', { where, limit: 6 });
      refuseInUse({ ref, object: { ...object } }, clusters, 'the clusters');
    },
  }),
  define('scheduling_policy_unit', {
    beforeDelete(ctx, { object }) {
      ctx.refuse('POLICY_UNIT_IS_INTERNAL', { action: 'remove', name: object.name });
    },
  }),
];
