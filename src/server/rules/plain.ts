/** Rules of kinds that need little beyond the generic handling: their events. */

import { notFound } from '../fault.ts';
import { systemOptions } from '../inventory/data/system-options.ts';
import { rules } from './notation.ts';

export const plainRules = [
  rules({
    kind: 'cluster_level',
    // Whoever sees only a part of the service is not told which processors there are.
    present: (ctx) => (ctx.caller.administrator ? {} : { cpu_types: undefined }),
  }),
  rules({
    kind: 'system_option',
    compute(ctx) {
      // One version alone, where the request names it.
      const wanted = ctx.parameters.text('version');
      return Object.entries(systemOptions).map(([name, values]) => ({
        id: name,
        name,
        values: Object.entries(values)
          .filter(
            ([version]) => wanted === undefined || version === wanted || version === 'general',
          )
          .map(([version, value]) => ({ version, value })),
      }));
    },
  }),
  rules({
    kind: 'network_filter_parameter',
    events: { add: 10912, update: 10914, remove: 10910 },
  }),
  rules({
    kind: 'cluster_feature',
    events: { remove: 811 },
    /** What is switched on in a cluster is a feature of its level. */
    attach(ctx, place, sent) {
      const cluster = ctx.tx.get('cluster', place.owner?.id ?? '');
      const level = `${cluster?.version?.major}.${cluster?.version?.minor}`;
      const { id, name } = sent as { readonly id?: string; readonly name?: string };
      const all = { collection: `/clusterlevels/${level}/clusterfeatures` };
      const feature = ctx.tx
        .list('cluster_feature', { where: all })
        .find((one) => (id === undefined ? one.name === name : one.id === id));
      if (!feature) throw notFound(`Cluster level ${level} has no feature ${id ?? name}.`);
      if (!ctx.tx.get('cluster_feature', feature.id ?? '', place.collection)) {
        ctx.tx.insert('cluster_feature', place.collection, feature);
      }
      ctx.event(811, { cluster });
      return feature;
    },
  }),
  rules({ kind: 'openstack_subnet', events: { add: 1142, remove: 1140 } }),
  rules({ kind: 'storage_connection_extension', events: { add: 43, update: 43, remove: 43 } }),
  rules({ kind: 'ssh_public_key', events: { add: 870, update: 872, remove: 874 } }),
  rules({ kind: 'user_option', events: { add: 870, update: 872, remove: 874 } }),
  rules({
    kind: 'event_subscription',
    events: { add: 872, remove: 872 },
    prepare(_ctx, subscription) {
      subscription.name ??= subscription.event ?? '';
    },
  }),
  rules({ kind: 'bookmark', events: { add: 350, update: 352, remove: 354 } }),
];
