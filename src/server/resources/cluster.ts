/** Clusters: validation, dependent objects and removal. */
import type { ActionBody, Resource } from '../../model/resource.ts';
import { defineBehavior } from '../core/behavior.ts';
import type { RuleContext } from '../core/context.ts';
import { erase } from '../core/removal.ts';
import { getManagementNetworkName } from '../inventory/data-center.ts';
import { requireServers } from '../inventory/gluster-layout.ts';
import { grantToEveryone } from '../inventory/grants.ts';
import { receivesNetworkChanges, synchronizeAll } from './host-network/setup.ts';

type Cluster = Resource<'cluster'>;
type Level = { readonly major?: number; readonly minor?: number } | undefined;

/** The architecture of a processor type; undefined if the type does not determine it. */
function findArchitecture(type: string | undefined): 'x86_64' | 'ppc64' | 's390x' | undefined {
  if (!type) return undefined;
  if (/POWER/.test(type)) return 'ppc64';
  return /\bz(1|BC|EC)/.test(type) ? 's390x' : 'x86_64';
}

/** Refuses invalid settings of a cluster. */
export function checkCluster(ctx: RuleContext, cluster: Cluster, action: string): void {
  const level = formatLevel(cluster.version);
  const known = ctx.tx.get('cluster_level', level);
  if (!known) ctx.refuse('CLUSTER_LEVEL_UNSUPPORTED', { action, level });
  const cpu = cluster.cpu?.type;
  if (cpu && !known?.cpu_types?.some(({ name }) => name === cpu)) {
    ctx.refuse('CLUSTER_CPU_UNKNOWN', { action, level, cpu });
  }
  const dataCenter = ctx.tx.get('data_center', cluster.data_center?.id ?? '');
  // Engines refuse this for new clusters only.
  const isAllowed = action === 'edit' && ctx.site.dialect.engineRefusals;
  if (!isAllowed && compare(cluster.version, dataCenter?.version) < 0) {
    ctx.refuse('CLUSTER_LEVEL_BELOW_DATA_CENTER', { action, level });
  }
  if (cluster.virt_service === false && !cluster.gluster_service) {
    ctx.refuse('CLUSTER_WITHOUT_SERVICE', { action });
  }
  if (cluster.serial_number?.policy === 'custom' && !cluster.serial_number.value) {
    ctx.refuse('CLUSTER_VALUE_MISSING', { action, attribute: 'serial_number.value' });
  }
  const { bandwidth } = cluster.migration ?? {};
  if (bandwidth?.assignment_method === 'custom' && !bandwidth.custom_value) {
    ctx.refuse('CLUSTER_VALUE_MISSING', { action, attribute: 'migration.bandwidth.custom_value' });
  }
  const percent = cluster.memory_policy?.over_commit?.percent ?? 100;
  if (percent <= 0 && cluster.memory_policy) {
    cluster.memory_policy = { ...cluster.memory_policy, over_commit: { percent: 100 } };
  }
  if (percent > 100 && cluster.ksm?.enabled === false && cluster.ballooning_enabled === false) {
    ctx.refuse('CLUSTER_OVERCOMMITS_WITHOUT_MEANS', { action });
  }
  if (cluster.required_rng_sources?.includes('random')) {
    ctx.refuse('CLUSTER_RNG_SOURCE_IMPLIED', { action, source: 'random' });
  }
}

/** Refuses a new cluster that its data center does not permit. */
function checkNewCluster(ctx: RuleContext, cluster: Cluster, network: string | undefined): void {
  const where = { data_center_id: cluster.data_center?.id ?? '' };
  const dataCenter = ctx.tx.get('data_center', where.data_center_id);
  if (dataCenter?.local && ctx.tx.count('cluster', { where }) > 0) {
    ctx.refuse('CLUSTER_IN_LOCAL_DATA_CENTER', { action: 'add' });
  }
  const found =
    ctx.tx.byName('network', network ?? getManagementNetworkName(ctx), where) ??
    (network ? ctx.tx.find('network', { ...where, id: network }) : undefined);
  if (!found) ctx.refuse('CLUSTER_WITHOUT_NETWORK', { action: 'add' });
}

