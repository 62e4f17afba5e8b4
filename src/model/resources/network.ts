/** Logical networks, and networks of clusters. */
import {
  asyncIgnored,
  byIdOrName,
  computed,
  crud,
  idOrName,
  members,
  owned,
  view,
} from '../notation/collections.ts';
import { attaching, column, shortcut } from '../notation/commands.ts';
import { owner, self, sent } from '../notation/permits.ts';
import { resource } from '../notation/resource.ts';
import { field, related } from '../notation/search-terms.ts';

export const network = resource('network', {
  doc: 'A logical network.',
  identified: true,
  attributes: {
    name: {
      kind: 'string',
      mut: 'CU',
      doc: 'Name, unique in the data center; must not start with bond.',
    },
    ip: { kind: 'struct ip', mut: 'CU', doc: 'Deprecated.' },
    vlan: { kind: 'struct vlan', mut: 'CU', doc: 'VLAN tag, 0 to 4094 (default none).' },
    stp: { kind: 'bool', mut: 'CU', default: false },
    status: {
      kind: 'enum network_status',
      mut: 'R',
      doc: 'Status of the network, below a cluster only.',
    },
    display: { kind: 'bool', mut: 'CU', doc: 'Deprecated: below a cluster only.' },
    mtu: { kind: 'int', mut: 'CU', default: 0, doc: 'MTU; 0 is the system default of 1500.' },
    usages: {
      kind: 'list enum network_usage',
      mut: 'CU',
      doc: 'Usages (default vm); in a cluster also display, gluster, management, migration and default_route. Replaces the list.',
    },
    required: {
      kind: 'bool',
      mut: 'CU',
      doc: 'Whether every host of a cluster needs the network (default true).',
    },
    profile_required: {
      kind: 'bool',
      mut: 'C',
      doc: 'Whether to create a public vNIC profile with the same name.',
    },
    vdsm_name: {
      kind: 'string',
      mut: 'R',
      doc: 'Name on the hosts (default: the network name if valid there, otherwise generated).',
    },
    data_center: {
      kind: 'ref data_center',
      mut: 'C',
      doc: 'Data center by name or id, unless the parent is one.',
    },
    cluster: { kind: 'ref cluster', mut: 'R', doc: 'Cluster, below a cluster only.' },
    network_labels: { kind: 'links network_label', mut: 'R' },
    permissions: { kind: 'links permission', mut: 'R' },
    vnic_profiles: { kind: 'links vnic_profile', mut: 'R' },
    port_isolation: {
      kind: 'bool',
      mut: 'C',
      default: false,
      doc: 'Port isolation; cannot be changed later.',
    },
    description: { kind: 'string', mut: 'CU', length: [0, 4000], default: '' },
    comment: { kind: 'string', mut: 'CU', default: '' },
    dns_resolver_configuration: { kind: 'struct dns_resolver_configuration', mut: 'CU' },
    qos: { kind: 'ref qos', mut: 'CU' },
    external_provider: { kind: 'ref openstack_network_provider', mut: 'C' },
    external_provider_physical_network: { kind: 'ref network', mut: 'C' },
  },
  naming: { pattern: 'any', max: 256, unique: { within: 'data_center' } },
  required: ['name', byIdOrName('data_center')],
  containedIn: ['data_center'],
  reachedFrom: ['vnic_profile'],
  operations: {
    add: {
      permit: sent('create_storage_pool_network', 'data_center'),
      job: 'Adding network {name}',
    },
    update: { permit: self('configure_storage_pool_network'), job: 'Editing network {name}' },
    remove: { permit: self('delete_storage_pool_network'), job: 'Removing network {name}' },
  },
  paths: {
    '/clusters/{cluster}/networks/{network}': computed('cluster_network', {
      ...crud('list', 'add', 'get'),
      verbs: attaching,
      attaches: ['required', 'usages'],
      update: [],
      remove: [],
      required: [idOrName],
      permits: {
        add: [owner('assign_cluster_network')],
        update: [owner('configure_cluster_network')],
        remove: [owner('assign_cluster_network')],
      },
    }),
    '/datacenters/{datacenter}/iscsibonds/{iscsibond}/networks/{network}': members(
      { listedBy: 'owner', attribute: 'networks', answers: 'object' },
      {
        verbs: attaching,
        list: ['case_sensitive', 'follow', 'max', 'search'],
        add: [],
        get: ['follow'],
        update: [asyncIgnored],
        remove: ['async'],
        required: [idOrName],
      },
    ),
    '/datacenters/{datacenter}/networks/{network}': view(
      { refersBy: 'data_center' },
      { list: ['follow', 'max'], add: [], get: ['follow'], update: [], remove: [] },
    ),
    '/networks/{network}': owned({
      ...crud('add', 'get', 'update', 'remove'),
      list: ['case_sensitive', 'follow', 'max', 'search'],
    }),
    '/hosts/{host}/nics/{nic}/virtualfunctionallowednetworks/{network}': computed(
      'allowed_network',
      {
        attaches: true,
        list: ['follow', 'max'],
        add: [],
        get: ['follow'],
        remove: ['async'],
        required: [idOrName],
        permits: {
          add: [owner('configure_host_network')],
          remove: [owner('configure_host_network')],
        },
      },
    ),
  },
  search: {
    fields: {
      name: field.name,
      description: field.description,
      comment: field.comment,
      vlanid: { kind: 'number', path: 'vlan.id' },
      mtu: { kind: 'number', path: 'mtu' },
      stp: { kind: 'bool', path: 'stp' },
      vmnetwork: { kind: 'bool', source: 'whether usages contains vm' },
      datacenter: { kind: 'text', path: 'data_center.name' },
      label: {
        kind: 'text',
        through: [{ back: 'network_label.network' }],
        path: 'id',
        doc: 'label of the network',
      },
      provider_name: { kind: 'text', path: 'external_provider.name' },
      qos_name: { kind: 'text', path: 'qos.name' },
    },
    related: [
      { ...related.clusterNetworks, steps: [{ paired: 'cluster_network' }] },
      {
        names: ['host_network', 'host_networks'],
        fields: 'host_network',
        type: 'network_attachment',
        steps: [{ back: 'network_attachment.network' }],
      },
      {
        names: ['provider', 'providers'],
        fields: 'external_provider',
        type: 'external_provider',
        steps: [{ follow: 'external_provider' }],
      },
    ],
    order: [{ path: 'data_center.name' }, { path: 'name' }],
    seenAs: {
      cluster_network: {
        network_name: { kind: 'text', source: 'name of the network' },
        cluster_name: { kind: 'text', source: 'name of the cluster' },
      },
      host_network: { host_name: { kind: 'text', path: 'host.name' } },
    },
  },
  definition: {
    writtenAt: ['/networks', '/clusters/{cluster}/networks'],
    namedAt: ['/datacenters/{datacenter}/iscsibonds/{iscsibond}/networks'],
    only: { '/clusters/{cluster}/networks': ['name', 'required', 'usages'] },
    leftOut: { '/hosts/{host}/nics/{nic}/virtualfunctionallowednetworks': 'hardware of a host' },
  },
  commands: {
    noun: 'networks',
    aliases: ['net'],
    group: 'network',
    position: 10,
    doc: 'Logical networks',
    columns: [
      'name',
      'data_center.name',
      column('vlan', 'vlan.id'),
      'mtu',
      'usages',
      'description',
    ],
    searchedByName: true,
    shortcuts: [shortcut('vlan', 'vlan.id', 'VLAN tag.')],
    verbs: {
      attach: { sample: { object: 'legacy' } },
      delete: { sample: { object: 'legacy' } },
      detach: { sample: { object: 'legacy' } },
      import: { sample: { flags: '--data-center Default' } },
    },
    samples: {
      object: 'frontend',
      objectAt: { '/openstacknetworkproviders/{provider}/networks': 'tenant-a' },
      newName: 'backup',
    },
    otherNouns: [
      {
        noun: 'virtualfunctionallowednetworks',
        group: 'network',
        more: true,
        doc: 'Networks allowed on virtual functions',
        one: 'allowed network',
        operationVerbs: attaching,
        samples: { object: 'frontend' },
      },
    ],
  },
});
