/** OpenStack volume providers. */
import { crud, ignored, owned } from '../notation/collections.ts';
import { system } from '../notation/permits.ts';
import { resource } from '../notation/resource.ts';

export const openstackVolumeProvider = resource('openstack_volume_provider', {
  base: 'openstack_provider',
  attributes: {
    data_center: { kind: 'ref data_center', mut: 'CU' },
    certificates: { kind: 'links certificate', mut: 'R' },
    volume_types: { kind: 'links openstack_volume_type', mut: 'R' },
    authentication_keys: { kind: 'links openstack_volume_authentication_key', mut: 'R' },
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
    '/openstackvolumeproviders/{provider}': owned({
      ...crud('add', 'get', 'update'),
      list: ['follow', 'max', 'search'],
      remove: ['async', ignored('force', 'no check exists that force could override')],
      actions: { import_certificates: ['certificates'], test_connectivity: ['async'] },
    }),
  },
  definition: { writtenAt: ['/openstackvolumeproviders'] },
  commands: {
    noun: 'openstackvolumeproviders',
    aliases: ['volumeproviders'],
    group: 'providers',
    position: 80,
    more: true,
    doc: 'OpenStack volume providers',
    one: 'volume provider',
    verbs: {
      create: { sample: { flags: '--name volumes --url https://volumes.example.com:8776' } },
      'import-certificates': { sample: { flags: '-f certificates.yaml' } },
    },
    samples: { object: 'cinder' },
  },
});

export const openstackVolumeType = resource('openstack_volume_type', {
  identified: true,
  attributes: {
    properties: { kind: 'list struct property', mut: 'CU' },
    openstack_volume_provider: { kind: 'ref openstack_volume_provider', mut: 'CU' },
  },
  paths: {
    '/openstackvolumeproviders/{provider}/volumetypes/{type}': owned(crud('list', 'get')),
  },
  commands: {
    noun: 'volumetypes',
    group: 'providers',
    more: true,
    doc: 'Volume types of a volume provider',
    samples: { object: 'ceph' },
  },
});

export const openstackVolumeAuthenticationKey = resource('openstack_volume_authentication_key', {
  identified: true,
  unwritten: ['openstack_volume_provider', 'creation_date'],
  attributes: {
    uuid: { kind: 'string', mut: 'CU' },
    value: { kind: 'string', mut: 'CU', secret: true },
    usage_type: { kind: 'enum openstack_volume_authentication_key_usage_type', mut: 'CU' },
    creation_date: { kind: 'date', mut: 'CU' },
    openstack_volume_provider: { kind: 'ref openstack_volume_provider', mut: 'CU' },
  },
  operations: {
    add: { permit: system('create_storage_pool') },
    update: { permit: system('create_storage_pool') },
    remove: { permit: system('create_storage_pool') },
  },
  paths: {
    '/openstackvolumeproviders/{provider}/authenticationkeys/{key}': owned({
      ...crud('list', 'add', 'get', 'remove'),
      update: [],
    }),
  },
  definition: { writtenAt: ['/openstackvolumeproviders/{provider}/authenticationkeys'] },
  commands: {
    noun: 'authenticationkeys',
    group: 'providers',
    more: true,
    doc: 'Authentication keys of a volume provider',
    verbs: {
      create: { sample: { flags: '--uuid 5a0c7d1e-8f42-4b6d-a0c9-1f3e5d7b9a24 --value c2VjcmV0' } },
    },
  },
});