/** Refuses a change that conflicts with the contents of the cluster. */
export function checkChange(
  ctx: RuleContext,
  before: Cluster,
  after: Cluster,
  sent: Cluster,
): void {
  const action = 'edit';
  const where = { cluster_id: before.id ?? '' };
  const hosts = ctx.tx.count('host', { where });
  const vms = ctx.tx.count('vm', { where });
  const dataCenter = sent.data_center?.id ?? findDataCenterId(ctx, sent.data_center?.name);
  if (dataCenter !== undefined && dataCenter !== before.data_center?.id) {
    ctx.refuse('CLUSTER_DATA_CENTER_FIXED', { action });
  }
  if (hosts > 0 && compare(after.version, before.version) < 0) {
    ctx.refuse('CLUSTER_LEVEL_BELOW_HOSTS', { action });
  }
  const [old, now] = [before.cpu?.architecture, after.cpu?.architecture];
  if (old && old !== 'undefined' && old !== now && hosts + vms > 0) {
    ctx.refuse('CLUSTER_ARCHITECTURE_FIXED', { action });
  }
  if (after.virt_service === false && before.virt_service !== false && vms > 0) {
    ctx.refuse('CLUSTER_SERVICE_IN_USE', { action, objects: 'VMs' });
  }
  const volumes = ctx.tx.count('gluster_volume', {
    where: { collection: `/clusters/${before.id}/glustervolumes` },
  });
  if (before.gluster_service && !after.gluster_service && volumes > 0) {
    ctx.refuse('CLUSTER_SERVICE_IN_USE', { action, objects: 'Gluster volumes' });
  }
  if (before.mac_pool?.id !== after.mac_pool?.id) checkMacs(ctx, before, after);
}

function findDataCenterId(ctx: RuleContext, name: string | undefined): string | undefined {
  return name === undefined ? undefined : (ctx.tx.byName('data_center', name)?.id ?? '');
}

/** Refuses a pool without duplicates if another of its clusters has a NIC with the same address. */
function checkMacs(ctx: RuleContext, before: Cluster, after: Cluster): void {
  const pool = ctx.tx.get('mac_pool', after.mac_pool?.id ?? '');
  if (pool?.allow_duplicates) return;
  const others = new Set(
    ctx.tx
      .list('cluster', { where: { mac_pool_id: pool?.id ?? '' } })
      .filter(({ id }) => id !== before.id)
      .flatMap((cluster) => listMacs(ctx, cluster.id ?? '')),
  );
  const mac = listMacs(ctx, before.id ?? '').find((one) => others.has(one));
  if (mac) ctx.refuse('CLUSTER_MACS_COLLIDE', { action: 'edit', mac });
}

function listMacs(ctx: RuleContext, clusterId: string): string[] {
  return ctx.tx
    .list('vm', { where: { cluster_id: clusterId } })
    .flatMap(({ id }) => ctx.tx.list('nic', { where: { collection: `/vms/${id}/nics` } }))
    .flatMap(({ mac }) => mac?.address ?? []);
}

function formatLevel(level: Level): string {
  return `${level?.major ?? 0}.${level?.minor ?? 0}`;
}

function compare(a: Level, b: Level): number {
  return (a?.major ?? 0) - (b?.major ?? 0) || (a?.minor ?? 0) - (b?.minor ?? 0);
}

type Property = NonNullable<Cluster['custom_scheduling_policy_properties']>[number];

/** Id of the default scheduling policy of new clusters. */
const policyNone = 'b4ed2332-a7ac-4d5f-9596-99a439cb2812';

