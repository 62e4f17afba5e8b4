/** Scheduling policies and their units. */

import type { Resource } from '../../../model/resource.ts';
import { defineBehavior } from '../../core/behavior.ts';
import type { CollectionRef } from '../../core/collection-ref.ts';
import type { RuleContext } from '../../core/context.ts';
import { refuseInUse } from '../../core/removal.ts';
import { schedulingPolicies } from '../../reference-data/scheduling.ts';

type PartKind = 'filter' | 'weight' | 'balance';

/** Type of the units in each collection of a policy. */
const unitTypes = { filter: 'filter', weight: 'weight', balance: 'load_balancing' } as const;

function definePart(kind: PartKind) {
  return defineBehavior(kind, {
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
      // A part of a policy has the name of its unit.
      Object.assign(part, { id, name: unit?.name });
    },
    beforeDelete(ctx, { ref }) {
      requireUnlocked(ctx, ref, 'edit');
    },
  });
}

/** Refuses changes of built-in policies. */
function requireUnlocked(ctx: RuleContext, ref: CollectionRef, action: string): void {
  const policy = ref.owner && ctx.tx.get('scheduling_policy', ref.owner.id);
  if (policy?.locked) ctx.refuse('POLICY_IS_LOCKED', { action, name: policy.name });
}

/**
 * Refuses properties that no unit of a policy supports. A new policy has no units and therefore no
 * properties. The built-in policies determine the properties of each unit.
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
  const invalid = policy.properties?.find(({ name = '' }) => !known.includes(name));
  if (invalid) ctx.refuse('POLICY_PROPERTY_UNKNOWN', { action, name: invalid.name });
}

export const schedulingPolicyBehaviors = [
  definePart('filter'),
  definePart('weight'),
  definePart('balance'),
  defineBehavior('scheduling_policy', {
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
  defineBehavior('scheduling_policy_unit', {
    beforeDelete(ctx, { object }) {
      ctx.refuse('POLICY_UNIT_IS_INTERNAL', { action: 'remove', name: object.name });
    },
  }),
];
