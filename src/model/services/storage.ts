/** Services of the storage family (specification 4.5): paths, operations and their parameters. */
import { services } from '../notation.ts';
import { permissions, statistics } from './shared.ts';

export const storageServices = services({
  '/storagedomains': {
    type: 'storage_domain',
    operations: {
      list: 'case_sensitive filter follow max search',
      add: '',
    },
  },
  '/storagedomains/{storagedomain}': {
    type: 'storage_domain',
    operations: {
      get: 'filter follow',
      update: 'async',
      remove: 'async destroy format host',
      is_attached: 'async host is_attached',
      reduce_luns: 'logical_units',
      refresh_luns: 'async logical_units',
      update_ovf_store: 'async',
    },
  },
  '/storagedomains/{storagedomain}/diskprofiles': {
    type: 'disk_profile',
    operations: {
      list: 'follow max',
      add: '',
    },
  },
  '/storagedomains/{storagedomain}/diskprofiles/{profile}': {
    type: 'disk_profile',
    operations: {
      get: 'follow',
      remove: 'async',
    },
  },
  '/storagedomains/{storagedomain}/disks': {
    type: 'disk',
    operations: {
      list: 'follow max unregistered',
      add: 'unregistered',
    },
  },
  '/storagedomains/{storagedomain}/disks/{disk}': {
    type: 'disk',
    operations: {
      get: 'follow unregistered',
      update: '',
      remove: '',
      copy: 'disk storage_domain',
      export: 'storage_domain',
      move: 'async filter storage_domain',
      reduce: 'async',
      sparsify: '',
    },
  },
  ...permissions('/storagedomains/{storagedomain}/disks/{disk}'),
  ...statistics('/storagedomains/{storagedomain}/disks/{disk}'),
  '/storagedomains/{storagedomain}/disksnapshots': {
    type: 'disk_snapshot',
    operations: {
      list: 'follow include_active include_template max',
    },
  },
  '/storagedomains/{storagedomain}/disksnapshots/{snapshot}': {
    type: 'disk_snapshot',
    operations: {
      get: 'follow',
      remove: 'async',
    },
  },
  '/storagedomains/{storagedomain}/files': {
    type: 'file',
    operations: {
      list: 'case_sensitive follow max refresh search',
    },
  },
  '/storagedomains/{storagedomain}/files/{file}': {
    type: 'file',
    operations: {
      get: 'follow',
    },
  },
  '/storagedomains/{storagedomain}/images': {
    type: 'image',
    operations: {
      list: 'follow max',
    },
  },
  '/storagedomains/{storagedomain}/images/{image}': {
    type: 'image',
    operations: {
      get: 'follow',
      import: 'async cluster disk import_as_template storage_domain template',
    },
  },
  ...permissions('/storagedomains/{storagedomain}'),
  '/storagedomains/{storagedomain}/storageconnections': {
    type: 'storage_connection',
    operations: {
      list: 'follow max',
      add: '',
    },
  },
  '/storagedomains/{storagedomain}/storageconnections/{connection}': {
    type: 'storage_connection',
    operations: {
      get: 'follow',
      remove: 'async',
    },
  },
  '/storagedomains/{storagedomain}/templates': {
    type: 'template',
    operations: {
      list: 'follow max unregistered',
    },
  },
  '/storagedomains/{storagedomain}/templates/{template}': {
    type: 'template',
    operations: {
      get: 'follow',
      remove: 'async',
      import: 'async clone cluster exclusive storage_domain template vm',
      register:
        'allow_partial_import async clone cluster exclusive registration_configuration template vnic_profile_mappings',
    },
  },
  '/storagedomains/{storagedomain}/templates/{template}/disks': {
    type: 'disk',
    operations: {
      list: 'case_sensitive follow max search',
    },
  },
  '/storagedomains/{storagedomain}/templates/{template}/disks/{disk}': {
    type: 'disk',
    operations: {
      get: 'filter follow',
    },
  },
  '/storagedomains/{storagedomain}/vms': {
    type: 'vm',
    operations: {
      list: 'follow max unregistered',
    },
  },
  '/storagedomains/{storagedomain}/vms/{vm}': {
    type: 'vm',
    operations: {
      get: 'follow',
      remove: 'async',
      import: 'async clone cluster collapse_snapshots exclusive storage_domain vm',
      register:
        'allow_partial_import async clone cluster reassign_bad_macs registration_configuration vm vnic_profile_mappings',
    },
  },
  '/storagedomains/{storagedomain}/vms/{vm}/diskattachments': {
    type: 'disk_attachment',
    operations: {
      list: 'follow',
    },
  },
  '/storagedomains/{storagedomain}/vms/{vm}/diskattachments/{attachment}': {
    type: 'disk_attachment',
    operations: {
      get: 'follow',
    },
  },
  '/storagedomains/{storagedomain}/vms/{vm}/disks': {
    type: 'disk',
    operations: {
      list: 'case_sensitive follow max search',
    },
  },
  '/storagedomains/{storagedomain}/vms/{vm}/disks/{disk}': {
    type: 'disk',
    operations: {
      get: 'filter follow',
    },
  },
  '/disks': {
    type: 'disk',
    operations: {
      list: 'case_sensitive follow max search',
      add: '',
    },
  },
  '/disks/{disk}': {
    type: 'disk',
    operations: {
      get: 'all_content follow',
      update: '',
      remove: 'async',
      convert: 'disk follow',
      copy: 'async disk disk_profile filter quota storage_domain',
      export: 'async filter storage_domain',
      move: 'async disk_profile filter quota storage_domain',
      reduce: 'async',
      refresh_lun: 'host',
      sparsify: '',
    },
  },
  '/disks/{disk}/disksnapshots': {
    type: 'disk_snapshot',
    operations: {
      list: 'follow include_active include_template max',
    },
  },
  '/disks/{disk}/disksnapshots/{snapshot}': {
    type: 'disk_snapshot',
    operations: {
      get: 'follow',
      remove: 'async',
    },
  },
  ...permissions('/disks/{disk}'),
  ...statistics('/disks/{disk}'),
  '/diskprofiles': {
    type: 'disk_profile',
    operations: {
      list: 'follow max',
      add: '',
    },
  },
  '/diskprofiles/{diskprofile}': {
    type: 'disk_profile',
    operations: {
      get: 'follow',
      update: 'async',
      remove: 'async',
    },
  },
  ...permissions('/diskprofiles/{diskprofile}'),
  '/storageconnections': {
    type: 'storage_connection',
    operations: {
      list: 'follow max',
      add: '',
    },
  },
  '/storageconnections/{storageconnection}': {
    type: 'storage_connection',
    operations: {
      get: 'follow',
      update: 'async force',
      remove: 'async host',
    },
  },
});
