/** OpenStack image providers. */
import { byIdOrName, crud, owned } from '../notation/collections.ts';
import { sent, system } from '../notation/permits.ts';
import { resource, structure } from '../notation/resource.ts';

export const openstackProvider = structure('openstack_provider', {
  base: 'external_provider',
  attributes: {
    tenant_name: { kind: 'string', mut: 'CU' },
  },
});

export const openstackImageProvider = resource('openstack_image_provider', {
  base: 'openstack_provider',
  attributes: {
    certificates: { kind: 'links certificate', mut: 'R' },
    images: { kind: 'links openstack_image', mut: 'R' },
    description: { kind: 'string', mut: 'CU', default: '' },
  },
  naming: { pattern: 'identifier', max: 128, unique: 'service' },
  required: ['name'],
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
    '/openstackimageproviders/{provider}': owned({
      ...crud('add', 'get', 'update', 'remove'),
      list: ['follow', 'max', 'search'],
      actions: { import_certificates: ['certificates'], test_connectivity: ['async'] },
    }),
  },
  definition: { writtenAt: ['/openstackimageproviders'] },
  commands: {
    noun: 'openstackimageproviders',
    aliases: ['imageproviders'],
    group: 'providers',
    position: 60,
    more: true,
    doc: 'OpenStack image providers',
    one: 'image provider',
    verbs: {
      create: { sample: { flags: '--name images --url https://images.example.com:9292' } },
      'import-certificates': { sample: { flags: '-f certificates.yaml' } },
    },
    samples: { object: 'glance' },
  },
});

export const openstackImage = resource('openstack_image', {
  identified: true,
  attributes: {
    openstack_image_provider: { kind: 'ref openstack_image_provider', mut: 'CU' },
  },
  operations: {
    import: {
      permit: sent('create_disk', 'storage_domain'),
      harmless: true,
      required: [byIdOrName('storage_domain')],
      makes: [
        { in: '/templates', namedBy: 'template', when: 'import_as_template' },
        { in: '/disks', namedBy: 'disk' },
      ],
    },
  },
  paths: {
    '/openstackimageproviders/{provider}/images/{image}': owned({
      ...crud('list', 'get'),
      actions: {
        import: ['async', 'cluster', 'disk', 'import_as_template', 'storage_domain', 'template'],
      },
    }),
  },
});
