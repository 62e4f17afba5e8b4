/** Quality of service, CPU profiles and disk profiles. */
import type { Resource } from '../../model/resource.ts';
import { everyone } from '../../model/resources/group.ts';
import { defineBehavior } from '../core/behavior.ts';
import type { RuleContext } from '../core/context.ts';
import { findDomainDataCenter } from '../inventory/disk.ts';
import { grantRole } from '../inventory/grants.ts';
import { getValueAt, type StoredObject } from '../store/kinds.ts';

type Profile = Resource<'cpu_profile'> & Resource<'disk_profile'>;

/** Grantee of new profiles: the group Everyone. */
const everybody = { group: { id: everyone } };

export const cpuProfileBehavior = defineBehavior('cpu_profile', {
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
    grantRole(ctx, 'CpuProfileOperator', everybody, `/cpuprofiles/${object.id}`);
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

export const diskProfileBehavior = defineBehavior('disk_profile', {
  events: {
    add: 'DISK_PROFILE_ADDED',
    update: 'DISK_PROFILE_UPDATED',
    remove: 'DISK_PROFILE_REMOVED',
  },

  beforeCreate(ctx, profile) {
    requireQos(ctx, profile, 'storage', findDomainDataCenter(ctx, profile.storage_domain));
  },

  afterCreate(ctx, { object }) {
    grantRole(ctx, 'DiskProfileUser', everybody, `/diskprofiles/${object.id}`);
  },

  beforeUpdate(ctx, before, after, _place, sent) {
    requireParent(ctx, before.storage_domain?.id, sent, 'storage_domain');
    after.storage_domain = { id: before.storage_domain?.id ?? '' };
    if (sent['qos'] !== undefined)
      requireQos(ctx, after, 'storage', findDomainDataCenter(ctx, after.storage_domain));
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

/** Refuses limits of another type or data center. An empty element clears the limits. */
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
  const id = getValueAt(sent, [parent, 'id']);
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

type Qos = Resource<'qos'>;
type Limit = Exclude<
  keyof Qos &
    `${string}${'throughput' | 'iops' | 'limit' | 'average' | 'peak' | 'burst' | 'share' | 'time'}`,
  undefined
>;
type Bounds = ReadonlyMap<Limit, readonly [min: number, max: number]>;

/** Limits of each type, with their minimum and maximum. */
const boundsByType: Readonly<Record<string, Bounds>> = {
  storage: new Map([
    ['max_throughput', [0, 1_000_000]],
    ['max_read_throughput', [0, 1_000_000]],
    ['max_write_throughput', [0, 1_000_000]],
    ['max_iops', [0, 1_000_000]],
    ['max_read_iops', [0, 1_000_000]],
    ['max_write_iops', [0, 1_000_000]],
  ]),
  cpu: new Map([['cpu_limit', [1, 100]]]),
  network: new Map([
    ['inbound_average', [0, 17_179]],
    ['inbound_peak', [0, 34_359]],
    ['inbound_burst', [0, 10_240]],
    ['outbound_average', [0, 17_179]],
    ['outbound_peak', [0, 34_359]],
    ['outbound_burst', [0, 10_240]],
  ]),
  hostnetwork: new Map([
    ['outbound_average_linkshare', [0, 100]],
    ['outbound_average_upperlimit', [0, 1_000_000]],
    ['outbound_average_realtime', [0, 1_000_000]],
  ]),
};

const allLimits = Object.values(boundsByType).flatMap((bounds) => [...bounds.keys()]);

/** Mutually exclusive limits: a total, or separate limits of reading and writing. */
const totals = [
  ['max_throughput', 'max_read_throughput', 'max_write_throughput'],
  ['max_iops', 'max_read_iops', 'max_write_iops'],
] as const;

export const qosBehavior = defineBehavior('qos', {
  events: {
    add: ({ type }) => (type === 'network' ? 'NETWORK_QOS_ADDED' : 'QOS_ADDED'),
    update: ({ type }) => (type === 'network' ? 'NETWORK_QOS_UPDATED' : 'QOS_UPDATED'),
  },

  beforeCreate(ctx, qos, ref) {
    qos.data_center = { id: ref.owner?.id ?? '' };
    check(ctx, qos, 'add');
    requireOwnName(ctx, qos, ref.collection, 'add');
  },

  beforeUpdate(ctx, before, after, ref) {
    check(ctx, after, 'edit');
    if (before.name !== after.name) requireOwnName(ctx, after, ref.collection, 'edit');
  },

  /** Clears the reference in objects that used the limits. */
  remove(ctx, { object, ref }) {
    const where = { qos_id: object.id ?? '' };
    for (const kind of ['cpu_profile', 'disk_profile', 'vnic_profile', 'network'] as const) {
      for (const user of ctx.tx.list(kind, { where })) {
        const { qos: _gone, ...rest } = user;
        ctx.tx.update(kind, rest);
      }
    }
    ctx.event(
      object.type === 'network' ? 'NETWORK_QOS_REMOVED' : 'QOS_REMOVED',
      {},
      { ObjectName: object.name },
    );
    ctx.tx.remove('qos', object.id ?? '', ref.collection);
  },
});

/** Names are unique within a type. */
function requireOwnName(ctx: RuleContext, qos: Qos, collection: string, action: string): void {
  const same = ctx.tx
    .list('qos', { where: { collection, name: qos.name ?? '' } })
    .some((other) => other.id !== qos.id && other.type === qos.type && other.name === qos.name);
  if (same) ctx.refuse('QOS_NAME_IN_USE', { action, name: qos.name, type: qos.type });
}

function check(ctx: RuleContext, qos: Qos, action: string): void {
  // -1 means unlimited.
  for (const name of allLimits) if (qos[name] === -1) delete qos[name];
  const bounds = boundsByType[qos.type ?? ''];
  for (const name of allLimits) {
    const value = qos[name];
    const range = bounds?.get(name);
    if (!range) {
      delete qos[name];
      continue;
    }
    if (value === undefined) continue;
    const [min, max] = range;
    if (value < 0) ctx.refuse('QOS_NEGATIVE', { action, attribute: name, value });
    if (value < min || value > max) {
      ctx.refuse('VALUE_OUT_OF_RANGE', { action, type: 'QoS', attribute: name, value, min, max });
    }
  }
  checks[qos.type ?? '']?.(ctx, qos, action);
}

type Check = (ctx: RuleContext, qos: Qos, action: string) => void;

/** Additional checks of each type. */
const checks: Readonly<Record<string, Check>> = {
  storage: checkStorage,
  cpu: (ctx, qos, action) => requireLimits(ctx, qos, ['cpu_limit'], action),
  network: checkNetwork,
  hostnetwork: checkHostNetwork,
};

function checkStorage(ctx: RuleContext, qos: Qos, action: string): void {
  for (const [total, read, write] of totals) {
    if (qos[total] && (qos[read] || qos[write])) {
      ctx.refuse('QOS_TOTAL_AND_PARTS', { action, total, parts: `${read}, ${write}` });
    }
  }
}

function checkNetwork(ctx: RuleContext, qos: Qos, action: string): void {
  for (const direction of ['inbound', 'outbound'] as const) {
    const names = (['average', 'peak', 'burst'] as const).map(
      (what): Limit => `${direction}_${what}`,
    );
    if (names.every((name) => qos[name] === undefined)) continue;
    requireLimits(ctx, qos, names, action);
    const [average = 0, peak = 0] = names.map((name) => qos[name]);
    if (peak < average) ctx.refuse('QOS_PEAK_BELOW_AVERAGE', { action, direction });
  }
}

function checkHostNetwork(ctx: RuleContext, qos: Qos, action: string): void {
  requireLimits(ctx, qos, ['outbound_average_linkshare'], action);
  const { outbound_average_upperlimit: upper, outbound_average_realtime: real } = qos;
  if (upper && real && real > upper) {
    ctx.refuse('QOS_PEAK_BELOW_AVERAGE', { action, direction: 'outbound' });
  }
}

function requireLimits(ctx: RuleContext, qos: Qos, names: readonly Limit[], action: string): void {
  const missing = names.filter((name) => qos[name] === undefined);
  if (missing.length > 0) ctx.refuse('QOS_INCOMPLETE', { action, missing: missing.join(', ') });
}
