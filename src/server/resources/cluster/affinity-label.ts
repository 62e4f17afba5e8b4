/** Rules of affinity labels: what they are put on, and what forgets them when they go. */
import type { Resource } from '../../../model/resource.ts';
import { erase, forgetReferences } from '../../api/generic.ts';
import { define } from '../../core/behavior.ts';
import type { RuleContext } from '../../core/context.ts';

export const affinityLabelRules = define('affinity_label', {
  events: { add: 'AFFINITY_LABEL_ADDED', update: 'AFFINITY_LABEL_UPDATED' },

  beforeCreate(_ctx, label) {
    label.vms ??= [];
    label.hosts ??= [];
    label.read_only = false;
    label.has_implicit_affinity_group ??= false;
  },

  remove(ctx, { place, object }) {
    ctx.event('AFFINITY_LABEL_REMOVED', {}, { ObjectName: object.name });
    erase(ctx, { place, object: { ...object } });
    forgetReferences(ctx, object.id ?? '');
  },

  onMembershipChange(ctx, label) {
    ctx.event('AFFINITY_LABEL_UPDATED', {}, { ObjectName: label.name });
  },
});

/** Puts exactly those labels on a host that were sent with it; they are kept with the labels. */
export function wearLabels(ctx: RuleContext, host: Resource<'host'>): void {
  const wanted = host.affinity_labels;
  if (!wanted) return;
  delete host.affinity_labels;
  const ids = new Set(wanted.map(({ id }) => id));
  for (const label of ctx.tx.list('affinity_label')) {
    const others = (label.hosts ?? []).filter(({ id }) => id !== host.id);
    const worn = others.length < (label.hosts ?? []).length;
    if (worn === ids.has(label.id)) continue;
    const hosts = worn ? others : [...others, { id: host.id ?? '' }];
    ctx.tx.update('affinity_label', { ...label, hosts });
  }
}
