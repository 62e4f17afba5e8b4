/** Kinds whose behavior is a few lines beyond the generic handling. */

import { define } from '../core/behavior.ts';
import type { RuleContext } from '../core/context.ts';
import { notFound } from '../core/fault.ts';
import { normalizedJson } from '../core/json-text.ts';
import { systemOptions } from '../reference-data/system-options.ts';

export const plainBehaviors = [
  define('cluster_level', {
    // Whoever sees only a part of the service is not told which processors there are.
    present: (ctx) =>
      ctx.caller.administrator && ctx.parameters.flag('filter') !== true
        ? {}
        : { cpu_types: undefined },
  }),
  define('system_option', {
    compute(ctx) {
      // One version alone, where the request names it.
      const wanted = ctx.parameters.text('version');
      const options = Object.entries(systemOptions).map(([name, values]) => ({
        id: name,
        name,
        values: Object.entries(values)
          .filter(([version]) => wanted === undefined || version === wanted)
          .map(([version, value]) => ({ version, value })),
      }));
      // An option that has no value of a version is not there for it.
      return options.filter(({ values }) => values.length > 0);
    },
  }),
  define('network_filter_parameter', {
    events: {
      add: 'NIC_FILTER_PARAMETER_ADDED',
      update: 'NIC_FILTER_PARAMETER_UPDATED',
      remove: 'NIC_FILTER_PARAMETER_REMOVED',
    },
  }),
  define('cluster_feature', {
    events: { remove: 'CLUSTER_UPDATED' },
    /** What is switched on in a cluster is a feature of its level. */
    attach(ctx, ref, sent) {
      const cluster = ctx.tx.get('cluster', ref.owner?.id ?? '');
      const level = `${cluster?.version?.major}.${cluster?.version?.minor}`;
      const { id, name } = sent;
      const all = { collection: `/clusterlevels/${level}/clusterfeatures` };
      const feature = ctx.tx
        .list('cluster_feature', { where: all })
        .find((one) => (id === undefined ? one.name === name : one.id === id));
      if (!feature) throw notFound(`Cluster level ${level} has no feature ${id ?? name}.`);
      if (!ctx.tx.get('cluster_feature', feature.id ?? '', ref.collection)) {
        ctx.tx.insert('cluster_feature', ref.collection, feature);
      }
      ctx.event('CLUSTER_UPDATED', { cluster });
      return feature;
    },
  }),
  define('openstack_subnet', { events: { add: 'SUBNET_ADDED', remove: 'SUBNET_REMOVED' } }),
  define('storage_connection_extension', {
    events: { add: 'HOST_UPDATED', update: 'HOST_UPDATED', remove: 'HOST_UPDATED' },
  }),
  define('ssh_public_key', {
    events: {
      add: 'USER_PROFILE_ADDED',
      update: 'USER_PROFILE_UPDATED',
      remove: 'USER_PROFILE_REMOVED',
    },
    beforeCreate: (ctx, { content }) => requireSshKey(ctx, content, 'add'),
    beforeUpdate: (ctx, _before, { content }) => requireSshKey(ctx, content, 'edit'),
  }),
  define('user_option', {
    events: {
      add: 'USER_PROFILE_ADDED',
      update: 'USER_PROFILE_UPDATED',
      remove: 'USER_PROFILE_REMOVED',
    },
    beforeCreate(ctx, option, ref) {
      if (ctx.site.dialect.engineRefusals) {
        const content = normalizedJson(option.content ?? '');
        if (content === undefined) ctx.refuse('USER_OPTION_NOT_JSON', { action: 'add' });
        Object.assign(option, { content });
      }
      const { name = '' } = option;
      if (ctx.tx.byName('user_option', name, { collection: ref.collection })) {
        ctx.refuse('NAME_IN_USE', { action: 'add', type: 'UserOption', name });
      }
    },
  }),
  define('event_subscription', {
    events: { add: 'USER_PROFILE_UPDATED', remove: 'USER_PROFILE_UPDATED' },
    /** With engines a user is told of an event once: the event names the subscription. */
    beforeCreate(ctx, subscription, ref) {
      subscription.name ??= subscription.event ?? '';
      if (!ctx.site.dialect.engineAnswers) return;
      const { event = '' } = subscription;
      Object.assign(subscription, { id: event, user: { id: ref.owner?.id ?? '' } });
      if (ctx.tx.get('event_subscription', event, ref.collection)) {
        ctx.refuse('NAME_IN_USE', { action: 'add', type: 'EventSubscription', name: event });
      }
    },
  }),
  define('bookmark', {
    events: { add: 'BOOKMARK_ADDED', update: 'BOOKMARK_UPDATED', remove: 'BOOKMARK_REMOVED' },
  }),
];

/** Refuses what is no public key in the form of OpenSSH: algorithm, base64, comment. */
function requireSshKey(ctx: RuleContext, content = '', action: string): void {
  const [, algorithm = '', data = ''] =
    /^\s*((?:ssh|ecdsa|sk-ssh|sk-ecdsa)-[\w.@-]+)\s+([A-Za-z0-9+/]+=*)(?:\s|$)/.exec(content) ?? [];
  const bytes = Buffer.from(data, 'base64');
  // The key repeats the algorithm, after its length.
  const named = bytes.length > 4 ? bytes.subarray(4, 4 + bytes.readUInt32BE(0)).toString() : '';
  if (algorithm === '' || named !== algorithm) ctx.refuse('SSH_KEY_INVALID', { action });
}
