/** Affinity groups of VMs and hosts. */
import { crud, owned } from '../notation/collections.ts';
import { column, shortcut } from '../notation/commands.ts';
import { owner } from '../notation/permits.ts';
import { resource, structure } from '../notation/resource.ts';

export const affinityGroup = resource('affinity_group', {
  doc: 'A rule that keeps VMs together or apart.',
  identified: true,
  unwritten: ['vms', 'hosts', 'vm_labels', 'host_labels'],
  attributes: {
    name: {
      kind: 'string',
      mut: 'CU',
      doc: 'Name, unique in the system (1 to 255 letters, digits, `.`, `_`, `-` or `+`).',
    },
    description: { kind: 'string', mut: 'CU', length: [0, 4000] },
    comment: { kind: 'string', mut: 'CU' },
    positive: {
      kind: 'bool',
      mut: 'CU',
      doc: 'Older form of the VM rule: together (true) or apart (false).',
    },
    enforcing: {
      kind: 'bool',
      mut: 'CU',
      doc: 'Whether the rule is mandatory (default false).',
    },
    vms_rule: {
      kind: 'struct affinity_rule',
      mut: 'CU',
      doc: 'Rule between the VMs: enabled, positive (together), enforcing.',
    },
    hosts_rule: {
      kind: 'struct affinity_rule',
      mut: 'CU',
      doc: 'Rule between VMs and hosts: enabled, positive, enforcing (default disabled).',
    },
    priority: { kind: 'decimal', mut: 'CU', default: 1.0 },
    broken: {
      kind: 'bool',
      mut: 'R',
      doc: 'Whether VMs violate an enforcing rule.',
    },
    cluster: { kind: 'ref cluster', mut: 'R' },
    vms: { kind: 'links vm', mut: 'CU', doc: 'VMs by name or id; replaces the list.' },
    hosts: {
      kind: 'links host',
      mut: 'CU',
      doc: 'Hosts by name or id; replaces the list.',
    },
    vm_labels: {
      kind: 'links affinity_label',
      mut: 'CU',
      doc: 'VM labels by name or id; replaces the list.',
    },
    host_labels: {
      kind: 'links affinity_label',
      mut: 'CU',
      doc: 'Host labels by name or id; replaces the list.',
    },
  },
  naming: { pattern: 'letters', max: 255, unique: 'nowhere' },
  required: ['name'],
  containedIn: ['cluster'],
  operations: {
    add: { permit: owner('manipulate_affinity_groups') },
    update: { permit: owner('manipulate_affinity_groups') },
    remove: { permit: owner('manipulate_affinity_groups') },
  },
  paths: {
    '/clusters/{cluster}/affinitygroups/{group}': owned(crud()),
  },
  definition: { writtenAt: ['/clusters/{cluster}/affinitygroups'] },
  commands: {
    noun: 'affinitygroups',
    aliases: ['ag'],
    group: 'scheduling',
    position: 10,
    doc: 'Rules that keep VMs and hosts together or apart',
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
      shortcut('vms-positive', 'vms_rule.positive', 'Keep the VMs together.'),
      shortcut('vms-enforcing', 'vms_rule.enforcing', 'Make the VM rule mandatory.'),
      shortcut('hosts-positive', 'hosts_rule.positive', 'Run the VMs on these hosts.'),
      shortcut('hosts-enforcing', 'hosts_rule.enforcing', 'Make the host rule mandatory.'),
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
