/** Virtual disks. */
import { below, byIdOrName, computed, ignored, owned, view } from '../notation/collections.ts';
import { column, shortcut } from '../notation/commands.ts';
import { lifecycle } from '../notation/lifecycle.ts';
import { makesNothing } from '../notation/makes.ts';
import { self, sent, whenSent } from '../notation/permits.ts';
import { resource } from '../notation/resource.ts';
import { field, related } from '../notation/search-terms.ts';

export const diskLifecycle = lifecycle({
  type: 'disk',
  attribute: 'status',
  initial: 'locked',
  settled: ['ok', 'illegal'],
  failed: ['illegal'],
  moves: {
    add: {
      from: [],
      via: [['locked', 2_000]],
      to: 'ok',
      refusedBy: { otherwise: 'DISK_IS_LOCKED' },
      events: { begin: 'DISK_ADD_STARTED', end: 'DISK_ADDED' },
    },
    /** A disk that is made for a machine, with its attachment. */
    add_to_vm: {
      from: [],
      via: [['locked', 2_000]],
      to: 'ok',
      refusedBy: { otherwise: 'DISK_IS_LOCKED' },
      events: { begin: 'DISK_ADD_TO_VM_STARTED', end: 'DISK_ADDED_TO_VM' },
    },
    update: {
      from: ['ok'],
      via: [['locked', 1_000]],
      to: 'ok',
      refusedBy: { illegal: 'DISK_IS_ILLEGAL', otherwise: 'DISK_IS_LOCKED' },
      events: { end: 'DISK_UPDATED', fail: 'DISK_UPDATE_FAILED' },
    },
    copy: {
      from: ['ok'],
      via: [['locked', 2_000]],
      to: 'ok',
      refusedBy: { illegal: 'DISK_IS_ILLEGAL', otherwise: 'DISK_IS_LOCKED' },
      events: { begin: 'DISK_COPY_STARTED', end: 'DISK_COPY_FINISHED', fail: 'DISK_COPY_FAILED' },
    },
    move: {
      from: ['ok'],
      via: [['locked', 2_000]],
      to: 'ok',
      refusedBy: { illegal: 'DISK_IS_ILLEGAL', otherwise: 'DISK_IS_LOCKED' },
      events: { begin: 'DISK_MOVE_STARTED', end: 'DISK_MOVE_FINISHED' },
    },
    export: {
      from: ['ok'],
      via: [['locked', 2_000]],
      to: 'ok',
      refusedBy: { illegal: 'DISK_IS_ILLEGAL', otherwise: 'DISK_IS_LOCKED' },
      events: { begin: 'DISK_EXPORT_STARTED', end: 'DISK_EXPORTED', fail: 'DISK_EXPORT_FAILED' },
    },
    sparsify: {
      from: ['ok'],
      via: [['locked', 1_000]],
      to: 'ok',
      refusedBy: { illegal: 'DISK_IS_ILLEGAL', otherwise: 'DISK_IS_LOCKED' },
      events: {
        begin: 'DISK_SPARSIFY_STARTED',
        end: 'DISK_SPARSIFY_FINISHED',
        fail: 'DISK_SPARSIFY_FAILED',
      },
    },
    reduce: {
      from: ['ok'],
      via: [['locked', 1_000]],
      to: 'ok',
      refusedBy: { illegal: 'DISK_IS_ILLEGAL', otherwise: 'DISK_IS_LOCKED' },
      events: { end: 'DISK_REDUCED', fail: 'DISK_REDUCE_FAILED' },
    },
    convert: {
      from: ['ok'],
      via: [['locked', 2_000]],
      to: 'ok',
      refusedBy: { illegal: 'DISK_IS_ILLEGAL', otherwise: 'DISK_IS_LOCKED' },
      events: { end: 'DISK_UPDATED', fail: 'DISK_UPDATE_FAILED' },
    },
    extend: {
      from: ['ok'],
      via: [['locked', 1_000]],
      to: 'ok',
      refusedBy: { illegal: 'DISK_IS_ILLEGAL', otherwise: 'DISK_IS_LOCKED' },
      events: { begin: 'DISK_EXTEND_STARTED', end: 'DISK_EXTENDED', fail: 'DISK_EXTEND_FAILED' },
    },
    import: {
      from: [],
      via: [['locked', 2_000]],
      to: 'ok',
      refusedBy: { otherwise: 'DISK_IS_LOCKED' },
      events: { begin: 'DISK_ADD_STARTED', end: 'DISK_ADDED', fail: 'DISK_ADD_FAILED' },
    },
    remove: {
      from: ['ok', 'illegal'],
      via: [['locked', 1_000]],
      refusedBy: { otherwise: 'DISK_IS_LOCKED' },
      events: { begin: 'DISK_REMOVE_STARTED', end: 'DISK_REMOVED' },
    },
  },
});

