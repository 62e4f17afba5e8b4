/** Services of the host family (specification 4.5): paths, operations and their parameters. */
import { services } from '../notation.ts';
import {
  affinityLabels,
  katelloErrata,
  networkAttachments,
  networkLabels,
  permissions,
  statistics,
  tags,
} from './shared.ts';

export const hostServices = services({
  '/hosts': {
    type: 'host',
    operations: {
      list: 'all_content case_sensitive check_vms_in_affinity_closure filter follow max migration_target_of search',
      add: 'activate deploy_hosted_engine reboot undeploy_hosted_engine',
    },
  },
  '/hosts/{host}': {
    type: 'host',
    operations: {
      get: 'all_content filter follow',
      update: 'async',
      remove: 'async force',
      activate: 'async',
      approve: 'activate async cluster host reboot',
      commit_net_config: 'async',
      copy_host_networks: 'async source_host',
      deactivate: 'async reason stop_gluster_service',
      discover_iscsi: 'async discovered_targets iscsi',
      enroll_certificate: 'async',
      fence: 'async fence_type maintenance_after_restart power_management',
      force_select_spm: 'async',
      install:
        'activate async deploy_hosted_engine host image reboot root_password ssh undeploy_hosted_engine',
      iscsi_discover: 'async iscsi iscsi_targets',
      iscsi_login: 'async iscsi',
      refresh: 'async',
      setup_networks:
        'async check_connectivity commit_on_success connectivity_timeout modified_bonds modified_labels modified_network_attachments removed_bonds removed_labels removed_network_attachments synchronized_network_attachments',
      sync_all_networks: 'async',
      unregistered_storage_domains_discover: 'async iscsi storage_domains',
      upgrade: 'async image reboot timeout',
      upgrade_check: '',
    },
  },
  ...affinityLabels('/hosts/{host}'),
  '/hosts/{host}/cpuunits': {
    type: 'host_cpu_unit',
    operations: {
      list: 'follow',
    },
  },
  '/hosts/{host}/devices': {
    type: 'host_device',
    operations: {
      list: 'follow max',
    },
  },
  '/hosts/{host}/devices/{device}': {
    type: 'host_device',
    operations: {
      get: 'follow',
    },
  },
  '/hosts/{host}/externalnetworkproviderconfigurations': {
    type: 'external_network_provider_configuration',
    operations: {
      list: 'follow',
    },
  },
  '/hosts/{host}/externalnetworkproviderconfigurations/{configuration}': {
    type: 'external_network_provider_configuration',
    operations: {
      get: 'follow',
    },
  },
  '/hosts/{host}/fenceagents': {
    type: 'agent',
    operations: {
      list: 'follow max',
      add: '',
    },
  },
  '/hosts/{host}/fenceagents/{agent}': {
    type: 'agent',
    operations: {
      get: 'follow',
      update: 'async',
      remove: 'async',
    },
  },
  '/hosts/{host}/hooks': {
    type: 'hook',
    operations: {
      list: 'follow max',
    },
  },
  '/hosts/{host}/hooks/{hook}': {
    type: 'hook',
    operations: {
      get: 'follow',
    },
  },
  ...katelloErrata('/hosts/{host}'),
  ...networkAttachments('/hosts/{host}'),
  '/hosts/{host}/nics': {
    type: 'host_nic',
    operations: {
      list: 'all_content follow max',
    },
  },
  '/hosts/{host}/nics/{nic}': {
    type: 'host_nic',
    operations: {
      get: 'all_content follow',
      update_virtual_functions_configuration: 'async virtual_functions_configuration',
    },
  },
  '/hosts/{host}/nics/{nic}/linklayerdiscoveryprotocolelements': {
    type: 'link_layer_discovery_protocol_element',
    operations: {
      list: 'follow',
    },
  },
  ...networkAttachments('/hosts/{host}/nics/{nic}'),
  ...networkLabels('/hosts/{host}/nics/{nic}'),
  ...statistics('/hosts/{host}/nics/{nic}'),
  '/hosts/{host}/nics/{nic}/virtualfunctionallowedlabels': {
    type: 'network_label',
    operations: {
      list: 'follow max',
      add: '',
    },
  },
  '/hosts/{host}/nics/{nic}/virtualfunctionallowedlabels/{label}': {
    type: 'network_label',
    operations: {
      get: 'follow',
      remove: 'async',
    },
  },
  '/hosts/{host}/nics/{nic}/virtualfunctionallowednetworks': {
    type: 'network',
    operations: {
      list: 'follow max',
      add: '',
    },
  },
  '/hosts/{host}/nics/{nic}/virtualfunctionallowednetworks/{network}': {
    type: 'network',
    operations: {
      get: 'follow',
      remove: 'async',
    },
  },
  '/hosts/{host}/numanodes': {
    type: 'numa_node',
    operations: {
      list: 'follow max',
    },
  },
  '/hosts/{host}/numanodes/{node}': {
    type: 'numa_node',
    operations: {
      get: 'follow',
    },
  },
  ...statistics('/hosts/{host}/numanodes/{node}'),
  ...permissions('/hosts/{host}'),
  ...statistics('/hosts/{host}'),
  '/hosts/{host}/storage': {
    type: 'host_storage',
    operations: {
      list: 'follow report_status',
    },
  },
  '/hosts/{host}/storage/{storage}': {
    type: 'host_storage',
    operations: {
      get: 'follow report_status',
    },
  },
  '/hosts/{host}/storageconnectionextensions': {
    type: 'storage_connection_extension',
    operations: {
      list: 'follow max',
      add: '',
    },
  },
  '/hosts/{host}/storageconnectionextensions/{storageconnectionextension}': {
    type: 'storage_connection_extension',
    operations: {
      get: 'follow',
      update: 'async',
      remove: 'async',
    },
  },
  ...tags('/hosts/{host}'),
  '/hosts/{host}/unmanagednetworks': {
    type: 'unmanaged_network',
    operations: {
      list: 'follow max',
    },
  },
  '/hosts/{host}/unmanagednetworks/{unmanagednetwork}': {
    type: 'unmanaged_network',
    operations: {
      get: 'follow',
      remove: 'async',
    },
  },
  '/katelloerrata': {
    type: 'katello_erratum',
    operations: {
      list: 'follow max',
    },
  },
  '/katelloerrata/{katelloerratum}': {
    type: 'katello_erratum',
    operations: {
      get: 'follow',
    },
  },
});