export const clusterBehavior = defineBehavior('cluster', {
  events: { add: 'CLUSTER_ADDED', update: 'CLUSTER_UPDATED' },

  beforeCreate(ctx, cluster, _place, sent) {
    const dataCenter = ctx.tx.get('data_center', cluster.data_center?.id ?? '');
    const { major = 4, minor = 8 } = { ...dataCenter?.version, ...cluster.version };
    cluster.version = { major, minor };
    fillCluster(ctx, cluster, sent.version !== undefined);
    keepProperties(ctx, undefined, cluster);
    const network = sent['management_network'];
    checkCluster(ctx, cluster, 'add');
    checkNewCluster(ctx, cluster, network?.id ?? network?.name);
  },

  present: (ctx, cluster) => ({
    ...(ctx.site.dialect.engineAnswers ? { cpu: { type: '', ...cluster.cpu } } : {}),
    serial_number: cluster.serial_number?.policy === 'none' ? undefined : cluster.serial_number,
  }),

  presentChanged(ctx, cluster, base) {
    const collection = `/clusters/${cluster.id}/networks`;
    const networks = ctx.tx.list('cluster_network', { where: { collection } });
    const found = networks.find(({ usages }) => usages?.includes('management'));
    return found
      ? { management_network: { id: found.id, href: `${base}/networks/${found.id}` } }
      : {};
  },

  beforeUpdate(ctx, before, after, _place, sent) {
    keepProperties(ctx, before, after);
    const cpu = sent['cpu'];
    if (cpu?.type !== undefined && cpu.architecture === undefined) {
      after.cpu = { ...after.cpu, architecture: findArchitecture(cpu.type) ?? 'undefined' };
    }
    // A request with the memory policy or level enables huge pages unless it sets them.
    const { memory_policy: memory, version } = sent;
    if ((memory ?? version) && memory?.transparent_hugepages === undefined) {
      after.memory_policy = { ...after.memory_policy, transparent_hugepages: { enabled: true } };
    }
    requireImpliedSource(after);
    checkCluster(ctx, after, 'edit');
    checkChange(ctx, before, after, sent);
  },

  afterCreate(ctx, { object }) {
    furnishCluster(ctx, object);
  },

  beforeDelete(ctx, { object }) {
    const where = { cluster_id: object.id ?? '' };
    const counts = [
      [ctx.tx.count('host', { where }), 'host'],
      [ctx.tx.count('vm', { where }), 'VM'],
      [ctx.tx.count('template', { where }), 'template'],
      [ctx.tx.count('vm_pool', { where }), 'VM pool'],
    ] as const;
    const left = counts.filter(([count]) => count > 0);
    if (left.length > 0) {
      ctx.refuse('CLUSTER_HAS_OBJECTS', {
        action: 'remove',
        objects: left
          .map(([count, what]) => `${count} ${what}${count === 1 ? '' : 's'}`)
          .join(', '),
      });
    }
  },

  remove(ctx, { ref, object }) {
    ctx.event('CLUSTER_REMOVED', { cluster: object });
    for (const profile of ctx.tx.list('cpu_profile', { where: { cluster_id: object.id ?? '' } })) {
      if (profile.id) ctx.tx.remove('cpu_profile', profile.id);
    }
    erase(ctx, { ref, object: { ...object } });
  },

  actions: {
    reset_emulated_machine(ctx, { object }) {
      const busy = ctx.tx
        .list('host', { where: { cluster_id: object.id ?? '' } })
        .filter(({ status }) => status !== 'down' && status !== 'maintenance');
      if (busy.length > 0) {
        const names = busy.map(({ name }) => name).join(', ');
        ctx.refuse('CLUSTER_HOSTS_NOT_DOWN', { action: 'edit', names });
      }
      ctx.event('CLUSTER_UPDATED', { cluster: object });
      return undefined;
    },
    upgrade: (ctx, { object }, body) => upgrade(ctx, object, body),
    sync_all_networks(ctx, { object }) {
      const hosts = ctx.tx
        .list('host', { where: { cluster_id: object.id ?? '' } })
        .filter(receivesNetworkChanges);
      ctx.event(
        hosts.length > 0 ? 'CLUSTER_NETWORKS_SYNC_STARTED' : 'CLUSTER_NETWORKS_SYNC_NO_HOST',
        { cluster: object },
      );
      for (const host of hosts) synchronizeAll(ctx, host);
      if (hosts.length > 0) ctx.event('CLUSTER_NETWORKS_SYNCED', { cluster: object });
      return undefined;
    },
    refresh_gluster_heal_status(ctx, { object }) {
      requireServers(ctx, object.id ?? '', 'refresh the heal status of', 'Gluster Volumes');
      return undefined;
    },
  },
});

/** Records the progress of an upgrade that a client performs. */
function upgrade(ctx: RuleContext, cluster: Cluster, body: ActionBody): undefined {
  const action = body['upgrade_action'] ?? 'start';
  const runs = cluster.upgrade_in_progress ?? false;
  if (runs === (action === 'start')) {
    ctx.refuse('CLUSTER_UPGRADE_RUNS', {
      action: 'upgrade',
      state: runs ? 'is already running' : 'is not running',
    });
  }
  const percent = Number(body['upgrade_percent_complete'] ?? cluster.upgrade_percent_complete ?? 0);
  const correlation = body['correlation_id'];
  const { upgrade_correlation_id: stored, ...rest } = cluster;
  const id = typeof correlation === 'string' ? correlation : (stored ?? ctx.correlationId);
  ctx.tx.update('cluster', {
    ...rest,
    upgrade_in_progress: action !== 'finish',
    upgrade_percent_complete: action === 'update_progress' ? percent : 0,
    ...(id ? { upgrade_correlation_id: id } : {}),
  });
  if (action === 'start') ctx.event('CLUSTER_UPGRADE_STARTED', { cluster });
  if (action === 'finish') ctx.event('CLUSTER_UPGRADE_FINISHED', { cluster });
  return undefined;
}

/** Firmware of new clusters, by the architecture of their processors. */
const defaultFirmware: Readonly<Partial<Record<string, NonNullable<Cluster['bios_type']>>>> = {
  x86_64: 'q35_ovmf',
  ppc64: 'i440fx_sea_bios',
  s390x: 'i440fx_sea_bios',
};

