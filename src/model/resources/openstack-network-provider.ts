/** OpenStack network providers, their networks and subnets. */
import { byIdOrName, crud, owned } from '../notation/collections.ts';
import { sent, system } from '../notation/permits.ts';
import { resource, structure } from '../notation/resource.ts';

export const openstackNetworkProvider = resource('openstack_network_provider', {
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
    description: { kind: 'string', mut: 'CU', default: '' },
    auto_sync: { kind: 'bool', mut: 'CU' },
    unmanaged: { kind: 'bool', mut: 'CU' },
    user_domain_name: { kind: 'string', mut: 'CU' },
    project_name: { kind: 'string', mut: 'CU' },
    project_domain_name: { kind: 'string', mut: 'CU' },
  },
  naming: { pattern: 'identifier', max: 128, unique: 'service' },
  required: ['name', 'url'],
  operations: {
    add: { permit: system('create_storage_pool') },
    update: { permit: system('create_storage_pool') },
    remove: { permit: system('create_storage_pool') },
    import_certificates: {
      permit: system('create_storage_pool'),
      harmless: true,
      required: ['certificates'],
    },
    test_connectivity: { permit: system('create_storage_pool'), harmless: true },
  },
  paths: {
    '/openstacknetworkproviders/{provider}': owned({
      ...crud('add', 'get', 'update', 'remove'),
      list: ['follow', 'max', 'search'],
      actions: { import_certificates: ['certificates'], test_connectivity: ['async'] },
    }),
  },
  definition: { writtenAt: ['/openstacknetworkproviders'] },
  commands: {
    noun: 'openstacknetworkproviders',
    aliases: ['networkproviders'],
    group: 'providers',
    position: 70,
    more: true,
    doc: 'OpenStack network providers',
    one: 'network provider',
    verbs: {
      create: { sample: { flags: '--name ovn --url https://ovn.example.com:9696' } },
      'import-certificates': { sample: { flags: '-f certificates.yaml' } },
    },
    samples: { object: 'neutron' },
  },
});

export const openstackNetwork = resource('openstack_network', {
  identified: true,
  attributes: {
    subnets: { kind: 'links openstack_subnet', mut: 'R' },
    openstack_network_provider: { kind: 'ref openstack_network_provider', mut: 'CU' },
  },
  operations: {
    import: {
      permit: sent('create_storage_pool_network', 'data_center'),
      harmless: true,
      required: [byIdOrName('data_center')],
      makes: [{ in: '/networks' }],
    },
  },
  paths: {
    '/openstacknetworkproviders/{provider}/networks/{network}': owned({
      ...crud('list', 'get'),
      actions: { import: ['async', 'data_center'] },
    }),
  },
});

export const openstackSubnet = resource('openstack_subnet', {
  identified: true,
  attributes: {
    cidr: { kind: 'string', mut: 'CU' },
    ip_version: { kind: 'string', mut: 'CU' },
    gateway: { kind: 'string', mut: 'CU' },
    dns_servers: { kind: 'list string', mut: 'CU' },
    openstack_network: { kind: 'ref openstack_network', mut: 'CU' },
  },
  operations: {
    add: { permit: system('create_storage_pool') },
    remove: { permit: system('create_storage_pool') },
  },
  paths: {
    '/openstacknetworkproviders/{provider}/networks/{network}/subnets/{subnet}': owned(
      crud('list', 'add', 'get', 'remove'),
    ),
  },
  definition: { leftOut: 'stored by the provider, outside of the site' },
  commands: {
    noun: 'subnets',
    group: 'network',
    more: true,
    doc: 'Subnets of a provider network',
    verbs: { create: { sample: { flags: '--name lab --cidr 10.9.0.0/24 --ip-version v4' } } },
    samples: { object: 'tenant-a-subnet' },
  },
});

export const agentConfiguration = structure('agent_configuration', {
  attributes: {
    network_mappings: { kind: 'string', mut: 'CU' },
    broker_type: { kind: 'enum message_broker_type', mut: 'CU' },
    address: { kind: 'string', mut: 'CU' },
    port: { kind: 'int', mut: 'CU' },
    username: { kind: 'string', mut: 'CU' },
    password: { kind: 'string', mut: 'CU', writeOnly: true, secret: true },
  },
});
