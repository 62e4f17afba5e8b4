/** Services of the providers family (specification 4.5): paths, operations and their parameters. */
import { services } from '../notation.ts';
import { certificates } from './shared.ts';

export const providersServices = services({
  '/externalhostproviders': {
    type: 'external_host_provider',
    operations: {
      list: 'follow max search',
      add: '',
    },
  },
  '/externalhostproviders/{provider}': {
    type: 'external_host_provider',
    operations: {
      get: 'follow',
      update: 'async',
      remove: 'async',
      import_certificates: 'certificates',
      test_connectivity: 'async',
    },
  },
  ...certificates('/externalhostproviders/{provider}'),
  '/externalhostproviders/{provider}/computeresources': {
    type: 'external_compute_resource',
    operations: {
      list: 'follow max',
    },
  },
  '/externalhostproviders/{provider}/computeresources/{resource}': {
    type: 'external_compute_resource',
    operations: {
      get: 'follow',
    },
  },
  '/externalhostproviders/{provider}/discoveredhosts': {
    type: 'external_discovered_host',
    operations: {
      list: 'follow max',
    },
  },
  '/externalhostproviders/{provider}/discoveredhosts/{host}': {
    type: 'external_discovered_host',
    operations: {
      get: 'follow',
    },
  },
  '/externalhostproviders/{provider}/hostgroups': {
    type: 'external_host_group',
    operations: {
      list: 'follow max',
    },
  },
  '/externalhostproviders/{provider}/hostgroups/{group}': {
    type: 'external_host_group',
    operations: {
      get: 'follow',
    },
  },
  '/externalhostproviders/{provider}/hosts': {
    type: 'external_host',
    operations: {
      list: 'follow max',
    },
  },
  '/externalhostproviders/{provider}/hosts/{host}': {
    type: 'external_host',
    operations: {
      get: 'follow',
    },
  },
  '/externalvmimports': {
    type: 'external_vm_import',
    operations: {
      add: '',
    },
  },
  '/externaltemplateimports': {
    type: 'external_template_import',
    operations: {
      add: '',
    },
  },
  '/openstackimageproviders': {
    type: 'openstack_image_provider',
    operations: {
      list: 'follow max search',
      add: '',
    },
  },
  '/openstackimageproviders/{provider}': {
    type: 'openstack_image_provider',
    operations: {
      get: 'follow',
      update: 'async',
      remove: 'async',
      import_certificates: 'certificates',
      test_connectivity: 'async',
    },
  },
  ...certificates('/openstackimageproviders/{provider}'),
  '/openstackimageproviders/{provider}/images': {
    type: 'openstack_image',
    operations: {
      list: 'follow max',
    },
  },
  '/openstackimageproviders/{provider}/images/{image}': {
    type: 'openstack_image',
    operations: {
      get: 'follow',
      import: 'async cluster disk import_as_template storage_domain template',
    },
  },
  '/openstacknetworkproviders': {
    type: 'openstack_network_provider',
    operations: {
      list: 'follow max search',
      add: '',
    },
  },
  '/openstacknetworkproviders/{provider}': {
    type: 'openstack_network_provider',
    operations: {
      get: 'follow',
      update: 'async',
      remove: 'async',
      import_certificates: 'certificates',
      test_connectivity: 'async',
    },
  },
  ...certificates('/openstacknetworkproviders/{provider}'),
  '/openstacknetworkproviders/{provider}/networks': {
    type: 'openstack_network',
    operations: {
      list: 'follow max',
    },
  },
  '/openstacknetworkproviders/{provider}/networks/{network}': {
    type: 'openstack_network',
    operations: {
      get: 'follow',
      import: 'async data_center',
    },
  },
  '/openstacknetworkproviders/{provider}/networks/{network}/subnets': {
    type: 'openstack_subnet',
    operations: {
      list: 'follow max',
      add: '',
    },
  },
  '/openstacknetworkproviders/{provider}/networks/{network}/subnets/{subnet}': {
    type: 'openstack_subnet',
    operations: {
      get: 'follow',
      remove: 'async',
    },
  },
  '/openstackvolumeproviders': {
    type: 'openstack_volume_provider',
    operations: {
      list: 'follow max search',
      add: '',
    },
  },
  '/openstackvolumeproviders/{provider}': {
    type: 'openstack_volume_provider',
    operations: {
      get: 'follow',
      update: 'async',
      remove: 'async force',
      import_certificates: 'certificates',
      test_connectivity: 'async',
    },
  },
  '/openstackvolumeproviders/{provider}/authenticationkeys': {
    type: 'openstack_volume_authentication_key',
    operations: {
      list: 'follow max',
      add: '',
    },
  },
  '/openstackvolumeproviders/{provider}/authenticationkeys/{key}': {
    type: 'openstack_volume_authentication_key',
    operations: {
      get: 'follow',
      update: '',
      remove: 'async',
    },
  },
  ...certificates('/openstackvolumeproviders/{provider}'),
  '/openstackvolumeproviders/{provider}/volumetypes': {
    type: 'openstack_volume_type',
    operations: {
      list: 'follow max',
    },
  },
  '/openstackvolumeproviders/{provider}/volumetypes/{type}': {
    type: 'openstack_volume_type',
    operations: {
      get: 'follow',
    },
  },
});
