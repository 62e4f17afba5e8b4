/** Rules of CPU and disk profiles: who may use them, what keeps them. */
import type { Resource } from '../../../model/resource.ts';
import { everyone } from '../../auth/permissions.ts';
import { define } from '../../core/behavior.ts';
import type { RuleContext } from '../../core/context.ts';
import type { StoredObject } from '../../store/document.ts';

type Profile = Resource<'cpu_profile'> & Resource<'disk_profile'>;

export const cpuProfileRules = define('cpu_profile', {
  events: {
    add: 'CPU_PROFILE_ADDED',
    update: 'CPU_PROFILE_UPDATED',
    remove: 'CPU_PROFILE_REMOVED',
  },

  beforeCreate(ctx, profile) {
    const cluster = ctx.tx.get('cluster', profile.cluster?.id ?? '');
    requireQos(ctx, profile, 'cpu', cluster?.data_center?.id);
  },

  afterCreate(ctx, { object }) {
    grant(ctx, `/cpuprofiles/${object.id}`, 'CpuProfileOperator');
  },

  beforeUpdate(ctx, before, after, _place, sent) {
    requireParent(ctx, before.cluster?.id, sent, 'cluster');
    after.cluster = { id: before.cluster?.id ?? '' };
    if (sent['qos'] === undefined) return;
    const cluster = ctx.tx.get('cluster', before.cluster?.id ?? '');
    requireQos(ctx, after, 'cpu', cluster?.data_center?.id);
  },

  beforeDelete(ctx, { object }) {
    const id = object.id ?? '';
    const users = [
      ...ctx.tx.list('vm', { where: { cpu_profile_id: id }, limit: 6 }),
      ...ctx.tx.list('template', { where: { cpu_profile_id: id }, limit: 6 }),
    ];
    refuseUsed(ctx, object, users);
    const where = { cluster_id: object.cluster?.id ?? '' };
    if (ctx.tx.count('cpu_profile', { where }) === 1) {
      ctx.refuse('PROFILE_IS_LAST', { action: 'remove', name: object.name, parent: 'cluster' });
    }
  },
});

export const diskProfileRules = define('disk_profile', {
  events: {
    add: 'DISK_PROFILE_ADDED',
    update: 'DISK_PROFILE_UPDATED',
    remove: 'DISK_PROFILE_REMOVED',
  },

  beforeCreate(ctx, profile) {
    requireQos(ctx, profile, 'storage', dataCenterOf(ctx, profile));
  },

  afterCreate(ctx, { object }) {
    grant(ctx, `/diskprofiles/${object.id}`, 'DiskProfileUser');
  },

  beforeUpdate(ctx, before, after, _place, sent) {
    requireParent(ctx, before.storage_domain?.id, sent, 'storage_domain');
    after.storage_domain = { id: before.storage_domain?.id ?? '' };
    if (sent['qos'] !== undefined) requireQos(ctx, after, 'storage', dataCenterOf(ctx, after));
  },

  beforeDelete(ctx, { object }) {
    const where = { disk_profile_id: object.id ?? '' };
    refuseUsed(ctx, object, ctx.tx.list('disk', { where, limit: 6 }));
    const siblings = { storage_domain_id: object.storage_domain?.id ?? '' };
    if (ctx.tx.count('disk_profile', { where: siblings }) === 1) {
      ctx.refuse('PROFILE_IS_LAST', {
        action: 'remove',
        name: object.name,
        parent: 'storage domain',
      });
    }
  },
});

function dataCenterOf(ctx: RuleContext, profile: Resource<'disk_profile'>): string | undefined {
  const id = profile.storage_domain?.id ?? '';
  return ctx.tx.find('attached_storage_domain', { id })?.data_center?.id;
}

/** Refuses limits of another kind or of another data center. An empty element takes them away. */
function requireQos(
  ctx: RuleContext,
  profile: Pick<Profile, 'qos'>,
  type: 'cpu' | 'storage',
  dataCenter: string | undefined,
): void {
  const id = profile.qos?.id;
  if (!id) {
    delete profile.qos;
    return;
  }
  const qos = ctx.tx.get('qos', id);
  const elsewhere = dataCenter !== undefined && qos?.data_center?.id !== dataCenter;
  if (qos?.type !== type || elsewhere) {
    ctx.refuse('QOS_DOES_NOT_FIT', { action: 'add', name: qos?.name, type });
  }
}

function requireParent(
  ctx: RuleContext,
  before: string | undefined,
  sent: StoredObject,
  parent: string,
): void {
  const id = (sent[parent] as { id?: string } | undefined)?.id;
  if (id !== undefined && id !== before) {
    ctx.refuse('PROFILE_PARENT_FIXED', { action: 'edit', parent: parent.replace('_', ' ') });
  }
}

function refuseUsed(
  ctx: RuleContext,
  profile: { name?: string },
  users: readonly { name?: string; id?: string }[],
): void {
  if (users.length === 0) return;
  const names = users.map(({ name, id }) => name ?? id).join(', ');
  ctx.refuse('PROFILE_IN_USE', { action: 'remove', name: profile.name, users: names });
}

/** Everybody may use a new profile. */
function grant(ctx: RuleContext, path: string, roleName: string): void {
  const role = ctx.tx.byName('role', roleName)?.id;
  if (!role) return;
  ctx.tx.insert('permission', `${path}/permissions`, {
    id: ctx.site.newId(),
    role: { id: role },
    group: { id: everyone },
  });
}
