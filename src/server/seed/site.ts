/** Generated sites: data centers, clusters, hosts, storage domains and VMs from counts. */
import type { Resource } from '../../model/resource.ts';
import type { RuleContext } from '../core/context.ts';
import { applyDefaults } from '../core/input.ts';
import { electSpm, furnishDataCenter, refreshDataCenter } from '../inventory/data-center.ts';
import { connect } from '../inventory/storage-connections.ts';
import { defaultIds } from '../reference-data/default-ids.ts';
import { fillCluster, furnishCluster, keepProperties } from '../resources/cluster.ts';
import { installHardware, simulateHardware } from '../resources/host/hardware.ts';
import type { StoredObject } from '../store/kinds.ts';
import type { Counts } from './counts.ts';
import { addVms } from './vms.ts';

const gibibyte = 2 ** 30;
const cpuType = 'Intel Nehalem Family';

/** Adds the objects of the counts to a fresh service, in their active states. */
export function buildSite(ctx: RuleContext, counts: Counts): void {
  const dataCenters = addDataCenters(ctx, counts.datacenters);
  const clusters = addClusters(ctx, dataCenters, counts.clusters);
  addHosts(ctx, clusters, counts.hosts);
  const domains = addStorageDomains(ctx, dataCenters, counts.storagedomains);
  addNetworks(ctx, dataCenters, counts.networks);
  for (const id of dataCenters) {
    electSpm(ctx, id);
    refreshDataCenter(ctx, id);
  }
  addVms(ctx, clusters, domains, counts);
}

function addDataCenters(ctx: RuleContext, count: number): string[] {
  const ids: string[] = [defaultIds.dataCenter];
  for (let number = 2; number <= count; number++) {
    const dataCenter: StoredObject = {
      id: ctx.site.newId(),
      name: `dc${number}`,
      local: false,
      version: { major: 4, minor: 8 },
      status: 'uninitialized',
    };
    applyDefaults('data_center', dataCenter);
    ctx.tx.insert('data_center', '/datacenters', dataCenter);
    furnishDataCenter(ctx, dataCenter);
    ids.push(String(dataCenter['id']));
  }
  return ids;
}

function addClusters(ctx: RuleContext, dataCenters: readonly string[], count: number): string[] {
  const first = ctx.tx.get('cluster', defaultIds.cluster) ?? {};
  const changed: Resource<'cluster'> = {
    ...first,
    cpu: { type: cpuType, architecture: 'x86_64' },
    bios_type: 'q35_ovmf',
    fips_mode: 'disabled',
  };
  keepProperties(ctx, undefined, changed);
  ctx.tx.update('cluster', changed);
  const ids: string[] = [defaultIds.cluster];
  for (let number = 2; number <= count; number++) {
    const cluster: StoredObject = {
      id: ctx.site.newId(),
      name: `cluster${number}`,
      description: '',
      cpu: { type: cpuType },
      fips_mode: 'disabled',
      version: { major: 4, minor: 8 },
      data_center: { id: dataCenters[(number - 1) % dataCenters.length] ?? '' },
    };
    fillCluster(ctx, cluster);
    applyDefaults('cluster', cluster);
    ctx.tx.insert('cluster', '/clusters', cluster);
    furnishCluster(ctx, cluster);
    ids.push(String(cluster['id']));
  }
  return ids;
}

function addHosts(ctx: RuleContext, clusters: readonly string[], count: number): void {
  for (let number = 1; number <= count; number++) {
    const id = ctx.site.newId();
    const host: Resource<'host'> = {
      ...simulateHardware(id),
      ...{ booted_at: ctx.timestamp },
      id,
      name: `host${number}`,
      description: '',
      comment: '',
      address: `host${number}.example.com`,
      port: 54321,
      protocol: 'stomp',
      status: 'up',
      external_status: 'ok',
      // A host with a hundred running VMs needs sufficient memory.
      memory: 1024 * gibibyte,
      spm: { priority: 5, status: 'none' },
      power_management: {
        automatic_pm_enabled: true,
        enabled: false,
        kdump_detection: true,
        pm_proxies: [],
      },
      ssh: { port: 22, user: { user_name: 'root' } },
      cluster: { id: clusters[(number - 1) % clusters.length] ?? '' },
    };
    applyDefaults('host', host);
    ctx.tx.insert('host', '/hosts', host);
    installHardware(ctx, host);
  }
}

function addStorageDomains(
  ctx: RuleContext,
  dataCenters: readonly string[],
  count: number,
): string[] {
  const ids: string[] = [];
  for (let number = 1; number <= count; number++) {
    const index = (number - 1) % dataCenters.length;
    const dataCenter = dataCenters[index] ?? '';
    const id = ctx.site.newId();
    const name = `data${number}`;
    const storage = {
      type: 'nfs',
      address: 'storage.example.com',
      path: `/exports/${name}`,
    } as const;
    ctx.tx.insert('storage_domain', '/storagedomains', {
      id,
      name,
      description: '',
      comment: '',
      type: 'data',
      storage,
      storage_connections: connect(ctx, storage),
      status: 'active',
      external_status: 'ok',
      storage_format: 'v5',
      available: 1024 * gibibyte,
      used: 0,
      committed: 0,
      block_size: 512,
      wipe_after_delete: false,
      discard_after_delete: false,
      supports_discard: true,
      supports_discard_zeroes_data: false,
      warning_low_space_indicator: 10,
      critical_space_action_blocker: 5,
      backup: false,
      data_centers: [{ id: dataCenter }],
    });
    ctx.tx.insert('attached_storage_domain', `/datacenters/${dataCenter}/storagedomains`, {
      id,
      name,
      status: 'active',
      master: number <= dataCenters.length,
      data_center: { id: dataCenter },
    });
    ctx.tx.insert('disk_profile', '/diskprofiles', {
      id: ctx.site.newId(),
      name,
      storage_domain: { id },
    });
    ids.push(id);
  }
  return ids;
}

function addNetworks(ctx: RuleContext, dataCenters: readonly string[], count: number): void {
  // Each data center already has its management network.
  for (let number = 1; number < count; number++) {
    const id = ctx.site.newId();
    const name = `net${number}`;
    const dataCenter = dataCenters[(number - 1) % dataCenters.length] ?? '';
    ctx.tx.insert('network', '/networks', {
      id,
      name,
      description: '',
      stp: false,
      mtu: 0,
      usages: ['vm'],
      vdsm_name: name,
      port_isolation: false,
      vlan: { id: 100 + number },
      data_center: { id: dataCenter },
    });
    for (const cluster of ctx.tx.list('cluster', { where: { data_center_id: dataCenter } })) {
      ctx.tx.insert('cluster_network', `/clusters/${cluster.id}/networks`, {
        id,
        name,
        required: false,
        display: false,
        status: 'operational',
        usages: ['vm'],
        cluster: { id: cluster.id ?? '' },
      });
    }
    ctx.tx.insert('vnic_profile', '/vnicprofiles', {
      id: ctx.site.newId(),
      name,
      port_mirroring: false,
      pass_through: { mode: 'disabled' },
      network: { id },
    });
  }
}
