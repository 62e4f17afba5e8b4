/** Data centers: compatibility levels, quota mode, selection of the master domain, removal. */
import type { Resource } from '../../model/resource.ts';
import { dataCenterLifecycle as lifecycle } from '../../model/resources/data-center.ts';
import { defineBehavior } from '../core/behavior.ts';
import type { RuleContext } from '../core/context.ts';
import { resolveMember } from '../core/input.ts';
import { erase } from '../core/removal.ts';
import {
  furnishDataCenter,
  levels,
  listAttachedDomains,
  listHostsUp,
} from '../inventory/data-center.ts';
import { levelsAsListed } from '../reference-data/cluster-levels.ts';
import { leaveCluster } from './cluster-network.ts';
import { releaseDomains } from './storage/domain-actions.ts';
import { findMaster, formatDomainsPath, moveMaster } from './storage/master.ts';

const newest = { major: 4, minor: 8 };

export const dataCenterBehavior = defineBehavior('data_center', {
  lifecycle,
  addsAtOnce: true,
  events: { add: 'DATA_CENTER_ADDED', update: 'DATA_CENTER_UPDATED' },

  beforeCreate(ctx, dataCenter) {
    const { major, minor } = { ...newest, ...dataCenter.version };
    requireLevel(ctx, { major, minor }, 'add');
    dataCenter.version = { major, minor };
    dataCenter.quota_mode ??= 'disabled';
    dataCenter.status = 'uninitialized';
    // The first domain determines the format, and the clusters determine the pool.
    delete dataCenter.storage_format;
    delete dataCenter.mac_pool;
  },

  afterCreate(ctx, { object }) {
    furnishDataCenter(ctx, object);
  },

  beforeUpdate(ctx, before, after, _place, sent) {
    // The pool is an attribute of clusters: an update here sets it on all of them.
    if (after.mac_pool && sent['mac_pool'] !== undefined) setPools(ctx, before, after.mac_pool);
    delete after.mac_pool;
    const version = { ...before.version, ...after.version };
    if (compare(version, before.version) !== 0) {
      requireLevel(ctx, version, 'edit');
      checkLevel(ctx, before, version);
      after.storage_format = compare(version, { major: 4, minor: 3 }) < 0 ? 'v4' : 'v5';
    }
    after.version = version;
    if (before.local !== after.local) checkKind(ctx, before, after.local === true);
  },

  beforeDelete(ctx, { object }, parameters) {
    const messageParams = { action: 'remove', name: object.name };
    const force = parameters.flag('force') === true;
    const domains = listAttachedDomains(ctx, object.id ?? '');
    if (object.status === 'up' && !force) ctx.refuse('DATA_CENTER_IS_UP', messageParams);
    refuseHosts(ctx, object, force);
    const busy = domains.filter((domain) => domain.status !== 'maintenance');
    if ((busy.length > 0 || domains.length > 1) && !force) {
      ctx.refuse('DATA_CENTER_HAS_DOMAINS', {
        ...messageParams,
        names: domains.map(({ id }) => ctx.tx.get('storage_domain', id ?? '')?.name).join(', '),
      });
    }
  },

  remove(ctx, { ref, object }, parameters) {
    const id = object.id ?? '';
    for (const cluster of ctx.tx.list('cluster', { where: { data_center_id: id } })) {
      const { data_center: _gone, ...rest } = cluster;
      ctx.tx.update('cluster', rest);
    }
    for (const network of ctx.tx.list('network', { where: { data_center_id: id } })) {
      for (const one of ctx.tx.list('cluster_network', { where: { id: network.id ?? '' } })) {
        leaveCluster(ctx, one.cluster?.id ?? '', network);
      }
      for (const profile of ctx.tx.list('vnic_profile', {
        where: { network_id: network.id ?? '' },
      })) {
        erase(ctx, {
          ref: { kind: 'vnic_profile', collection: '/vnicprofiles' },
          object: { ...profile },
        });
      }
      erase(ctx, { ref: { kind: 'network', collection: '/networks' }, object: { ...network } });
    }
    const force = parameters.flag('force') === true;
    ctx.event(force ? 'DATA_CENTER_FORCE_REMOVED' : 'DATA_CENTER_REMOVED', { data_center: object });
    releaseDomains(ctx, id, force);
    erase(ctx, { ref, object: { ...object } });
  },

  present(ctx, dataCenter) {
    const { major = 4, minor = 0 } = dataCenter.version ?? {};
    const id = dataCenter.id ?? '';
    const pool = commonPool(ctx, dataCenter);
    const format = dataCenter.storage_format ?? findMasterFormat(ctx, id);
    return {
      ...(pool ? { mac_pool: pool } : {}),
      ...(format ? { storage_format: format } : {}),
      supported_versions: supportedLevels(ctx, id, { major, minor }),
    };
  },

  actions: {
    set_master(ctx: RuleContext, { object }, body) {
      const sent = body['storage_domain'] ?? {};
      const id = resolveMember(ctx.tx, 'storage_domain', sent, 409);
      const domain = ctx.tx.get('storage_domain', id);
      const attached = ctx.tx.get(
        'attached_storage_domain',
        id,
        formatDomainsPath(object.id ?? ''),
      );
      const action = 'change the master of';
      const messageParams = {
        action,
        type: 'Data Center',
        name: domain?.name,
        domainType: domain?.type,
      };
      if (!attached) ctx.refuse('DOMAIN_NOT_IN_DATA_CENTER', messageParams);
      if (domain?.type !== 'data') ctx.refuse('MASTER_MUST_BE_DATA', messageParams);
      if (attached.master) ctx.refuse('MASTER_ALREADY', messageParams);
      if (attached.status !== 'active') {
        ctx.refuse('MASTER_MUST_BE_ACTIVE', { ...messageParams, status: attached.status });
      }
      const master = findMaster(ctx, object.id ?? '');
      if (master) moveMaster(ctx, master, attached);
      return undefined;
    },

    /** Only writes the event: ended tasks leave no data to remove. */
    clean_finished_tasks(ctx, { object }) {
      ctx.event('FINISHED_TASKS_CLEANED', { data_center: object });
      return undefined;
    },
  },
});