/** Every host has the random source `urandom`, and every cluster requires it. */
function requireImpliedSource(cluster: Cluster): void {
  const others = (cluster.required_rng_sources ?? []).filter((source) => source !== 'urandom');
  cluster.required_rng_sources = [...others, 'urandom'];
}

/** Fills in the defaults of omitted attributes. */
export function fillCluster(
  ctx: RuleContext,
  cluster: Resource<'cluster'>,
  isLevelSent = true,
): void {
  const architecture = cluster.cpu?.type ? 'x86_64' : 'undefined';
  cluster.cpu = {
    architecture: findArchitecture(cluster.cpu?.type) ?? architecture,
    ...cluster.cpu,
  };
  cluster.memory_policy = {
    over_commit: { percent: 100 },
    transparent_hugepages: { enabled: cluster.memory_policy !== undefined || isLevelSent },
    ...cluster.memory_policy,
  };
  cluster.error_handling = { on_error: 'migrate', ...cluster.error_handling };
  cluster.ksm = { enabled: true, merge_across_nodes: true, ...cluster.ksm };
  cluster.fencing_policy = {
    enabled: true,
    skip_if_sd_active: { enabled: false },
    skip_if_connectivity_broken: { enabled: false, threshold: 50 },
    skip_if_gluster_bricks_up: false,
    skip_if_gluster_quorum_not_met: false,
    ...cluster.fencing_policy,
  };
  cluster.migration = {
    auto_converge: 'inherit',
    compressed: 'inherit',
    encrypted: 'inherit',
    parallel_migrations_policy: 'disabled',
    bandwidth: { assignment_method: 'auto' },
    ...cluster.migration,
  };
  requireImpliedSource(cluster);
  const firmware = defaultFirmware[cluster.cpu.architecture ?? 'undefined'];
  if (firmware) cluster.bios_type ??= firmware;
  cluster.switch_type ??= 'legacy';
  cluster.firewall_type ??= 'firewalld';
  cluster.scheduling_policy ??= { id: policyNone };
  keepProperties(ctx, undefined, cluster);
  const pool = ctx.tx.find('mac_pool', {});
  if (pool?.id) cluster.mac_pool ??= { id: pool.id };
}

/**
 * Selects the properties of the scheduling policy, with their current or sent values. Ignores
 * properties that the policy does not have.
 */
export function keepProperties(
  ctx: RuleContext,
  before: Cluster | undefined,
  after: Cluster,
): void {
  const { custom_scheduling_policy_properties: sent, scheduling_policy } = after;
  const isSame = before?.scheduling_policy?.id === scheduling_policy?.id;
  if (before && isSame && sent === before.custom_scheduling_policy_properties) return;
  const policy = ctx.tx.get('scheduling_policy', scheduling_policy?.id ?? '');
  const kept: Property[] = [
    ...(before?.custom_scheduling_policy_properties ?? policy?.properties ?? []),
    ...(policy?.properties ?? []),
  ];
  const values = new Map<string, string>();
  for (const { name = '', value = '' } of kept) if (!values.has(name)) values.set(name, value);
  for (const { name = '', value = '' } of after.custom_scheduling_policy_properties ?? []) {
    if (values.has(name)) values.set(name, value);
  }
  after.custom_scheduling_policy_properties = [...values].map(([name, value]) => ({ name, value }));
}

/** Creates a processor profile named like the cluster, and attaches the management network. */
export function furnishCluster(ctx: RuleContext, cluster: Resource<'cluster'>): void {
  const id = cluster.id ?? '';
  const cpuProfile = ctx.site.newId();
  ctx.tx.insert('cpu_profile', '/cpuprofiles', {
    id: cpuProfile,
    name: cluster.name ?? '',
    cluster: { id },
  });
  grantToEveryone(ctx, 'CpuProfileOperator', `/cpuprofiles/${cpuProfile}`);
  attachManagementNetwork(ctx, cluster);
}

/** Attaches the requested management network, or else the default one. */
function attachManagementNetwork(ctx: RuleContext, cluster: Resource<'cluster'>): void {
  const id = cluster.id ?? '';
  const where = { data_center_id: cluster.data_center?.id ?? '' };
  const requested = ctx.tx.get('network', cluster.management_network?.id ?? '');
  // Several data centers may have networks of the same name.
  const network =
    requested?.data_center?.id === where.data_center_id
      ? requested
      : ctx.tx.byName('network', requested?.name ?? getManagementNetworkName(ctx), where);
  if (network) {
    ctx.tx.insert('cluster_network', `/clusters/${id}/networks`, {
      id: network.id ?? '',
      name: network.name ?? '',
      required: true,
      usages: ['vm', 'management', 'display', 'migration', 'default_route'],
      cluster: { id },
    });
  }
}
