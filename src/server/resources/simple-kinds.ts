/** Kinds with only a few lines of behavior beyond the generic implementation. */

import { defineBehavior } from '../core/behavior.ts';
import type { RuleContext } from '../core/context.ts';
import { notFound } from '../core/fault.ts';
import { normalizedJson } from '../core/json-text.ts';
import { systemOptions } from '../reference-data/system-options.ts';

export const plainBehaviors = [
  defineBehavior('cluster_level', {
    // Users with a restricted view do not see the processor types.
    present: (ctx) =>
      ctx.caller.administrator && ctx.parameters.flag('filter') !== true
        ? {}
        : { cpu_types: undefined },
  }),
  defineBehavior('system_option', {
    compute(ctx) {
      // A requested version selects its values.
      const wanted = ctx.parameters.text('version');
      const options = Object.entries(systemOptions).map(([name, values]) => ({
        id: name,
        name,
        values: Object.entries(values)
          .filter(([version]) => wanted === undefined || version === wanted)
          .map(([version, value]) => ({ version, value })),
      }));
      // An option without a value for the version does not exist in it.
      return options.filter(({ values }) => values.length > 0);
    },
  }),
  defineBehavior('network_filter_parameter', {
    events: {
      add: 'NIC_FILTER_PARAMETER_ADDED',
      update: 'NIC_FILTER_PARAMETER_UPDATED',
      remove: 'NIC_FILTER_PARAMETER_REMOVED',
    },
  }),
  defineBehavior('cluster_feature', {
    events: { remove: 'CLUSTER_UPDATED' },
    /** An enabled feature must be a feature of the level of the cluster. */
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
  defineBehavior('openstack_subnet', { events: { add: 'SUBNET_ADDED', remove: 'SUBNET_REMOVED' } }),
  defineBehavior('storage_connection_extension', {
    events: { add: 'HOST_UPDATED', update: 'HOST_UPDATED', remove: 'HOST_UPDATED' },
  }),
  defineBehavior('ssh_public_key', {
    events: {
      add: 'USER_PROFILE_ADDED',
      update: 'USER_PROFILE_UPDATED',
      remove: 'USER_PROFILE_REMOVED',
    },
    beforeCreate: (ctx, { content }) => requireSshKey(ctx, content, 'add'),
    beforeUpdate: (ctx, _before, { content }) => requireSshKey(ctx, content, 'edit'),
  }),
  defineBehavior('user_option', {
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
  defineBehavior('event_subscription', {
    events: { add: 'USER_PROFILE_UPDATED', remove: 'USER_PROFILE_UPDATED' },
    /** Engines use the event name as the id, so each user has one subscription per event. */
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
  defineBehavior('bookmark', {
    events: { add: 'BOOKMARK_ADDED', update: 'BOOKMARK_UPDATED', remove: 'BOOKMARK_REMOVED' },
  }),
];

/** Refuses an invalid public key in OpenSSH format: algorithm, base64, comment. */
function requireSshKey(ctx: RuleContext, content = '', action: string): void {
  const [, algorithm = '', data = ''] =
    /^\s*((?:ssh|ecdsa|sk-ssh|sk-ecdsa)-[\w.@-]+)\s+([A-Za-z0-9+/]+=*)(?:\s|$)/.exec(content) ?? [];
  const bytes = Buffer.from(data, 'base64');
  // The key data repeats the algorithm after its length.
  const named = bytes.length > 4 ? bytes.subarray(4, 4 + bytes.readUInt32BE(0)).toString() : '';
  if (algorithm === '' || named !== algorithm) ctx.refuse('SSH_KEY_INVALID', { action });
}