/** Levels that a data center may have: from its current one to the lowest of its clusters. */
function supportedLevels(ctx: RuleContext, id: string, own: Level): Level[] {
  const clusters = ctx.tx.list('cluster', { where: { data_center_id: id } });
  return levelsAsListed
    .map((text) => text.split('.').map(Number))
    .map(([major = 0, minor = 0]) => ({ major, minor }))
    .filter(
      (level) =>
        compare(level, own) >= 0 && clusters.every(({ version }) => compare(level, version) <= 0),
    );
}

/** The pool that all clusters of a data center share; undefined if they have none or several. */
function commonPool(
  ctx: RuleContext,
  { id = '' }: Resource<'data_center'>,
): Resource<'data_center'>['mac_pool'] {
  const clusters = ctx.tx.list('cluster', { where: { data_center_id: id } });
  const [first] = clusters;
  const same = clusters.every(({ mac_pool }) => mac_pool?.id === first?.mac_pool?.id);
  return first && same ? first.mac_pool : undefined;
}

function setPools(ctx: RuleContext, { id }: Resource<'data_center'>, pool: { id?: string }): void {
  for (const cluster of ctx.tx.list('cluster', { where: { data_center_id: id ?? '' } })) {
    if (cluster.mac_pool?.id === pool.id) continue;
    ctx.tx.update('cluster', { ...cluster, mac_pool: { id: pool.id ?? '' } });
  }
}

/** The storage format of the master domain; undefined without one. */
function findMasterFormat(
  ctx: RuleContext,
  id: string,
): Resource<'data_center'>['storage_format'] | undefined {
  return ctx.tx.get('storage_domain', findMaster(ctx, id)?.id ?? '')?.storage_format;
}

/**
 * Requires a host in status `up` to erase the domains. A forced removal erases nothing and requires
 * that all hosts are in maintenance.
 */
function refuseHosts(
  ctx: RuleContext,
  { id, status }: Resource<'data_center'>,
  force: boolean,
): void {
  const action = 'remove';
  if (!force) {
    if (status !== 'uninitialized' && listHostsUp(ctx, id ?? '').length === 0) {
      ctx.refuse('NO_HOST_IN_DATA_CENTER', { action, type: 'Data Center' });
    }
    return;
  }
  const busy = ctx.tx
    .list('cluster', { where: { data_center_id: id ?? '' } })
    .flatMap((cluster) => ctx.tx.list('host', { where: { cluster_id: cluster.id ?? '' } }))
    .filter((host) => host.status !== 'maintenance');
  if (busy.length === 0) return;
  const names = busy.map(({ name }) => name).join(', ');
  ctx.refuse('DATA_CENTER_HAS_BUSY_HOSTS', { action, names });
}

interface Level {
  readonly major?: number;
  readonly minor?: number;
}

function compare(a: Level = {}, b: Level = {}): number {
  return (a.major ?? 0) - (b.major ?? 0) || (a.minor ?? 0) - (b.minor ?? 0);
}

function formatLevel({ major, minor }: Level): string {
  return `${major}.${minor}`;
}

function requireLevel(ctx: RuleContext, version: Level, action: string): void {
  if (levels.some((level) => compare(level, version) === 0)) return;
  ctx.refuse('LEVEL_UNSUPPORTED', {
    action,
    level: formatLevel(version),
    levels: levels.map(formatLevel).join(', '),
  });
}

/** Permits a higher level only, and none above that of a cluster. */
function checkLevel(ctx: RuleContext, before: Resource<'data_center'>, version: Level): void {
  const messageParams = { action: 'edit', level: formatLevel(version) };
  if (compare(version, before.version) < 0) ctx.refuse('LEVEL_CANNOT_DECREASE', messageParams);
  const behind = ctx.tx
    .list('cluster', { where: { data_center_id: before.id ?? '' } })
    .filter((cluster) => compare(cluster.version, version) < 0);
  if (behind.length > 0) {
    const names = behind.map(({ name }) => name).join(', ');
    ctx.refuse('LEVEL_ABOVE_CLUSTERS', { ...messageParams, names });
  }
}

/** Permits local storage only with at most one cluster and one host. */
function checkKind(ctx: RuleContext, before: Resource<'data_center'>, local: boolean): void {
  const id = before.id ?? '';
  const domains = listAttachedDomains(ctx, id);
  if (!local && domains.length > 0) ctx.refuse('DOMAIN_OF_OTHER_KIND', { action: 'edit' });
  const clusters = ctx.tx.list('cluster', { where: { data_center_id: id } });
  const hosts = clusters.flatMap((cluster) =>
    ctx.tx.list('host', { where: { cluster_id: cluster.id ?? '' } }),
  );
  if (local && (clusters.length > 1 || hosts.length > 1)) {
    ctx.refuse('DATA_CENTER_TOO_LARGE_FOR_LOCAL', { action: 'edit' });
  }
}
