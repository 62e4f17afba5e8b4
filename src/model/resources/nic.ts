/** NICs of VMs, templates and instance types. */
import { computed, crud, owned } from '../notation/collections.ts';
import { column, shortcut } from '../notation/commands.ts';
import { owner, sent, whenSent } from '../notation/permits.ts';
import { resource } from '../notation/resource.ts';
import { traffic } from '../notation/statistics.ts';

export const nic = resource('nic', {
  doc: 'A network interface of a VM or template.',
  base: 'device',
  attributes: {
    name: {
      kind: 'string',
      mut: 'CU',
      doc: 'Name, unique in the VM (at most 50 characters).',
    },
    description: { kind: 'string', mut: 'R', doc: 'Not stored.' },
    comment: { kind: 'string', mut: 'R', doc: 'Not stored.' },
    linked: { kind: 'bool', mut: 'CU', default: true },
    plugged: { kind: 'bool', mut: 'CU', default: true },
    interface: { kind: 'enum nic_interface', mut: 'CU', default: 'virtio' },
    mac: {
      kind: 'struct mac',
      mut: 'CU',
      doc: 'MAC address (default: from the pool of the cluster).',
    },
    synced: { kind: 'bool', mut: 'R', default: true },
    boot_protocol: {
      kind: 'enum boot_protocol',
      mut: 'CU',
      doc: 'For cloud-init only.',
    },
    on_boot: { kind: 'bool', mut: 'CU', doc: 'For cloud-init only.' },
    // Engines derive it from the profile, and ignore it in requests.
    network: { kind: 'ref network', mut: 'R' },
    vnic_profile: {
      kind: 'ref vnic_profile',
      mut: 'CU',
      doc: 'vNIC profile by id; an empty element disconnects the NIC.',
    },
    statistics: { kind: 'links statistic', mut: 'R' },
    network_labels: { kind: 'links network_label', mut: 'R' },
    network_attachments: { kind: 'links network_attachment', mut: 'R' },
    virtual_function_allowed_labels: { kind: 'links network_label', mut: 'R' },
    virtual_function_allowed_networks: { kind: 'links network', mut: 'R' },
    reported_devices: { kind: 'links reported_device', mut: 'R' },
    network_filter_parameters: { kind: 'links network_filter_parameter', mut: 'R' },
  },
  naming: { pattern: 'dotted', max: 50, unique: 'collection' },
  required: ['name'],
  operations: {
    add: {
      permit: owner('configure_vm_network'),
      permitWhenSent: [whenSent('vnic_profile', sent('configure_vm_network', 'vnic_profile'))],
      job: 'Adding network interface {name} to {owner}',
    },
    update: {
      permit: owner('configure_vm_network'),
      permitWhenSent: [whenSent('vnic_profile', sent('configure_vm_network', 'vnic_profile'))],
      job: 'Editing network interface {name} of {owner}',
    },
    remove: {
      permit: owner('configure_vm_network'),
    },
    activate: {
      permit: owner('configure_vm_network'),
      harmless: true,
      opposite: 'deactivate',
    },
    deactivate: {
      permit: owner('configure_vm_network'),
      opposite: 'activate',
    },
  },
  paths: {
    '/vms/{vm}/nics/{nic}': owned({
      ...crud(),
      // A hypervisor changes the NIC after the commit.
      update: ['async'],
      actions: { activate: ['async'], deactivate: ['async'] },
    }),
    '/vms/{vm}/snapshots/{snapshot}/nics/{nic}': computed('snapshot_nic', crud('list', 'get')),
    '/templates/{template}/nics/{nic}': owned({
      ...crud(),
      permits: {
        add: [owner('configure_template_network')],
        update: [owner('configure_template_network')],
        remove: [owner('configure_template_network')],
      },
    }),
    '/instancetypes/{instancetype}/nics/{nic}': owned({
      ...crud('add', 'get', 'update', 'remove'),
      list: ['follow', 'max', 'search'],
    }),
  },
  search: {
    seenAs: {
      vm_nic: {
        network_name: { kind: 'text', path: 'vnic_profile.network.name' },
        mac: { kind: 'text', path: 'mac.address' },
      },
    },
  },
  statistics: traffic,
  definition: {
    writtenAt: [
      '/vms/{vm}/nics',
      '/templates/{template}/nics',
      '/instancetypes/{instancetype}/nics',
    ],
  },
  commands: {
    noun: 'nics',
    aliases: ['vmnics'],
    group: 'network',
    position: 20,
    doc: 'Network interfaces of VMs and templates',
    one: 'NIC',
    columns: [
      'name',
      column('mac', 'mac.address'),
      'interface',
      'vnic_profile.name',
      'linked',
      'plugged',
      'id',
    ],
    shortcuts: [shortcut('mac', 'mac.address', 'MAC address.')],
    verbs: { activate: { purpose: 'Plug {} in' }, deactivate: { purpose: 'Unplug {}' } },
    samples: { object: 'nic1', newName: 'nic2' },
  },
});

export const networkFilterParameter = resource('network_filter_parameter', {
  identified: true,
  unwritten: ['nic'],
  attributes: {
    value: { kind: 'string', mut: 'CU' },
    nic: { kind: 'ref nic', mut: 'CU' },
  },
  required: ['name', 'value'],
  operations: {
    add: { permit: owner('configure_vm_network') },
    update: { permit: owner('configure_vm_network') },
    remove: { permit: owner('configure_vm_network') },
  },
  paths: {
    '/vms/{vm}/nics/{nic}/networkfilterparameters/{parameter}': owned({
      ...crud('add', 'get'),
      list: ['follow'],
      update: [],
      remove: [],
    }),
  },
  definition: { writtenAt: ['/vms/{vm}/nics/{nic}/networkfilterparameters'] },
  commands: {
    noun: 'networkfilterparameters',
    group: 'network',
    position: 40,
    more: true,
    doc: 'Network filter parameters of a NIC',
    verbs: { create: { sample: { flags: '--name MAC --value 00:1a:4a:00:00:07' } } },
    samples: { object: 'IP', newName: 'MAC' },
  },
});
