/** Types of the network family (specification 2.4). */
import { types } from '../notation.ts';

export const networkTypes = types({
  network: {
    doc: 'A logical network.',
    identified: true,
    attributes: {
      name: {
        kind: 'string',
        mut: 'CU',
        doc: 'Unique in its data center. Must not start with bond.',
      },
      ip: { kind: 'struct ip', mut: 'CU', doc: 'Kept for old clients.' },
      vlan: { kind: 'struct vlan', mut: 'CU', doc: 'The tag, 0 to 4094; none when not given.' },
      stp: { kind: 'bool', mut: 'CU', default: false },
      status: {
        kind: 'enum network_status',
        mut: 'R',
        doc: 'Seen from a cluster: whether its hosts have it.',
      },
      display: { kind: 'bool', mut: 'CU', doc: 'Deprecated. Seen from a cluster.' },
      mtu: { kind: 'int', mut: 'CU', default: 0, doc: '0 is the default of the system, 1500.' },
      usages: {
        kind: 'list enum network_usage',
        mut: 'CU',
        doc: 'What it carries; vm by default. In a cluster also display, gluster, management, migration and default_route. Replaces the list.',
      },
      required: {
        kind: 'bool',
        mut: 'CU',
        doc: 'Seen from a cluster: whether each host must have it. True by default.',
      },
      profile_required: {
        kind: 'bool',
        mut: 'C',
        doc: 'Whether a profile of the same name is made, for everyone to use.',
      },
      vdsm_name: {
        kind: 'string',
        mut: 'R',
        doc: 'What hosts call it: its name if that is short and simple, otherwise made from its id.',
      },
      data_center: {
        kind: 'ref data_center',
        mut: 'C',
        doc: 'By id or name, unless added below a data center.',
      },
      cluster: { kind: 'ref cluster', mut: 'R', doc: 'Seen from a cluster.' },
      network_labels: { kind: 'links network_label', mut: 'R' },
      permissions: { kind: 'links permission', mut: 'R' },
      vnic_profiles: { kind: 'links vnic_profile', mut: 'R' },
      port_isolation: { kind: 'bool', mut: 'C', default: false, doc: 'Cannot be changed.' },
      description: { kind: 'string', mut: 'CU', default: '' },
      comment: { kind: 'string', mut: 'CU', default: '' },
      dns_resolver_configuration: { kind: 'struct dns_resolver_configuration', mut: 'CU' },
      qos: { kind: 'ref qos', mut: 'CU' },
      external_provider: { kind: 'ref openstack_network_provider', mut: 'C' },
      external_provider_physical_network: { kind: 'ref network', mut: 'C' },
    },
  },
  vnic_profile: {
    doc: 'How a virtual network interface is connected to a network.',
    identified: true,
    attributes: {
      name: { kind: 'string', mut: 'CU', doc: 'Unique in its network.' },
      port_mirroring: { kind: 'bool', mut: 'CU', default: false },
      pass_through: { kind: 'struct vnic_pass_through', mut: 'CU', doc: 'disabled by default.' },
      migratable: {
        kind: 'bool',
        mut: 'CU',
        doc: 'For profiles that pass through only; true by default.',
      },
      network: { kind: 'ref network', mut: 'C', doc: 'By id, when added through /vnicprofiles.' },
      network_filter: {
        kind: 'ref network_filter',
        mut: 'CU',
        doc: 'vdsm-no-mac-spoofing when not given; an empty element is none.',
      },
      permissions: { kind: 'links permission', mut: 'R' },
      description: { kind: 'string', mut: 'CU' },
      custom_properties: { kind: 'list struct custom_property', mut: 'CU' },
      qos: { kind: 'ref qos', mut: 'CU' },
      failover: { kind: 'ref vnic_profile', mut: 'CU' },
    },
  },
  vnic_pass_through: {
    attributes: {
      mode: { kind: 'enum vnic_pass_through_mode', mut: 'CU' },
    },
  },
  vnic_profile_mapping: {
    attributes: {
      source_network_name: { kind: 'string', mut: 'CU' },
      source_network_profile_name: { kind: 'string', mut: 'CU' },
      target_vnic_profile: { kind: 'ref vnic_profile', mut: 'CU' },
    },
  },
  network_filter: {
    plural: 'network_filters',
    identified: true,
    attributes: {
      name: { kind: 'string', mut: 'R' },
      version: { kind: 'struct version', mut: 'R' },
    },
  },
  network_label: {
    identified: true,
    attributes: {
      network: { kind: 'ref network', mut: 'CU' },
      host_nic: { kind: 'ref host_nic', mut: 'CU' },
    },
  },
  network_attachment: {
    identified: true,
    attributes: {
      network: { kind: 'ref network', mut: 'C', doc: 'By id or name.' },
      host_nic: { kind: 'ref host_nic', mut: 'CU', doc: 'By id or name.' },
      ip_address_assignments: { kind: 'list struct ip_address_assignment', mut: 'CU' },
      properties: { kind: 'list struct property', mut: 'CU' },
      dns_resolver_configuration: { kind: 'struct dns_resolver_configuration', mut: 'CU' },
      qos: { kind: 'ref qos', mut: 'CU' },
      in_sync: { kind: 'bool', mut: 'R' },
      reported_configurations: { kind: 'list struct reported_configuration', mut: 'R' },
      host: { kind: 'ref host', mut: 'R' },
    },
  },
  reported_configuration: {
    attributes: {
      name: { kind: 'string', mut: 'CU' },
      expected_value: { kind: 'string', mut: 'CU' },
      actual_value: { kind: 'string', mut: 'CU' },
      in_sync: { kind: 'bool', mut: 'CU' },
    },
  },
  dns_resolver_configuration: {
    attributes: {
      name_servers: { kind: 'list string', mut: 'CU' },
    },
  },
  ip: {
    attributes: {
      address: { kind: 'string', mut: 'CU' },
      netmask: { kind: 'string', mut: 'CU' },
      gateway: { kind: 'string', mut: 'CU' },
      version: { kind: 'enum ip_version', mut: 'CU' },
    },
  },
  ip_address_assignment: {
    attributes: {
      ip: { kind: 'struct ip', mut: 'CU' },
      assignment_method: { kind: 'enum boot_protocol', mut: 'CU' },
    },
  },
  mac: {
    attributes: {
      address: { kind: 'string', mut: 'CU' },
    },
  },
  vlan: {
    attributes: {
      id: { kind: 'int', mut: 'CU' },
    },
  },
});