export const disk = resource('disk', {
  doc: 'A virtual disk.',
  identified: true,
  unwritten: ['image_id', 'logical_name'],
  attributes: {
    name: {
      kind: 'string',
      mut: 'CU',
      doc: 'Name and alias are the same; the alias counts when both are given.',
    },
    alias: {
      kind: 'string',
      mut: 'CU',
      doc: 'Name and alias are the same; the alias counts when both are given.',
    },
    description: { kind: 'string', mut: 'CU', default: '' },
    vms: { kind: 'links vm', mut: 'R', doc: 'The virtual machines that use it.' },
    image_id: {
      kind: 'string',
      mut: 'C',
      doc: 'The id of the volume; chosen by the server when not given.',
    },
    provisioned_size: {
      kind: 'long',
      unit: 'bytes',
      mut: 'CU',
      doc: 'Bytes; required on add. Can only grow.',
    },
    initial_size: {
      kind: 'long',
      unit: 'bytes',
      mut: 'C',
      writeOnly: true,
      doc: 'Bytes to allocate at once, for thin disks on block storage.',
    },
    actual_size: { kind: 'long', unit: 'bytes', mut: 'R', doc: 'Bytes.' },
    total_size: { kind: 'long', unit: 'bytes', mut: 'R', doc: 'Bytes, with all snapshots.' },
    status: {
      kind: 'enum disk_status',
      mut: 'R',
      doc: 'locked until it is made, then ok. Logical units have none.',
    },
    interface: {
      kind: 'enum disk_interface',
      mut: 'CU',
      writeOnly: true,
      doc: 'Deprecated: belongs to the attachment.',
    },
    format: {
      kind: 'enum disk_format',
      mut: 'C',
      doc: 'cow or raw; required on add, except for logical units.',
    },
    qcow_version: {
      kind: 'enum qcow_version',
      mut: 'CU',
      doc: 'Which qcow2, for cow.',
    },
    sparse: {
      kind: 'bool',
      mut: 'C',
      doc: 'Whether space is allocated as it is used. Raw on block storage is not, the rest is, when not given.',
    },
    bootable: {
      kind: 'bool',
      mut: 'CU',
      writeOnly: true,
      doc: 'Deprecated: belongs to the attachment.',
    },
    active: {
      kind: 'bool',
      mut: 'CU',
      writeOnly: true,
      doc: 'Deprecated: belongs to the attachment.',
    },
    read_only: {
      kind: 'bool',
      mut: 'CU',
      writeOnly: true,
      doc: 'Deprecated: belongs to the attachment.',
    },
    uses_scsi_reservation: {
      kind: 'bool',
      mut: 'CU',
      writeOnly: true,
      doc: 'Deprecated: belongs to the attachment.',
    },
    shareable: {
      kind: 'bool',
      mut: 'CU',
      default: false,
      doc: 'Whether several virtual machines may use it at once; raw only.',
    },
    wipe_after_delete: {
      kind: 'bool',
      mut: 'CU',
      doc: 'That of the storage domain when not given.',
    },
    propagate_errors: { kind: 'bool', mut: 'CU', default: false },
    backup: {
      kind: 'enum disk_backup',
      mut: 'CU',
      default: 'none',
      doc: 'incremental keeps track of changes; it needs cow.',
    },
    backup_mode: { kind: 'enum disk_backup_mode', mut: 'R', doc: 'Shown in a backup.' },
    lun_storage: {
      kind: 'struct host_storage',
      mut: 'C',
      doc: 'For a logical unit: type and units.',
    },
    sgio: { kind: 'enum scsi_generic_io', mut: 'CU', doc: 'For logical units only.' },
    storage_type: { kind: 'enum disk_storage_type', mut: 'R', default: 'image' },
    content_type: { kind: 'enum disk_content_type', mut: 'C', default: 'data' },
    storage_domain: {
      kind: 'ref storage_domain',
      mut: 'CU',
      writeOnly: true,
      doc: 'For actions only.',
    },
    storage_domains: {
      kind: 'links storage_domain',
      mut: 'C',
      doc: 'One, on add. Disks of templates may have copies in several.',
    },
    quota: { kind: 'ref quota', mut: 'CU', doc: 'The default when not given.' },
    disk_profile: {
      kind: 'ref disk_profile',
      mut: 'CU',
      doc: 'The default when not given.',
    },
    snapshot: {
      kind: 'ref snapshot',
      mut: 'R',
      doc: 'The snapshot it belongs to, for disks of snapshots.',
    },
    template: { kind: 'ref template', mut: 'R' },
    instance_type: { kind: 'ref instance_type', mut: 'R' },
    vm: { kind: 'ref vm', mut: 'R' },
    permissions: { kind: 'links permission', mut: 'R' },
    disk_snapshots: { kind: 'links disk_snapshot', mut: 'R' },
    statistics: { kind: 'links statistic', mut: 'R' },
    logical_name: { kind: 'string', mut: 'C' },
    external_disk: { kind: 'string', mut: 'C' },
    openstack_volume_type: { kind: 'ref openstack_volume_type', mut: 'C' },
  },
  naming: { pattern: 'any', max: 255, unique: 'nowhere' },
  required: ['provisioned_size', 'format'],
  requiredWith: { lun_storage: ['lun_storage.type'] },
  requiredOfKind: { unregistered_disk: ['id'] },
  containedIn: ['storage_domains'],
  operations: {
    add: {
      permit: sent('create_disk', 'storage_domains'),
      permitWhenSent: [whenSent('disk_profile', sent('attach_disk_profile', 'disk_profile'))],
      job: 'Adding disk {name}',
    },
    update: { permit: self('edit_disk_properties'), job: 'Editing disk {name}' },
    remove: { permit: self('delete_disk'), job: 'Removing disk {name}' },
    convert: { permit: self('configure_disk_storage'), job: 'Converting disk {name}' },
    copy: {
      permit: [self('configure_disk_storage'), sent('create_disk', 'storage_domain')],
      job: 'Copying disk {name}',
      required: [byIdOrName('storage_domain')],
      makes: [{ in: '/disks', namedBy: 'disk' }],
    },
    export: {
      permit: [self('attach_disk'), sent('create_disk', 'storage_domain')],
      job: 'Exporting disk {name}',
      required: [byIdOrName('storage_domain')],
      makes: [{ in: '/storagedomains/{storagedomain}/images' }],
    },
    move: {
      permit: [self('configure_disk_storage'), sent('create_disk', 'storage_domain')],
      job: 'Moving disk {name}',
      required: [byIdOrName('storage_domain')],
      makes: makesNothing,
    },
    reduce: { permit: self('reduce_disk'), job: 'Reducing disk {name}' },
    refresh_lun: { permit: self('configure_vm_storage'), job: 'Refreshing the LUN of disk {name}' },
    register: {
      permit: self('create_disk'),
      job: 'Registering disk {name}',
      makes: [{ in: '/disks', keepsId: true }],
    },
    sparsify: { permit: self('sparsify_disk'), job: 'Sparsifying disk {name}' },
  },
  paths: {
    '/vms/{vm}/backups/{backup}/disks/{disk}': computed('backup_disk', {
      list: ['follow', 'max'],
      get: ['follow'],
    }),
    '/vms/{vm}/checkpoints/{checkpoint}/disks/{disk}': computed('checkpoint_disk', {
      list: ['follow', 'max'],
      get: ['follow'],
    }),
    '/vms/{vm}/snapshots/{snapshot}/disks/{disk}': computed('snapshot_disk', {
      list: ['follow', 'max'],
      get: ['follow'],
    }),
    '/storagedomains/{storagedomain}/disks/{disk}': view(
      { lists: 'storage_domains' },
      {
        list: ['follow', 'max', 'unregistered'],
        add: ['unregistered'],
        get: [
          'follow',
          ignored('unregistered', 'an id names one disk, whether it is in the inventory or not'),
        ],
        update: [],
        remove: [],
        actions: {
          copy: ['disk', 'storage_domain'],
          export: ['storage_domain'],
          move: [
            'async',
            ignored(
              'filter',
              'permits decide about what is named in an action, whichever way it is looked up',
            ),
            'storage_domain',
          ],
          reduce: ['async'],
          sparsify: [],
        },
      },
    ),
    ...below(
      [
        '/storagedomains/{storagedomain}/templates/{template}',
        '/storagedomains/{storagedomain}/vms/{vm}',
      ],
      'disks/{disk}',
      computed('domain_disk', {
        list: ['case_sensitive', 'follow', 'max', 'search'],
        get: ['filter', 'follow'],
      }),
    ),
    '/disks/{disk}': owned({
      list: ['case_sensitive', 'follow', 'max', 'search'],
      add: [],
      get: ['all_content', 'follow'],
      update: [],
      remove: ['async'],
      actions: {
        convert: ['disk', ignored('follow', 'an action has no links to follow')],
        copy: [
          'async',
          'disk',
          'disk_profile',
          ignored(
            'filter',
            'permits decide about what is named in an action, whichever way it is looked up',
          ),
          'quota',
          'storage_domain',
        ],
        export: [
          'async',
          ignored(
            'filter',
            'permits decide about what is named in an action, whichever way it is looked up',
          ),
          'storage_domain',
        ],
        move: [
          'async',
          'disk_profile',
          ignored(
            'filter',
            'permits decide about what is named in an action, whichever way it is looked up',
          ),
          'quota',
          'storage_domain',
        ],
        reduce: ['async'],
        refresh_lun: ['host'],
        sparsify: [],
      },
    }),
    '/datacenters/{datacenter}/storagedomains/{storagedomain}/disks/{disk}': view(
      { lists: 'storage_domains' },
      {
        list: ['follow', 'max', 'unregistered'],
        add: ['unregistered'],
        get: [
          'follow',
          ignored('unregistered', 'an id names one disk, whether it is in the inventory or not'),
        ],
        update: [],
        remove: [],
        actions: {
          copy: ['disk', 'storage_domain'],
          export: ['storage_domain'],
          move: [
            'async',
            ignored(
              'filter',
              'permits decide about what is named in an action, whichever way it is looked up',
            ),
            'storage_domain',
          ],
          register: [],
          sparsify: [],
        },
      },
    ),
  },
  statistics: [
    ['data.current.read', 'gauge', 'bytes_per_second', 'decimal', 'Read data rate'],
    ['data.current.write', 'gauge', 'bytes_per_second', 'decimal', 'Write data rate'],
    ['data.current.read_ops', 'counter', 'none', 'decimal', 'Read operations'],
    ['data.current.write_ops', 'counter', 'none', 'decimal', 'Write operations'],
    ['disk.read.latency', 'gauge', 'seconds', 'decimal', 'Read latency'],
    ['disk.write.latency', 'gauge', 'seconds', 'decimal', 'Write latency'],
    ['disk.flush.latency', 'gauge', 'seconds', 'decimal', 'Flush latency'],
  ],
  search: {
    fields: {
      alias: { kind: 'text', path: 'alias' },
      name: { kind: 'text', path: 'alias' },
      description: field.description,
      provisioned_size: { kind: 'number', path: 'provisioned_size' },
      size: { kind: 'number', path: 'provisioned_size' },
      actual_size: { kind: 'number', path: 'actual_size' },
      creation_date: { kind: 'date', storedPath: 'creation_date' },
      last_modified: { kind: 'date', storedPath: 'last_modified' },
      shareable: { kind: 'bool', path: 'shareable' },
      wipe_after_delete: { kind: 'bool', path: 'wipe_after_delete' },
      status: {
        kind: 'enum',
        path: 'status',
        enum: 'disk_status',
        values: { unassigned: 'unassigned' },
      },
      disk_type: { kind: 'enum', path: 'storage_type', enum: 'disk_storage_type' },
      disk_content_type: { kind: 'enum', path: 'content_type', enum: 'disk_content_type' },
      allocation_policy: {
        kind: 'bool',
        path: 'sparse',
        values: { preallocated: 'false', sparse: 'true' },
      },
      number_of_vms: {
        kind: 'number',
        source: 'number of virtual machines the disk is attached to',
      },
      vm_names: {
        kind: 'text',
        through: [{ back: 'disk_attachment.disk' }, { follow: 'vm' }],
        path: 'name',
      },
      quota: field.quotaName,
      id: field.id,
    },
    related: [
      {
        ...related.dataCenters,
        steps: [{ follow: 'storage_domains' }, { follow: 'data_centers' }],
      },
      { ...related.storage, steps: [{ follow: 'storage_domains' }] },
    ],
    order: [{ path: 'alias' }, { path: 'id' }],
  },
  lifecycle: diskLifecycle,
  definition: {
    writtenAt: ['/disks'],
    except: {
      content_type: [
        'backup_scratch',
        'hosted_engine',
        'hosted_engine_configuration',
        'hosted_engine_metadata',
        'hosted_engine_sanlock',
        'memory_dump_volume',
        'memory_metadata_volume',
        'ovf_store',
      ],
    },
  },
  commands: {
    noun: 'disks',
    group: 'storage',
    position: 20,
    doc: 'Virtual disks',
    columns: [
      column('name', 'alias'),
      'status',
      'provisioned_size',
      'vms.name',
      'storage_domains.name',
      'actual_size',
      'format',
      'content_type',
      'id',
    ],
    follow: 'vms',
    knownBy: ['alias', 'name'],
    searchedByName: true,
    shortcuts: [
      shortcut('size', 'provisioned_size', 'Size as the guest sees it: 20GiB.'),
      shortcut('storagedomain', 'storage_domains', 'Where it is kept.'),
    ],
    verbs: {
      convert: {
        shortcuts: [shortcut('format', 'disk.format', 'raw or cow.')],
        sample: { flags: '--format raw' },
      },
      copy: { shortcuts: [shortcut('name', 'disk.name', 'Name of the copy.')] },
      create: {
        sample: {
          flags: '--name data --provisioned-size 20GiB --format cow --storage-domains data1',
        },
      },
      export: {
        purpose: 'Write {} to an export storage domain',
        sample: { flags: '--storagedomain glance' },
      },
      update: { sample: { flags: '--qcow-version qcow2_v2' } },
    },
    samples: { object: 'root', newName: 'data', state: 'ok' },
  },
});
