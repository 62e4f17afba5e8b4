/** Rules of kinds that need little beyond the generic handling: their events. */
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
          .filter(([version]) => wanted === undefined || version === wanted)
          .map(([version, value]) => ({ version, value })),
      }));
    },
  }),
  rules({
    kind: 'network_filter_parameter',
    events: { add: 10912, update: 10914, remove: 10910 },
  }),
  rules({ kind: 'cluster_feature', events: { add: 811, remove: 811 } }),
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
