/** Host NICs. */
import { owned } from '../notation/collections.ts';
import { column, shortcut } from '../notation/commands.ts';
import { owner } from '../notation/permits.ts';
import { resource, structure } from '../notation/resource.ts';
import { traffic } from '../notation/statistics.ts';

export const hostNic = resource('host_nic', {
  doc: 'A network interface of a host; changed through host actions only.',
  identified: true,
  attributes: {
    name: { kind: 'string', mut: 'A', doc: 'Name; set through the setupnetworks action only.' },
    bonding: {
      kind: 'struct bonding',
      mut: 'A',
      doc: 'Bonding; set through the setupnetworks action only.',
    },
    mac: { kind: 'struct mac', mut: 'R' },
    ip: { kind: 'struct ip', mut: 'R' },
    ipv6: { kind: 'struct ip', mut: 'R' },
    base_interface: { kind: 'string', mut: 'R' },
    vlan: { kind: 'struct vlan', mut: 'R' },
    boot_protocol: { kind: 'enum boot_protocol', mut: 'R' },
    ipv6_boot_protocol: { kind: 'enum boot_protocol', mut: 'R' },
    statistics: { kind: 'links statistic', mut: 'R' },
    network_labels: { kind: 'links network_label', mut: 'R' },
    network_attachments: { kind: 'links network_attachment', mut: 'R' },
    virtual_function_allowed_labels: { kind: 'links network_label', mut: 'R' },
    virtual_function_allowed_networks: { kind: 'links network', mut: 'R' },
    link_layer_discovery_protocol_elements: {
      kind: 'links link_layer_discovery_protocol_element',
      mut: 'R',
    },
    check_connectivity: { kind: 'bool', mut: 'R' },
    bridged: { kind: 'bool', mut: 'R' },
    custom_configuration: { kind: 'bool', mut: 'R' },
    override_configuration: { kind: 'bool', mut: 'R' },
    speed: { kind: 'long', mut: 'R' },
    mtu: { kind: 'int', mut: 'R' },
    ad_aggregator_id: { kind: 'int', mut: 'R' },
    status: { kind: 'enum nic_status', mut: 'R' },
    properties: { kind: 'list struct property', mut: 'R' },
    host: { kind: 'ref host', mut: 'R' },
    network: { kind: 'ref network', mut: 'R' },
    qos: { kind: 'ref qos', mut: 'R' },
    physical_function: { kind: 'ref host_nic', mut: 'R' },
    virtual_functions_configuration: {
      kind: 'struct host_nic_virtual_functions_configuration',
      mut: 'R',
    },
  },
  containedIn: ['host'],
  operations: {
    update_virtual_functions_configuration: {
      permit: owner('configure_host_network'),
      required: [
        [
          'virtual_functions_configuration.number_of_virtual_functions',
          'virtual_functions_configuration.all_networks_allowed',
        ],
      ],
    },
  },
  paths: {
    '/hosts/{host}/nics/{nic}': owned({
      list: ['all_content', 'follow', 'max'],
      get: ['all_content', 'follow'],
      actions: {
        update_virtual_functions_configuration: ['async', 'virtual_functions_configuration'],
      },
    }),
  },
  statistics: traffic,
  // Only bonds. The other NICs are hardware.
  definition: { writtenAt: ['/hosts/{host}/nics'] },
  search: {
    fields: {
      network_name: { kind: 'text', path: 'network.name' },
      mac: { kind: 'text', path: 'mac.address' },
    },
  },
  commands: {
    noun: 'hostnics',
    group: 'network',
    position: 30,
    doc: 'Network interfaces of hosts',
    one: 'host network interface',
    collections: ['/hosts/{host}/nics'],
    operationVerbs: { update_virtual_functions_configuration: 'set-virtual-functions' },
    columns: [
      'name',
      'status',
      column('mac', 'mac.address'),
      'speed',
      'mtu',
      'network.name',
      column('ip', 'ip.address'),
      'id',
    ],
    verbs: {
      'set-virtual-functions': {
        aliases: ['update-virtual-functions-configuration'],
        shortcuts: [
          shortcut(
            'number',
            'virtual_functions_configuration.number_of_virtual_functions',
            'Number of virtual functions.',
          ),
          shortcut(
            'all-networks-allowed',
            'virtual_functions_configuration.all_networks_allowed',
            'Whether all networks can use the virtual functions.',
          ),
        ],
        sample: { flags: '--number 2' },
      },
    },
    samples: { object: 'eth3' },
  },
});

export const hostNicVirtualFunctionsConfiguration = structure(
  'host_nic_virtual_functions_configuration',
  {
    attributes: {
      max_number_of_virtual_functions: { kind: 'int', mut: 'CU' },
      number_of_virtual_functions: { kind: 'int', mut: 'CU' },
      all_networks_allowed: { kind: 'bool', mut: 'CU' },
    },
  },
);

export const bonding = structure('bonding', {
  attributes: {
    options: { kind: 'list struct option', mut: 'CU' },
    slaves: { kind: 'list struct host_nic', mut: 'CU' },
    active_slave: { kind: 'ref host_nic', mut: 'CU' },
    ad_partner_mac: { kind: 'struct mac', mut: 'R' },
  },
});

export const linkLayerDiscoveryProtocolElement = resource('link_layer_discovery_protocol_element', {
  identified: true,
  attributes: {
    type: { kind: 'int', mut: 'CU' },
    oui: { kind: 'int', mut: 'CU' },
    subtype: { kind: 'int', mut: 'CU' },
    properties: { kind: 'list struct property', mut: 'CU' },
  },
  paths: {
    '/hosts/{host}/nics/{nic}/linklayerdiscoveryprotocolelements': owned({ list: ['follow'] }),
  },
  commands: {
    noun: 'linklayerdiscoveryprotocolelements',
    aliases: ['lldp'],
    group: 'network',
    more: true,
    doc: 'LLDP data of a host interface',
    one: 'LLDP element',
  },
});
