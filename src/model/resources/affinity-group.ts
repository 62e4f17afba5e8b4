/** Virtual machines and hosts that are kept together or apart. */
import { asyncIgnored, owned } from '../notation/collections.ts';
import { column, shortcut } from '../notation/commands.ts';
import { owner } from '../notation/permits.ts';
import { resource, structure } from '../notation/resource.ts';

export const affinityGroup = resource('affinity_group', {
  doc: 'A rule that keeps virtual machines together or apart.',
  identified: true,
  unwritten: ['vms', 'hosts', 'vm_labels', 'host_labels'],
  attributes: {
    name: {
      kind: 'string',
      mut: 'CU',
      doc: 'Unique in the system: 1 to 255 letters, digits, `.`, `_`, `-` or `+`.',
    },
    description: { kind: 'string', mut: 'CU' },
    comment: { kind: 'string', mut: 'CU' },
    positive: {
      kind: 'bool',
      mut: 'CU',
      doc: 'Older way of writing the rule between virtual machines: together (true) or apart.',
    },
    enforcing: {
      kind: 'bool',
      mut: 'CU',
      doc: 'Whether the rule must hold, rather than should; false by default.',
    },
    vms_rule: {
      kind: 'struct affinity_rule',
      mut: 'CU',
      doc: 'The rule between the virtual machines: enabled, positive (together), enforcing.',
    },
    hosts_rule: {
      kind: 'struct affinity_rule',
      mut: 'CU',
      doc: 'The rule between virtual machines and hosts: enabled, positive, enforcing. Off unless given.',
    },
    priority: { kind: 'decimal', mut: 'CU', default: 1.0 },
    broken: {
      kind: 'bool',
      mut: 'R',
      doc: 'Whether virtual machines run where an enforcing rule forbids it.',
    },
    cluster: { kind: 'ref cluster', mut: 'R' },
    vms: { kind: 'links vm', mut: 'CU', doc: 'By id or name; replaces the list.' },
    hosts: {
      kind: 'links host',
      mut: 'CU',
      doc: 'By id or name; replaces the list.',
    },
    vm_labels: {
      kind: 'links affinity_label',
      mut: 'CU',
      doc: 'By id or name; replaces the list.',
    },
    host_labels: {
      kind: 'links affinity_label',
      mut: 'CU',
      doc: 'By id or name; replaces the list.',
    },
  },
  naming: { pattern: 'letters', max: 255, unique: 'nowhere' },
  required: ['name'],
  containedIn: ['cluster'],
  operations: {
    add: { permit: owner('manipulate_affinity_groups'), job: 'none' },
    update: { permit: owner('manipulate_affinity_groups'), job: 'none' },
    remove: { permit: owner('manipulate_affinity_groups'), job: 'none' },
  },
  paths: {
    '/clusters/{cluster}/affinitygroups/{group}': owned({
      list: ['follow', 'max'],
      add: [],
      get: ['follow'],
      update: [asyncIgnored],
      remove: ['async'],
    }),
  },
  definition: { writtenAt: ['/clusters/{cluster}/affinitygroups'] },
  commands: {
    noun: 'affinitygroups',
    aliases: ['ag'],
    group: 'scheduling',
    position: 10,
    doc: 'Virtual machines and hosts kept together or apart',
    one: 'affinity group',
    columns: [
      'name',
      column('vms_positive', 'vms_rule.positive'),
      column('vms_enforcing', 'vms_rule.enforcing'),
      column('hosts_positive', 'hosts_rule.positive'),
      column('hosts_enforcing', 'hosts_rule.enforcing'),
      'id',
    ],
    shortcuts: [
      shortcut('vms-positive', 'vms_rule.positive', 'Keep the virtual machines together.'),
      shortcut('vms-enforcing', 'vms_rule.enforcing', 'As a hard rule.'),
      shortcut('hosts-positive', 'hosts_rule.positive', 'Run on these hosts.'),
      shortcut('hosts-enforcing', 'hosts_rule.enforcing', 'As a hard rule.'),
    ],
    samples: { object: 'apart', newName: 'together' },
  },
});

export const affinityRule = structure('affinity_rule', {
  attributes: {
    positive: { kind: 'bool', mut: 'CU' },
    enforcing: { kind: 'bool', mut: 'CU' },
    enabled: { kind: 'bool', mut: 'CU' },
  },
});
