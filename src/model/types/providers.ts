/** Types of the providers family (specification 2.4). */
import { types } from '../notation.ts';

export const providersTypes = types({
  external_provider: {
    doc: 'What every provider has. References of this type name OpenStack network providers.',
    identified: true,
    standsFor: 'openstack_network_provider',
    attributes: {
      url: { kind: 'string', mut: 'CU' },
      requires_authentication: { kind: 'bool', mut: 'CU' },
      username: { kind: 'string', mut: 'CU' },
      password: { kind: 'string', mut: 'CU', writeOnly: true },
      authentication_url: { kind: 'string', mut: 'CU' },
      properties: { kind: 'list struct property', mut: 'CU' },
    },
  },
  external_host_provider: {
    identified: true,
    attributes: {
      name: { kind: 'string', mut: 'CU' },
      url: { kind: 'string', mut: 'C' },
      requires_authentication: { kind: 'bool', mut: 'CU', default: false },
      password: { kind: 'string', mut: 'CU', writeOnly: true },
      certificates: { kind: 'links certificate', mut: 'R' },
      compute_resources: { kind: 'links external_compute_resource', mut: 'R' },
      discovered_hosts: { kind: 'links external_discovered_host', mut: 'R' },
      host_groups: { kind: 'links external_host_group', mut: 'R' },
      hosts: { kind: 'links external_host', mut: 'R' },
      description: { kind: 'string', mut: 'CU' },
      username: { kind: 'string', mut: 'CU' },
      authentication_url: { kind: 'string', mut: 'CU' },
      properties: { kind: 'list struct property', mut: 'CU' },
    },
  },
  external_compute_resource: {
    identified: true,
    attributes: {
      provider: { kind: 'string', mut: 'CU' },
      user: { kind: 'string', mut: 'CU' },
      url: { kind: 'string', mut: 'CU' },
      external_host_provider: { kind: 'ref external_host_provider', mut: 'CU' },
    },
  },
  external_discovered_host: {
    identified: true,
    attributes: {
      ip: { kind: 'string', mut: 'CU' },
      mac: { kind: 'string', mut: 'CU' },
      subnet_name: { kind: 'string', mut: 'CU' },
      last_report: { kind: 'string', mut: 'CU' },
      external_host_provider: { kind: 'ref external_host_provider', mut: 'CU' },
    },
  },
  external_host: {
    identified: true,
    attributes: {
      address: { kind: 'string', mut: 'CU' },
      external_host_provider: { kind: 'ref external_host_provider', mut: 'CU' },
    },
  },
  external_host_group: {
    identified: true,
    attributes: {
      architecture_name: { kind: 'string', mut: 'CU' },
      operating_system_name: { kind: 'string', mut: 'CU' },
      domain_name: { kind: 'string', mut: 'CU' },
      subnet_name: { kind: 'string', mut: 'CU' },
      external_host_provider: { kind: 'ref external_host_provider', mut: 'CU' },
    },
  },
  certificate: {
    identified: true,
    attributes: {
      organization: { kind: 'string', mut: 'CU' },
      subject: { kind: 'string', mut: 'CU' },
      content: { kind: 'string', mut: 'CU' },
    },
  },
  external_vm_import: {
    doc: 'A request to import a virtual machine from another platform.',
    attributes: {
      username: { kind: 'string', mut: 'C', writeOnly: true },
      password: { kind: 'string', mut: 'C', writeOnly: true },
      sparse: { kind: 'bool', mut: 'C', default: true },
      vm: { kind: 'ref vm', mut: 'C', doc: 'The name it gets.' },
      provider: { kind: 'enum external_vm_provider_type', mut: 'C' },
      url: { kind: 'string', mut: 'C' },
      name: { kind: 'string', mut: 'C' },
      cluster: { kind: 'ref cluster', mut: 'C' },
      storage_domain: { kind: 'ref storage_domain', mut: 'C' },
      cpu_profile: { kind: 'ref cpu_profile', mut: 'C' },
      quota: { kind: 'ref quota', mut: 'C' },
      host: { kind: 'ref host', mut: 'C' },
      drivers_iso: { kind: 'ref file', mut: 'C' },
    },
  },
  external_template_import: {
    attributes: {
      url: { kind: 'string', mut: 'CU' },
      template: { kind: 'ref template', mut: 'CU' },
      cluster: { kind: 'ref cluster', mut: 'CU' },
      storage_domain: { kind: 'ref storage_domain', mut: 'CU' },
      host: { kind: 'ref host', mut: 'CU' },
      cpu_profile: { kind: 'ref cpu_profile', mut: 'CU' },
      quota: { kind: 'ref quota', mut: 'CU' },
      clone: { kind: 'bool', mut: 'CU' },
    },
  },
  openstack_provider: {
    base: 'external_provider',
    attributes: {
      tenant_name: { kind: 'string', mut: 'CU' },
    },
  },
  openstack_image_provider: {
    base: 'openstack_provider',
    attributes: {
      certificates: { kind: 'links certificate', mut: 'R' },
      images: { kind: 'links openstack_image', mut: 'R' },
    },
  },
  openstack_image: {
    identified: true,
    attributes: {
      openstack_image_provider: { kind: 'ref openstack_image_provider', mut: 'CU' },
    },
  },
  openstack_network_provider: {
    base: 'openstack_provider',
    attributes: {
      plugin_type: { kind: 'enum network_plugin_type', mut: 'CU' },
      external_plugin_type: { kind: 'string', mut: 'CU' },
      agent_configuration: { kind: 'struct agent_configuration', mut: 'CU' },
      read_only: { kind: 'bool', mut: 'CU' },
      type: { kind: 'enum openstack_network_provider_type', mut: 'CU' },
      certificates: { kind: 'links certificate', mut: 'R' },
      networks: { kind: 'links openstack_network', mut: 'R' },
      subnets: { kind: 'links openstack_subnet', mut: 'R' },
      auto_sync: { kind: 'bool', mut: 'CU' },
      unmanaged: { kind: 'bool', mut: 'CU' },
      user_domain_name: { kind: 'string', mut: 'CU' },
      project_name: { kind: 'string', mut: 'CU' },
      project_domain_name: { kind: 'string', mut: 'CU' },
    },
  },
  openstack_network: {
    identified: true,
    attributes: {
      subnets: { kind: 'links openstack_subnet', mut: 'R' },
      openstack_network_provider: { kind: 'ref openstack_network_provider', mut: 'CU' },
    },
  },
  openstack_subnet: {
    identified: true,
    attributes: {
      cidr: { kind: 'string', mut: 'CU' },
      ip_version: { kind: 'string', mut: 'CU' },
      gateway: { kind: 'string', mut: 'CU' },
      dns_servers: { kind: 'list string', mut: 'CU' },
      openstack_network: { kind: 'ref openstack_network', mut: 'CU' },
    },
  },
  openstack_volume_provider: {
    base: 'openstack_provider',
    attributes: {
      data_center: { kind: 'ref data_center', mut: 'CU' },
      certificates: { kind: 'links certificate', mut: 'R' },
      volume_types: { kind: 'links openstack_volume_type', mut: 'R' },
      authentication_keys: { kind: 'links openstack_volume_authentication_key', mut: 'R' },
    },
  },
  openstack_volume_type: {
    identified: true,
    attributes: {
      properties: { kind: 'list struct property', mut: 'CU' },
      openstack_volume_provider: { kind: 'ref openstack_volume_provider', mut: 'CU' },
    },
  },
  openstack_volume_authentication_key: {
    identified: true,
    attributes: {
      uuid: { kind: 'string', mut: 'CU' },
      value: { kind: 'string', mut: 'CU' },
      usage_type: { kind: 'enum openstack_volume_authentication_key_usage_type', mut: 'CU' },
      creation_date: { kind: 'date', mut: 'CU' },
      openstack_volume_provider: { kind: 'ref openstack_volume_provider', mut: 'CU' },
    },
  },
  agent_configuration: {
    attributes: {
      network_mappings: { kind: 'string', mut: 'CU' },
      broker_type: { kind: 'enum message_broker_type', mut: 'CU' },
      address: { kind: 'string', mut: 'CU' },
      port: { kind: 'int', mut: 'CU' },
      username: { kind: 'string', mut: 'CU' },
      password: { kind: 'string', mut: 'CU', writeOnly: true },
    },
  },
  registration_configuration: {
    attributes: {
      cluster_mappings: { kind: 'list struct registration_cluster_mapping', mut: 'CU' },
      role_mappings: { kind: 'list struct registration_role_mapping', mut: 'CU' },
      lun_mappings: { kind: 'list struct registration_lun_mapping', mut: 'CU' },
      domain_mappings: { kind: 'list struct registration_domain_mapping', mut: 'CU' },
      affinity_group_mappings: {
        kind: 'list struct registration_affinity_group_mapping',
        mut: 'CU',
      },
      affinity_label_mappings: {
        kind: 'list struct registration_affinity_label_mapping',
        mut: 'CU',
      },
      vnic_profile_mappings: { kind: 'list struct registration_vnic_profile_mapping', mut: 'CU' },
    },
  },
  registration_cluster_mapping: {
    attributes: {
      from: { kind: 'ref cluster', mut: 'CU' },
      to: { kind: 'ref cluster', mut: 'CU' },
    },
  },
  registration_role_mapping: {
    attributes: {
      from: { kind: 'ref role', mut: 'CU' },
      to: { kind: 'ref role', mut: 'CU' },
    },
  },
  registration_lun_mapping: {
    attributes: {
      from: { kind: 'ref disk', mut: 'CU' },
      to: { kind: 'ref disk', mut: 'CU' },
    },
  },
  registration_domain_mapping: {
    attributes: {
      from: { kind: 'ref domain', mut: 'CU' },
      to: { kind: 'ref domain', mut: 'CU' },
    },
  },
  registration_affinity_group_mapping: {
    attributes: {
      from: { kind: 'ref affinity_group', mut: 'CU' },
      to: { kind: 'ref affinity_group', mut: 'CU' },
    },
  },
  registration_affinity_label_mapping: {
    attributes: {
      from: { kind: 'ref affinity_label', mut: 'CU' },
      to: { kind: 'ref affinity_label', mut: 'CU' },
    },
  },
  registration_vnic_profile_mapping: {
    attributes: {
      from: { kind: 'ref vnic_profile', mut: 'CU' },
      to: { kind: 'ref vnic_profile', mut: 'CU' },
    },
  },
});
