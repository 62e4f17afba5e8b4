/** Templates of virtual machines. */
import {
  byIdOrName,
  computed,
  crud,
  exportTarget,
  ignored,
  owned,
} from '../notation/collections.ts';
import { column, cpuShortcuts, cpusColumn, shortcut } from '../notation/commands.ts';
import { lifecycle } from '../notation/lifecycle.ts';
import { self, sent } from '../notation/permits.ts';
import { resource, structure } from '../notation/resource.ts';
import { field, related, relations } from '../notation/search-terms.ts';

const locked = { otherwise: 'TEMPLATE_IS_BUSY' } as const;

export const templateLifecycle = lifecycle({
  type: 'template',
  attribute: 'status',
  initial: 'locked',
  settled: ['ok', 'illegal'],
  failed: ['illegal'],
  moves: {
    add: {
      from: [],
      via: [['locked', 3_000]],
      to: 'ok',
      refusedBy: locked,
      events: { begin: 'TEMPLATE_ADD_STARTED', end: 'TEMPLATE_ADDED' },
    },
    /** Import from an export domain, or from a file on a host. */
    import: {
      from: [],
      via: [['locked', 3_000]],
      to: 'ok',
      refusedBy: locked,
      events: { begin: 'TEMPLATE_IMPORT_STARTED', end: 'TEMPLATE_IMPORTED' },
    },
    update: { from: ['ok', 'illegal'], stays: true, refusedBy: locked },
    export: {
      from: ['ok'],
      via: [['locked', 2_000]],
      to: 'ok',
      refusedBy: locked,
      events: {
        begin: 'TEMPLATE_EXPORT_STARTED',
        end: 'TEMPLATE_EXPORTED',
        fail: 'TEMPLATE_EXPORT_FAILED',
      },
    },
    /** Export to a file on a host. */
    export_to_file: {
      from: ['ok'],
      via: [['locked', 2_000]],
      to: 'ok',
      refusedBy: locked,
      events: { begin: 'TEMPLATE_EXPORT_TO_FILE_STARTED', end: 'TEMPLATE_EXPORTED_TO_FILE' },
    },
    remove: {
      from: ['ok', 'illegal'],
      via: [['locked', 1_000]],
      refusedBy: locked,
      events: { begin: 'TEMPLATE_REMOVE_STARTED', end: 'TEMPLATE_REMOVED' },
    },
  },
});

