/** Storage domains, and their attachments to data centers. */
import { byIdOrName, computed, crud, idOrName, ignored, owned } from '../notation/collections.ts';
import { attaching, column, shortcut } from '../notation/commands.ts';
import { lifecycle } from '../notation/lifecycle.ts';
import { owner, self, system } from '../notation/permits.ts';
import { resource } from '../notation/resource.ts';
import { field, related } from '../notation/search-terms.ts';

/** Storage domain as seen from a data center. */
export const storageDomainLifecycle = lifecycle({
  type: 'storage_domain',
  attribute: 'status',
  initial: 'locked',
  settled: ['active', 'inactive', 'maintenance', 'unattached', 'unknown'],
  failed: ['inactive', 'unknown'],
  moves: {
    attach: {
      from: ['unattached'],
      via: [['locked', 2_000]],
      to: 'active',
      refusedBy: { otherwise: 'STORAGE_DOMAIN_STATUS_ILLEGAL' },
      events: { begin: 'STORAGE_DOMAIN_ATTACHED', end: 'STORAGE_DOMAIN_ACTIVATED' },
    },
    activate: {
      from: ['inactive', 'unknown', 'maintenance', 'preparing_for_maintenance'],
      via: [['activating', 2_000]],
      to: 'active',
      refusedBy: {
        locked: 'OBJECT_IS_LOCKED',
        detaching: 'OBJECT_IS_LOCKED',
        activating: 'OBJECT_IS_LOCKED',
        otherwise: 'STORAGE_DOMAIN_STATUS_ILLEGAL',
      },
      events: { end: 'STORAGE_DOMAIN_ACTIVATED' },
    },
    deactivate: {
      from: ['active', 'inactive'],
      via: [
        ['locked', 500],
        ['preparing_for_maintenance', 2_000],
      ],
      to: 'maintenance',
      refusedBy: {
        locked: 'OBJECT_IS_LOCKED',
        detaching: 'OBJECT_IS_LOCKED',
        activating: 'OBJECT_IS_LOCKED',
        otherwise: 'STORAGE_DOMAIN_STATUS_ILLEGAL',
      },
      events: {
        begin: 'STORAGE_DOMAIN_DEACTIVATION_STARTED',
        end: 'STORAGE_DOMAIN_IN_MAINTENANCE',
      },
    },
    become_master: {
      from: ['active', 'unknown'],
      via: [['locked', 500]],
      to: 'active',
      refusedBy: { otherwise: 'STORAGE_DOMAIN_STATUS_ILLEGAL' },
      events: { end: 'MASTER_MOVED' },
    },
    /** Completes within the request, so that the domain can be attached to another data center. */
    detach: {
      from: ['maintenance'],
      refusedBy: { otherwise: 'STORAGE_DOMAIN_STATUS_ILLEGAL' },
      events: { end: 'STORAGE_DOMAIN_DETACHED' },
    },
    /** Final step of a detachment from shared storage. Another site can use the domain after it. */
    release: { from: ['detaching'], refusedBy: { otherwise: 'OBJECT_IS_LOCKED' } },
  },
});

