/** Services of the cluster family (specification 4.5): paths, operations and their parameters. */
import { services } from '../notation.ts';
import { permissions, statistics } from './shared.ts';

export const clusterServices = services({
  '/clusters': {
    type: 'cluster',
    operations: {
      list: 'case_sensitive filter follow max search',
      add: '',
    },
  },
  '/clusters/{cluster}': {
    type: 'cluster',
    operations: {
      get: 'filter follow',
      update: 'async',
      remove: 'async',
      refresh_gluster_heal_status: '',
      reset_emulated_machine: 'async',
      sync_all_networks: 'async',
      upgrade: 'async correlation_id upgrade_action upgrade_percent_complete',
    },
  },
  '/clusters/{cluster}/affinitygroups': {
    type: 'affinity_group',
    operations: {
      list: 'follow max',
      add: '',
    },
  },
  '/clusters/{cluster}/affinitygroups/{group}': {
    type: 'affinity_group',
    operations: {
      get: 'follow',
      update: 'async',
      remove: 'async',
    },
  },
  '/clusters/{cluster}/affinitygroups/{group}/hostlabels': {
    type: 'affinity_label',
    operations: {
      list: 'follow max',
      add: '',
    },
  },
  '/clusters/{cluster}/affinitygroups/{group}/hostlabels/{label}': {
    type: 'affinity_label',
    operations: {
      remove: 'async',
    },
  },
  '/clusters/{cluster}/affinitygroups/{group}/hosts': {
    type: 'host',
    operations: {
      list: 'follow max',
      add: '',
    },
  },
  '/clusters/{cluster}/affinitygroups/{group}/hosts/{host}': {
    type: 'host',
    operations: {
      remove: 'async',
    },
  },
  '/clusters/{cluster}/affinitygroups/{group}/vmlabels': {
    type: 'affinity_label',
    operations: {
      list: 'follow max',
      add: '',
    },
  },
  '/clusters/{cluster}/affinitygroups/{group}/vmlabels/{label}': {
    type: 'affinity_label',
    operations: {
      remove: 'async',
    },
  },
  '/clusters/{cluster}/affinitygroups/{group}/vms': {
    type: 'vm',
    operations: {
      list: 'follow max',
      add: '',
    },
  },
  '/clusters/{cluster}/affinitygroups/{group}/vms/{vm}': {
    type: 'vm',
    operations: {
      remove: 'async',
    },
  },
  '/clusters/{cluster}/cpuprofiles': {
    type: 'cpu_profile',
    operations: {
      list: 'follow max',
      add: '',
    },
  },
  '/clusters/{cluster}/cpuprofiles/{profile}': {
    type: 'cpu_profile',
    operations: {
      get: 'follow',
      remove: 'async',
    },
  },
  '/clusters/{cluster}/enabledfeatures': {
    type: 'cluster_feature',
    operations: {
      list: 'follow',
      add: '',
    },
  },
  '/clusters/{cluster}/enabledfeatures/{feature}': {
    type: 'cluster_feature',
    operations: {
      get: 'follow',
      remove: '',
    },
  },
  '/clusters/{cluster}/externalnetworkproviders': {
    type: 'external_provider',
    operations: {
      list: 'follow',
    },
  },
  '/clusters/{cluster}/glusterhooks': {
    type: 'gluster_hook',
    operations: {
      list: 'follow max',
    },
  },
  '/clusters/{cluster}/glusterhooks/{hook}': {
    type: 'gluster_hook',
    operations: {
      get: 'follow',
      remove: 'async',
      disable: 'async',
      enable: 'async',
      resolve: 'async host resolution_type',
    },
  },
  '/clusters/{cluster}/glustervolumes': {
    type: 'gluster_volume',
    operations: {
      list: 'case_sensitive follow max search',
      add: 'force',
    },
  },
  '/clusters/{cluster}/glustervolumes/{volume}': {
    type: 'gluster_volume',
    operations: {
      get: 'follow',
      remove: 'async',
      get_profile_statistics: '?nfsStatistics details',
      rebalance: 'async fix_layout force',
      reset_all_options: 'async',
      reset_option: 'async force option',
      set_option: 'async option',
      start: 'async force',
      start_profile: 'async',
      stop: 'async force',
      stop_profile: 'async',
      stop_rebalance: 'async',
    },
  },
  '/clusters/{cluster}/glustervolumes/{volume}/glusterbricks': {
    type: 'gluster_brick',
    operations: {
      list: 'follow max',
      add: '[] force replica_count stripe_count',
      remove: '!bricks async replica_count',
      activate: 'async bricks',
      migrate: 'async bricks',
      stop_migrate: 'async bricks',
    },
  },
  '/clusters/{cluster}/glustervolumes/{volume}/glusterbricks/{brick}': {
    type: 'gluster_brick',
    operations: {
      get: 'follow',
      remove: 'async',
      replace: 'async force',
    },
  },
  ...statistics('/clusters/{cluster}/glustervolumes/{volume}/glusterbricks/{brick}'),
  ...statistics('/clusters/{cluster}/glustervolumes/{volume}'),
  '/clusters/{cluster}/networkfilters': {
    type: 'network_filter',
    operations: {
      list: 'follow',
    },
  },
  '/clusters/{cluster}/networkfilters/{networkfilter}': {
    type: 'network_filter',
    operations: {
      get: 'follow',
    },
  },
  '/clusters/{cluster}/networks': {
    type: 'network',
    operations: {
      list: 'follow max',
      add: '',
    },
  },
  '/clusters/{cluster}/networks/{network}': {
    type: 'network',
    operations: {
      get: 'follow',
      update: '',
      remove: '',
    },
  },
  ...permissions('/clusters/{cluster}'),
  '/clusterlevels': {
    type: 'cluster_level',
    operations: {
      list: 'follow',
    },
  },
  '/clusterlevels/{level}': {
    type: 'cluster_level',
    operations: {
      get: 'follow',
    },
  },
  '/clusterlevels/{level}/clusterfeatures': {
    type: 'cluster_feature',
    operations: {
      list: 'follow',
    },
  },
  '/clusterlevels/{level}/clusterfeatures/{feature}': {
    type: 'cluster_feature',
    operations: {
      get: 'follow',
    },
  },
  '/cpuprofiles': {
    type: 'cpu_profile',
    operations: {
      list: 'follow max',
      add: '',
    },
  },
  '/cpuprofiles/{profile}': {
    type: 'cpu_profile',
    operations: {
      get: 'follow',
      update: 'async',
      remove: 'async',
    },
  },
  ...permissions('/cpuprofiles/{profile}'),
  '/affinitylabels': {
    type: 'affinity_label',
    operations: {
      list: 'follow max',
      add: '',
    },
  },
  '/affinitylabels/{label}': {
    type: 'affinity_label',
    operations: {
      get: 'follow',
      update: '',
      remove: '',
    },
  },
  '/affinitylabels/{label}/hosts': {
    type: 'host',
    operations: {
      list: 'follow',
      add: '',
    },
  },
  '/affinitylabels/{label}/hosts/{host}': {
    type: 'host',
    operations: {
      get: 'follow',
      remove: '',
    },
  },
  '/affinitylabels/{label}/vms': {
    type: 'vm',
    operations: {
      list: 'follow',
      add: '',
    },
  },
  '/affinitylabels/{label}/vms/{vm}': {
    type: 'vm',
    operations: {
      get: 'follow',
      remove: '',
    },
  },
  '/macpools': {
    type: 'mac_pool',
    operations: {
      list: 'follow max',
      add: '',
    },
  },
  '/macpools/{macpool}': {
    type: 'mac_pool',
    operations: {
      get: 'follow',
      update: 'async',
      remove: 'async',
    },
  },
  ...permissions('/macpools/{macpool}'),
});
