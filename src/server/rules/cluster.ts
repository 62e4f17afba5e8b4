/** Rules of clusters: what is made with them, and what keeps them. */
import type { Resource } from '../../model/resource.ts';
import type { RuleContext } from './context.ts';
import { managementNetwork } from './data-center.ts';
import { erase } from './generic.ts';
import { rules } from './notation.ts';

/** Id of the scheduling policy that new clusters have. */
const policyNone = 'b4ed2332-a7ac-4d5f-9596-99a439cb2812';

export const clusterRules = rules({
  kind: 'cluster',
  events: { add: 809, update: 811 },

  prepare(ctx, cluster) {
    const dataCenter = ctx.tx.get('data_center', cluster.data_center?.id ?? '');
    const { major = 4, minor = 8 } = { ...dataCenter?.version, ...cluster.version };
    cluster.version = { major, minor };
    fillCluster(ctx, cluster);
  },

  added(ctx, { object }) {
    furnishCluster(ctx, object);
  },

  removable(ctx, { object }) {
    const where = { cluster_id: object.id ?? '' };
    const counts = {
      hosts: ctx.tx.count('host', { where }),
      VMs: ctx.tx.count('vm', { where }),
      templates: ctx.tx.count('template', { where }),
    };
    const left = Object.entries(counts).filter(([, count]) => count > 0);
    if (left.length > 0) {
      ctx.refuse('CLUSTER_HAS_OBJECTS', {
        action: 'remove',
        objects: left.map(([what, count]) => `${count} ${what}`).join(', '),
      });
    }
  },

  remove(ctx, { place, object }) {
    ctx.event(813, { cluster: object });
    for (const profile of ctx.tx.list('cpu_profile', { where: { cluster_id: object.id ?? '' } })) {
      if (profile.id) ctx.tx.remove('cpu_profile', profile.id);
    }
    erase(ctx, { place, object: { ...object } });
  },
});

/** What the service fills in where a client says nothing. */
export function fillCluster(ctx: RuleContext, cluster: Resource<'cluster'>): void {
  const architecture = cluster.cpu?.type ? 'x86_64' : 'undefined';
  cluster.cpu = { architecture: architectureOf(cluster.cpu?.type) ?? architecture, ...cluster.cpu };
  cluster.memory_policy = {
    over_commit: { percent: 100 },
    transparent_hugepages: { enabled: true },
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
    bandwidth: { assignment_method: 'auto' },
    ...cluster.migration,
  };
  cluster.required_rng_sources ??= ['urandom'];
  cluster.bios_type ??= 'q35_sea_bios';
  cluster.switch_type ??= 'legacy';
  cluster.firewall_type ??= 'firewalld';
  cluster.scheduling_policy ??= { id: policyNone };
  const pool = ctx.tx.find('mac_pool', {});
  if (pool?.id) cluster.mac_pool ??= { id: pool.id };
}

/** The architecture of a processor type; undefined for one that says nothing of it. */
function architectureOf(type: string | undefined): 'x86_64' | 'ppc64' | 's390x' | undefined {
  if (!type) return undefined;
  if (/POWER/.test(type)) return 'ppc64';
  return /\bz(1|BC|EC)/.test(type) ? 's390x' : 'x86_64';
}

/** A processor profile named like the cluster, and the management network. */
export function furnishCluster(ctx: RuleContext, cluster: Resource<'cluster'>): void {
  const id = cluster.id ?? '';
  ctx.tx.insert('cpu_profile', '/cpuprofiles', {
    id: ctx.site.newId(),
    name: cluster.name ?? '',
    cluster: { id },
  });
  const network = ctx.tx.byName('network', managementNetwork(ctx), {
    data_center_id: cluster.data_center?.id ?? '',
  });
  if (network) {
    ctx.tx.insert('cluster_network', `/clusters/${id}/networks`, {
      id: network.id ?? '',
      name: network.name ?? '',
      required: true,
      display: true,
      status: 'operational',
      usages: ['vm', 'management', 'display', 'migration', 'default_route'],
      cluster: { id },
    });
  }
}