export const template = resource('template', {
  doc: 'A model for new VMs.',
  base: 'vm_base',
  attributes: {
    status: {
      kind: 'enum template_status',
      mut: 'R',
      doc: 'Status: locked during the copy of the disks, then ok.',
    },
    vm: {
      kind: 'struct vm',
      mut: 'C',
      doc: 'Source VM by name or id.',
    },
    version: {
      kind: 'struct template_version',
      mut: 'C',
      doc: 'Base template and version name; the server assigns version numbers.',
    },
    cdroms: { kind: 'links cdrom', mut: 'R' },
    graphics_consoles: { kind: 'links graphics_console', mut: 'R' },
    nics: { kind: 'links nic', mut: 'R' },
    permissions: { kind: 'links permission', mut: 'R' },
    tags: { kind: 'links tag', mut: 'R' },
    watchdogs: { kind: 'links watchdog', mut: 'R' },
    disk_attachments: { kind: 'links disk_attachment', mut: 'R' },
    mediated_devices: { kind: 'links vm_mediated_device', mut: 'R' },
    disks: {
      kind: 'links disk',
      mut: 'R',
      through: 'disk_attachments.disk',
      doc: 'The disks of a template on a storage domain.',
    },
  },
  naming: { pattern: 'letters', max: 255, unique: 'nowhere' },
  required: ['name', byIdOrName('vm')],
  containedIn: ['cluster.data_center'],
  operations: {
    add: { permit: sent('create_template', 'vm'), job: 'Creating template {name}' },
    update: {
      permit: self('edit_template_properties'),
      job: 'Editing properties of template {name}',
    },
    remove: {
      permit: self('delete_template'),
      job: 'Removing template {name}',
      alsoDeletes: 'deletes the disks of the template',
    },
    export: {
      permit: self('import_export_vm'),
      job: 'Exporting template {name}',
      harmless: true,
      required: [exportTarget],
      makes: [
        { in: '/storagedomains/{storagedomain}/templates', when: 'storage_domain', keepsId: true },
      ],
    },
    import: {
      permit: sent('create_template', 'cluster'),
      job: 'Importing template {name}',
      harmless: true,
      required: [byIdOrName('cluster'), byIdOrName('storage_domain')],
      makes: [{ in: '/templates', namedBy: 'template', keepsId: true }],
    },
    register: {
      permit: sent('create_template', 'cluster'),
      job: 'Registering template {name}',
      harmless: true,
      makes: [{ in: '/templates', namedBy: 'template', keepsId: true }],
    },
  },
  paths: {
    '/templates/{template}': owned({
      ...crud('update', 'remove'),
      list: ['case_sensitive', 'filter', 'follow', 'max', 'search'],
      add: ['clone_permissions', 'seal'],
      get: ['filter', 'follow'],
      actions: { export: ['directory', 'exclusive', 'filename', 'host', 'storage_domain'] },
    }),
    '/storagedomains/{storagedomain}/templates/{template}': computed('domain_template', {
      ...crud('get', 'remove'),
      list: ['follow', 'max', 'unregistered'],
      actions: {
        import: [
          'async',
          'clone',
          'cluster',
          ignored('exclusive', 'an import never replaces an existing object'),
          'storage_domain',
          'template',
          ignored('vm', 'the snapshot or template provides the configuration'),
        ],
        register: [
          'allow_partial_import',
          'async',
          'clone',
          'cluster',
          ignored('exclusive', 'an import never replaces an existing object'),
          'registration_configuration',
          'template',
          'vnic_profile_mappings',
        ],
      },
    }),
  },
  search: {
    fields: {
      name: field.name,
      comment: field.comment,
      os: { kind: 'text', path: 'os.type' },
      creationdate: { kind: 'date', path: 'creation_time', relations: relations.dayRelations },
      childcount: { kind: 'number', source: 'number of VMs created from the template' },
      mem: { kind: 'number', path: 'memory', unit: 'MiB' },
      description: field.description,
      status: { kind: 'enum', path: 'status', enum: 'template_status' },
      sealed: { kind: 'bool', source: 'whether the template is sealed' },
      cluster: field.clusterName,
      datacenter: { ...field.dataCenterOfCluster, everyWithout: 'cluster' },
      quota: field.quotaName,
      architecture: field.architecture,
      version_name: { kind: 'text', path: 'version.version_name' },
      tag: field.tag,
      _vmt_id: { ...field.id, hidden: true },
    },
    related: [
      { ...related.vms, steps: [{ back: 'vm.template' }] },
      { ...related.hosts, steps: [{ back: 'vm.template' }, { follow: 'host' }] },
      { ...related.events, steps: [{ back: 'event.template' }] },
      { ...related.users, steps: [{ back: 'permission.template' }, { follow: 'user' }] },
      {
        ...related.storage,
        steps: [
          { back: 'disk_attachment.template' },
          { follow: 'disk' },
          { follow: 'storage_domains' },
        ],
      },
      { ...related.vmNics, steps: [{ back: 'nic.template' }] },
    ],
    order: [{ path: 'name' }, { path: 'version.version_number' }],
  },
  lifecycle: templateLifecycle,
  definition: { writtenAt: ['/templates'], except: { name: ['Blank'] } },
  commands: {
    noun: 'templates',
    aliases: ['tpl'],
    group: 'compute',
    doc: 'VM templates',
    columns: [
      'name',
      column('version', 'version.version_number'),
      'status',
      'cluster.name',
      'memory',
      cpusColumn,
    ],
    searchedByName: true,
    shortcuts: cpuShortcuts,
    verbs: {
      delete: { sample: { object: 'old' } },
      export: { sample: { flags: '--host node1 --directory /exports --filename debian12.ova' } },
      import: {
        shortcuts: [shortcut('to', 'storage_domain', 'Storage domain for the disks.')],
        sample: { flags: '--cluster Default --to data2', parents: { storagedomains: 'export1' } },
      },
      register: { sample: { flags: '--cluster Default' } },
    },
    samples: { object: 'debian12', newName: 'web', state: 'ok' },
  },
});

export const templateVersion = structure('template_version', {
  unwritten: ['version_number'],
  attributes: {
    version_number: { kind: 'int', mut: 'CU' },
    version_name: { kind: 'string', mut: 'CU' },
    base_template: { kind: 'ref template', mut: 'CU' },
  },
});
