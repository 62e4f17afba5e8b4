/** External host providers, and the hosts that they offer. */
import { crud, owned } from '../notation/collections.ts';
import { system } from '../notation/permits.ts';
import { resource } from '../notation/resource.ts';
import { field } from '../notation/search-terms.ts';

export const externalProvider = resource('external_provider', {
  doc: 'Attributes of all providers; references name OpenStack network providers.',
  identified: true,
  standsFor: 'openstack_network_provider',
  attributes: {
    url: { kind: 'string', mut: 'CU' },
    requires_authentication: { kind: 'bool', mut: 'CU' },
    username: { kind: 'string', mut: 'CU' },
    password: { kind: 'string', mut: 'CU', writeOnly: true, secret: true },
    authentication_url: { kind: 'string', mut: 'CU' },
    properties: { kind: 'list struct property', mut: 'CU' },
  },
  paths: { '/clusters/{cluster}/externalnetworkproviders': owned({ list: ['follow'] }) },
  search: {
    fields: {
      name: field.name,
      type: { kind: 'text', source: 'kind of the provider' },
      description: field.description,
      url: { kind: 'text', path: 'url' },
    },
  },
  commands: {
    noun: 'externalnetworkproviders',
    group: 'network',
    position: 50,
    more: true,
    doc: 'Network providers of a cluster',
    one: 'external network provider',
  },
});

export const externalHostProvider = resource('external_host_provider', {
  base: 'external_provider',
  attributes: {
    certificates: { kind: 'links certificate', mut: 'R' },
    compute_resources: { kind: 'links external_compute_resource', mut: 'R' },
    discovered_hosts: { kind: 'links external_discovered_host', mut: 'R' },
    host_groups: { kind: 'links external_host_group', mut: 'R' },
    hosts: { kind: 'links external_host', mut: 'R' },
    description: { kind: 'string', mut: 'CU', default: '' },
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
    '/externalhostproviders/{provider}': owned({
      ...crud('add', 'get', 'update', 'remove'),
      list: ['follow', 'max', 'search'],
      actions: { import_certificates: ['certificates'], test_connectivity: ['async'] },
    }),
  },
  definition: { writtenAt: ['/externalhostproviders'] },
  commands: {
    noun: 'externalhostproviders',
    aliases: ['hostproviders'],
    group: 'providers',
    position: 10,
    more: true,
    doc: 'External host providers',
    one: 'host provider',
    verbs: {
      create: { sample: { flags: '--name satellite --url https://satellite.example.com' } },
      'import-certificates': { sample: { flags: '-f certificates.yaml' } },
    },
    samples: { object: 'foreman' },
  },
});

export const externalComputeResource = resource('external_compute_resource', {
  identified: true,
  attributes: {
    provider: { kind: 'string', mut: 'CU' },
    user: { kind: 'string', mut: 'CU' },
    url: { kind: 'string', mut: 'CU' },
    external_host_provider: { kind: 'ref external_host_provider', mut: 'CU' },
  },
  paths: {
    '/externalhostproviders/{provider}/computeresources/{resource}': owned(crud('list', 'get')),
  },
  commands: {
    noun: 'computeresources',
    group: 'providers',
    position: 50,
    more: true,
    doc: 'Compute resources of a provider',
    samples: { object: 'rack-1' },
  },
});

export const externalDiscoveredHost = resource('external_discovered_host', {
  identified: true,
  attributes: {
    ip: { kind: 'string', mut: 'CU' },
    mac: { kind: 'string', mut: 'CU' },
    subnet_name: { kind: 'string', mut: 'CU' },
    last_report: { kind: 'string', mut: 'CU' },
    external_host_provider: { kind: 'ref external_host_provider', mut: 'CU' },
  },
  paths: {
    '/externalhostproviders/{provider}/discoveredhosts/{host}': owned(crud('list', 'get')),
  },
  commands: {
    noun: 'discoveredhosts',
    group: 'providers',
    position: 30,
    more: true,
    doc: 'Discovered hosts of a provider',
    samples: { object: 'mac5254002e196d' },
  },
});

export const externalHost = resource('external_host', {
  identified: true,
  attributes: {
    address: { kind: 'string', mut: 'CU' },
    external_host_provider: { kind: 'ref external_host_provider', mut: 'CU' },
  },
  paths: {
    '/externalhostproviders/{provider}/hosts/{host}': owned(crud('list', 'get')),
  },
  commands: {
    noun: 'externalhosts',
    group: 'providers',
    position: 20,
    more: true,
    doc: 'Hosts of a provider',
    collections: ['/externalhostproviders/{provider}/hosts'],
    samples: { object: 'node-a.example.com' },
  },
});

export const externalHostGroup = resource('external_host_group', {
  identified: true,
  attributes: {
    architecture_name: { kind: 'string', mut: 'CU' },
    operating_system_name: { kind: 'string', mut: 'CU' },
    domain_name: { kind: 'string', mut: 'CU' },
    subnet_name: { kind: 'string', mut: 'CU' },
    external_host_provider: { kind: 'ref external_host_provider', mut: 'CU' },
  },
  paths: {
    '/externalhostproviders/{provider}/hostgroups/{group}': owned(crud('list', 'get')),
  },
  commands: {
    noun: 'hostgroups',
    group: 'providers',
    position: 40,
    more: true,
    doc: 'Host groups of a provider',
    samples: { object: 'hypervisors' },
  },
});
