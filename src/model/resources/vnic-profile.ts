/** VNIC profiles, which connect VM NICs to networks. */
import { below, crud, owned, view } from '../notation/collections.ts';
import { self, sent } from '../notation/permits.ts';
import { resource, structure } from '../notation/resource.ts';
import { field } from '../notation/search-terms.ts';

export const vnicProfile = resource('vnic_profile', {
  doc: 'The connection of a NIC to a network.',
  identified: true,
  attributes: {
    name: { kind: 'string', mut: 'CU', doc: 'Name, unique in the network.' },
    port_mirroring: { kind: 'bool', mut: 'CU', default: false },
    pass_through: {
      kind: 'struct vnic_pass_through',
      mut: 'CU',
      doc: 'Passthrough mode (default disabled).',
    },
    migratable: {
      kind: 'bool',
      mut: 'CU',
      doc: 'Whether VMs with a passthrough NIC can migrate (default true).',
    },
    network: { kind: 'ref network', mut: 'C', doc: 'Network by id, for /vnicprofiles.' },
    network_filter: {
      kind: 'ref network_filter',
      mut: 'CU',
      doc: 'Network filter (default vdsm-no-mac-spoofing); an empty element disables it.',
    },
    permissions: { kind: 'links permission', mut: 'R' },
    description: { kind: 'string', mut: 'CU' },
    custom_properties: { kind: 'list struct custom_property', mut: 'CU' },
    qos: { kind: 'ref qos', mut: 'CU' },
    failover: { kind: 'ref vnic_profile', mut: 'CU' },
  },
  naming: { pattern: 'any', max: 256, unique: { within: 'network' } },
  required: ['name', 'network.id'],
  containedIn: ['network'],
  operations: {
    add: {
      permit: sent('create_network_vnic_profile', 'network'),
      job: 'Adding vNIC profile {name}',
    },
    update: { permit: self('configure_network_vnic_profile'), job: 'Editing vNIC profile {name}' },
    remove: { permit: self('delete_network_vnic_profile') },
  },
  paths: {
    ...below(
      [
        '/datacenters/{datacenter}/iscsibonds/{iscsibond}/networks/{network}',
        '/networks/{network}',
      ],
      'vnicprofiles/{profile}',
      view(
        { refersBy: 'network' },
        { list: ['follow', 'max'], add: [], get: ['follow'], remove: ['async'] },
      ),
    ),
    '/vnicprofiles/{profile}': owned(crud()),
  },
  search: {
    fields: {
      name: field.name,
      description: field.description,
      port_mirroring: { kind: 'bool', path: 'port_mirroring' },
      passthrough: {
        kind: 'enum',
        path: 'pass_through.mode',
        enum: 'vnic_pass_through_mode',
        values: { true: 'enabled', false: 'disabled' },
      },
      network_name: { kind: 'text', path: 'network.name' },
      compatibility_version: { kind: 'text', path: 'network.data_center.version', as: 'version' },
      datacenter: { kind: 'text', path: 'network.data_center.name' },
      qos_name: { kind: 'text', path: 'qos.name' },
      network_filter: { kind: 'text', path: 'network_filter.name' },
      failover: { kind: 'text', path: 'failover.name' },
    },
  },
  definition: { writtenAt: ['/vnicprofiles'] },
  commands: {
    noun: 'vnicprofiles',
    group: 'network',
    position: 40,
    doc: 'Profiles that connect NICs to networks',
    one: 'vNIC profile',
    columns: ['name', 'network.name', 'port_mirroring', 'migratable', 'id'],
    samples: { object: 'guests', newName: 'visitors' },
  },
});

export const vnicProfileMapping = structure('vnic_profile_mapping', {
  attributes: {
    source_network_name: { kind: 'string', mut: 'CU' },
    source_network_profile_name: { kind: 'string', mut: 'CU' },
    target_vnic_profile: { kind: 'ref vnic_profile', mut: 'CU' },
  },
});

export const vnicPassThrough = structure('vnic_pass_through', {
  attributes: {
    mode: { kind: 'enum vnic_pass_through_mode', mut: 'CU' },
  },
});