export const storageDomain = resource('storage_domain', {
  doc: 'Storage for disks and images.',
  identified: true,
  attributes: {
    name: {
      kind: 'string',
      mut: 'CU',
      doc: 'Name, unique in the system (1 to 50 letters, digits, `_` or `-`); optional for an import.',
    },
    description: { kind: 'string', mut: 'CU', length: [0, 4000], default: '' },
    comment: { kind: 'string', mut: 'CU', default: '' },
    type: {
      kind: 'enum storage_domain_type',
      mut: 'C',
      default: 'data',
      doc: 'Type of the domain; image, volume and managed_block_storage belong to providers.',
    },
    status: {
      kind: 'enum storage_domain_status',
      mut: 'R',
      doc: 'Status in a data center; elsewhere only unattached is shown.',
    },
    external_status: { kind: 'enum external_status', mut: 'R', default: 'ok' },
    master: {
      kind: 'bool',
      mut: 'R',
      doc: 'Whether this is the master domain of its data center.',
    },
    storage: {
      kind: 'struct host_storage',
      mut: 'C',
      doc: 'Storage: type with address and path, connection by id, or logical units; more units extend the domain.',
    },
    available: {
      kind: 'long',
      unit: 'bytes',
      mut: 'R',
      doc: 'Free space in bytes; absent in maintenance.',
    },
    used: {
      kind: 'long',
      unit: 'bytes',
      mut: 'R',
      doc: 'Used space in bytes; absent in maintenance.',
    },
    committed: { kind: 'long', unit: 'bytes', mut: 'R', doc: 'Bytes.' },
    storage_format: {
      kind: 'enum storage_format',
      mut: 'C',
      doc: 'Storage format (default v5 for data, v1 for ISO and export).',
    },
    wipe_after_delete: {
      kind: 'bool',
      mut: 'CU',
      default: false,
      doc: 'Whether to discard freed blocks; block storage only.',
    },
    discard_after_delete: {
      kind: 'bool',
      mut: 'CU',
      default: false,
      doc: 'Whether the storage supports discard.',
    },
    supports_discard_zeroes_data: {
      kind: 'bool',
      mut: 'R',
      default: false,
      doc: 'Deprecated: always false.',
    },
    import: {
      kind: 'bool',
      mut: 'C',
      writeOnly: true,
      doc: 'Whether to import an existing domain, by id on block storage.',
    },
    warning_low_space_indicator: { kind: 'int', mut: 'CU', default: 10, doc: 'Percent.' },
    critical_space_action_blocker: { kind: 'int', mut: 'CU', default: 5, doc: 'GiB.' },
    host: {
      kind: 'ref host',
      mut: 'C',
      writeOnly: true,
      doc: 'Host that performs the work (name or id); must be up.',
    },
    backup: { kind: 'bool', mut: 'CU', default: false },
    block_size: { kind: 'int', mut: 'C', default: 512, doc: 'Size in bytes; 0 for detection.' },
    data_centers: {
      kind: 'links data_center',
      mut: 'R',
      doc: 'Data center of the domain.',
    },
    supports_discard: { kind: 'bool', mut: 'R', default: false },
    data_center: { kind: 'ref data_center', mut: 'R' },
    disks: { kind: 'links disk', mut: 'R' },
    disk_profiles: { kind: 'links disk_profile', mut: 'R' },
    disk_snapshots: { kind: 'links disk_snapshot', mut: 'R' },
    files: { kind: 'links file', mut: 'R' },
    images: { kind: 'links image', mut: 'R' },
    permissions: { kind: 'links permission', mut: 'R' },
    storage_connections: { kind: 'links storage_connection', mut: 'R' },
    templates: { kind: 'links template', mut: 'R' },
    vms: { kind: 'links vm', mut: 'R' },
  },
  naming: { pattern: 'identifier', max: 50, unique: 'service' },
  required: [byIdOrName('host'), 'type', 'storage'],
  containedIn: ['data_centers'],
  reachedFrom: ['disk'],
  operations: {
    add: { permit: system('create_storage_domain'), job: 'Adding storage domain {name}' },
    update: {
      permit: self('edit_storage_domain_configuration'),
      job: 'Editing storage domain {name}',
    },
    remove: {
      permit: self('delete_storage_domain'),
      job: 'Removing storage domain {name}',
      alsoDeletes: 'deletes the VMs, templates and disks of the domain with --format',
    },
    activate: {
      permit: self('manipulate_storage_domain'),
      job: 'Activating storage domain {name}',
      harmless: true,
      opposite: 'deactivate',
    },
    deactivate: {
      permit: self('manipulate_storage_domain'),
      job: 'Deactivating storage domain {name}',
      opposite: 'activate',
    },
    is_attached: {
      permit: self('manipulate_storage_domain'),
      harmless: true,
      required: [byIdOrName('host')],
    },
    reduce_luns: {
      permit: self('edit_storage_domain_configuration'),
      job: 'Reducing storage domain {name}',
    },
    refresh_luns: {
      permit: self('manipulate_storage_domain'),
      job: 'Refreshing the LUNs of storage domain {name}',
      harmless: true,
    },
    update_ovf_store: {
      permit: self('manipulate_storage_domain'),
      job: 'Updating the OVF disks of storage domain {name}',
      harmless: true,
    },
  },
  paths: {
    '/storagedomains/{storagedomain}': owned({
      ...crud('add', 'update'),
      list: ['case_sensitive', 'filter', 'follow', 'max', 'search'],
      get: ['filter', 'follow'],
      remove: ['async', 'destroy', 'format', 'host'],
      actions: {
        is_attached: ['async', 'host', 'is_attached'],
        reduce_luns: ['logical_units'],
        refresh_luns: ['async', 'logical_units'],
        update_ovf_store: ['async'],
      },
    }),
    '/datacenters/{datacenter}/storagedomains/{storagedomain}': computed(
      'attached_storage_domain',
      {
        verbs: attaching,
        attaches: true,
        list: ['follow', 'max'],
        add: [],
        get: ['follow'],
        remove: ['async'],
        actions: {
          activate: ['async'],
          deactivate: [
            'async',
            ignored(
              'force',
              'applies if the OVF store cannot be written, which a simulation does not do',
            ),
          ],
        },
        required: [idOrName],
        permits: {
          add: [owner('manipulate_storage_domain')],
          remove: [self('manipulate_storage_domain')],
        },
      },
    ),
  },
  search: {
    fields: {
      name: field.name,
      status: { kind: 'enum', path: 'status', enum: 'storage_domain_status' },
      shared_status: {
        kind: 'enum',
        source: 'status in all data centers: unattached, active, inactive or mixed',
        enum: 'storage_domain_status',
      },
      external_status: { kind: 'enum', path: 'external_status', enum: 'external_status' },
      datacenter: {
        kind: 'text',
        through: [{ follow: 'data_centers' }],
        path: 'name',
        doc: 'name of the data center',
      },
      type: {
        kind: 'enum',
        path: 'storage.type',
        enum: 'storage_type',
        values: { unknown: 'unknown' },
      },
      free_size: { kind: 'number', path: 'available', unit: 'GiB' },
      used_size: { kind: 'number', path: 'used', unit: 'GiB' },
      total_size: { kind: 'number', source: 'sum of available and used', unit: 'GiB' },
      committed: { kind: 'number', path: 'committed', unit: 'GiB' },
      comment: field.comment,
      description: field.description,
      wipe_after_delete: { kind: 'bool', path: 'wipe_after_delete' },
      discard_after_delete: { kind: 'bool', path: 'discard_after_delete' },
      backup: { kind: 'bool', path: 'backup' },
      low_space_threshold: { kind: 'number', path: 'warning_low_space_indicator' },
      critical_space_threshold: { kind: 'number', path: 'critical_space_action_blocker' },
    },
    related: [
      {
        ...related.hosts,
        steps: [
          { follow: 'data_centers' },
          { back: 'cluster.data_center' },
          { back: 'host.cluster' },
        ],
      },
      { ...related.clusters, steps: [{ follow: 'data_centers' }, { back: 'cluster.data_center' }] },
    ],
  },
  lifecycle: storageDomainLifecycle,
  missingCollections: {
    by: 'type',
    afterUpdate: ['templates', 'vms'],
    collections: {
      data: ['files', 'images'],
      export: ['files', 'images'],
      iso: ['templates', 'vms', 'disks', 'images'],
      image: ['templates', 'vms', 'files', 'disks', 'storageconnections'],
    },
  },
  definition: {
    writtenAt: ['/storagedomains'],
    namedAt: ['/datacenters/{datacenter}/storagedomains'],
    except: { type: ['image', 'volume'] },
  },
  commands: {
    noun: 'storagedomains',
    aliases: ['sd'],
    group: 'storage',
    position: 10,
    doc: 'Storage domains',
    one: 'storage domain',
    parentFlags: ['storage-domain', 'sd'],
    columns: [
      'name',
      'type',
      column('storage', 'storage.type'),
      'status',
      column('data_center', 'data_centers.name'),
      'available',
      'used',
      'master',
    ],
    searchedByName: true,
    shortcuts: [
      shortcut('storage-type', 'storage.type', 'nfs, iscsi, fcp, localfs, ...'),
      shortcut('address', 'storage.address', 'Address of the storage server.'),
      shortcut('path', 'storage.path', 'Path on the storage server.'),
      shortcut('nfs-version', 'storage.nfs_version', 'NFS version.'),
      shortcut('target', 'storage.target', 'iSCSI target.'),
    ],
    verbs: {
      activate: { sample: { object: 'data2' } },
      attach: { sample: { object: 'data2' } },
      create: {
        sample: {
          flags:
            '--name data3 --type data --host node1 --storage-type nfs --address filer.example.com --path /exports/data3',
        },
      },
      deactivate: {
        aliases: ['maintenance'],
        purpose: 'Put {} into maintenance',
        sample: { object: 'data2' },
      },
      delete: { sample: { object: 'data2', flags: '--host node1' } },
      detach: { sample: { object: 'data2' } },
      'reduce-luns': { sample: { flags: '' } },
    },
    samples: { object: 'data1', newName: 'data3' },
  },
});
