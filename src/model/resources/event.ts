/** Events of the audit log. */
import { crud, owned } from '../notation/collections.ts';
import { sent, system, whenSent } from '../notation/permits.ts';
import { resource } from '../notation/resource.ts';
import { related, relations, step } from '../notation/search-terms.ts';

export const event = resource('event', {
  doc: 'An entry of the audit log.',
  identified: true,
  attributes: {
    index: { kind: 'int', mut: 'R', doc: 'Index, the same as the id.' },
    code: {
      kind: 'int',
      mut: 'R',
      doc: 'Event code; events of clients use 9801 (normal) to 9804 (alert).',
    },
    time: { kind: 'date', mut: 'R' },
    correlation_id: { kind: 'string', mut: 'R', doc: 'Correlation id (at most 50 characters).' },
    origin: {
      kind: 'string',
      mut: 'C',
      doc: 'Origin of the event; oVirt is reserved for the server.',
    },
    custom_id: { kind: 'int', mut: 'C', doc: 'Custom id, unique per origin.' },
    flood_rate: { kind: 'int', mut: 'C', default: 30 },
    log_on_host: { kind: 'bool', mut: 'C', default: false },
    custom_data: { kind: 'string', mut: 'C' },
    user: {
      kind: 'ref user',
      mut: 'C',
      doc: 'Related user by id.',
    },
    vm: {
      kind: 'ref vm',
      mut: 'C',
      doc: 'Related VM by id.',
    },
    storage_domain: {
      kind: 'ref storage_domain',
      mut: 'C',
      doc: 'Related storage domain by id.',
    },
    host: {
      kind: 'ref host',
      mut: 'C',
      doc: 'Related host by id.',
    },
    template: {
      kind: 'ref template',
      mut: 'C',
      doc: 'Related template by id.',
    },
    cluster: {
      kind: 'ref cluster',
      mut: 'C',
      doc: 'Related cluster by id.',
    },
    data_center: {
      kind: 'ref data_center',
      mut: 'C',
      doc: 'Related data center by id.',
    },
    description: { kind: 'string', mut: 'C' },
    severity: { kind: 'enum log_severity', mut: 'C' },
  },
  required: ['origin', 'severity', 'custom_id', 'description'],
  about: ['vm', 'template'],
  operations: {
    add: {
      permit: system('inject_external_events'),
      permitWhenSent: [
        whenSent('host.external_status', sent('edit_host_configuration', 'host')),
        whenSent(
          'storage_domain.external_status',
          sent('edit_storage_domain_configuration', 'storage_domain'),
        ),
      ],
    },
    remove: { permit: system('audit_log_management') },
    undelete: { permit: system('audit_log_management'), harmless: true },
  },
  paths: {
    '/events/{event}': owned({
      ...crud('add', 'get', 'remove'),
      list: ['case_sensitive', 'follow', 'from', 'max', 'search'],
      collectionActions: { undelete: ['async', 'event'] },
    }),
  },
  search: {
    fields: {
      type: { kind: 'number', path: 'code', relations: relations.equality },
      severity: { kind: 'severity', path: 'severity' },
      message: { kind: 'text', path: 'description' },
      time: { kind: 'date', path: 'time', relations: relations.dayRelations },
      usrname: { kind: 'user', path: 'user.user_name' },
      usrid: { kind: 'text', path: 'user.id', relations: relations.none, hidden: true },
      event_host: { kind: 'text', path: 'host.name' },
      event_vm: { kind: 'text', path: 'vm.name' },
      event_template: { kind: 'text', path: 'template.name' },
      event_storage: { kind: 'text', path: 'storage_domain.name' },
      event_datacenter: { kind: 'text', path: 'data_center.name' },
      event_volume: {
        kind: 'text',
        storedPath: 'gluster_volume.name',
        doc: 'name of the Gluster volume',
      },
      correlation_id: { kind: 'text', path: 'correlation_id' },
      origin: { kind: 'text', path: 'origin' },
      custom_event_id: { kind: 'number', path: 'custom_id', relations: relations.equality },
      deleted: { kind: 'bool', source: 'whether the event was removed' },
      _event_host_id: { kind: 'text', path: 'host.id', hidden: true },
      _event_vm_id: { kind: 'text', path: 'vm.id', hidden: true },
      _event_template_id: { kind: 'text', path: 'template.id', hidden: true },
      _event_storage_id: {
        kind: 'text',
        path: 'storage_domain.id',
        relations: relations.none,
        hidden: true,
      },
      _event_datacenter_id: { kind: 'text', path: 'data_center.id', hidden: true },
      _event_quota_id: { kind: 'text', storedPath: 'quota.id', hidden: true },
      _event_volume_id: { kind: 'text', storedPath: 'gluster_volume.id', hidden: true },
    },
    related: [
      { ...related.vms, steps: [{ follow: 'vm' }] },
      { ...related.hosts, steps: [{ follow: 'host' }] },
      { ...related.templates, steps: [{ follow: 'template' }] },
      { ...related.users, steps: [{ follow: 'user' }] },
      { ...related.clusters, steps: [step.toCluster] },
      {
        names: ['volume', 'volumes'],
        fields: 'gluster_volume',
        type: 'gluster_volume',
        storedReference: 'gluster_volume',
      },
      {
        names: ['quota', 'quotas'],
        fields: 'quota',
        type: 'quota',
        storedReference: 'quota',
      },
    ],
    order: [{ path: 'index', descending: true }],
  },
  definition: { leftOut: 'a record of past changes' },
  commands: {
    noun: 'events',
    aliases: ['log'],
    group: 'observe',
    position: 10,
    doc: 'Audit log',
    columns: ['id', 'time', 'severity', 'code', 'description'],
    knownBy: [],
    verbs: { list: { aliases: ['tail'] } },
    samples: { object: '12', search: 'severity=error' },
  },
});
