/** Rules of affinity labels: what they are put on, and what forgets them when they go. */
import { erase, forgetReferences } from './generic.ts';
import { rules } from './notation.ts';

export const affinityLabelRules = rules({
  kind: 'affinity_label',
  events: { add: 10380, update: 10382 },

  prepare(_ctx, label) {
    label.vms ??= [];
    label.hosts ??= [];
    label.read_only = false;
    label.has_implicit_affinity_group ??= false;
  },

  remove(ctx, { place, object }) {
    ctx.event(10384, {}, { ObjectName: object.name });
    erase(ctx, { place, object: { ...object } });
    forgetReferences(ctx, object.id ?? '');
  },

  relisted(ctx, label) {
    ctx.event(10382, {}, { ObjectName: label.name });
  },
});
