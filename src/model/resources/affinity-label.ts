/** Affinity labels of VMs and hosts. */
import { crud, idOrName, members, owned } from '../notation/collections.ts';
import { attaching } from '../notation/commands.ts';
import { system } from '../notation/permits.ts';
import { resource } from '../notation/resource.ts';

export const affinityLabel = resource('affinity_label', {
  doc: 'A label that ties VMs to hosts.',
  identified: true,
  unwritten: ['vms', 'hosts'],
  attributes: {
    name: { kind: 'string', mut: 'CU', doc: 'Unique, 1 to 50 characters.' },
    description: { kind: 'string', mut: 'CU' },
    comment: { kind: 'string', mut: 'CU' },
    hosts: { kind: 'links host', mut: 'C', doc: 'Hosts by name or id.' },
    vms: { kind: 'links vm', mut: 'C', doc: 'VMs by name or id.' },
    read_only: { kind: 'bool', mut: 'R', default: false },
    has_implicit_affinity_group: {
      kind: 'bool',
      mut: 'CU',
      doc: 'Whether the label acts as an affinity group (up to compatibility level 4.3).',
    },
  },
  naming: { pattern: 'letters', max: 50, unique: 'service' },
  required: ['name'],
  about: ['vms', 'hosts'],
  operations: {
    add: { permit: system('tag_management') },
    update: { permit: system('tag_management') },
    remove: { permit: system('tag_management') },
  },
  paths: {
    '/vms/{vm}/affinitylabels/{label}': members(
      { listedBy: 'member', attribute: 'vms', answers: 'object' },
      {
        verbs: attaching,
        list: ['follow'],
        add: [],
        get: ['follow'],
        remove: [],
        required: ['id'],
      },
    ),
    '/clusters/{cluster}/affinitygroups/{group}/hostlabels/{label}': members(
      { listedBy: 'owner', attribute: 'host_labels', answers: 'action' },
      {
        memberVerbs: { one: 'host-label', many: 'host-labels', sample: 'gold' },
        list: ['follow', 'max'],
        add: [],
        remove: ['async'],
        required: [idOrName],
      },
    ),
    '/clusters/{cluster}/affinitygroups/{group}/vmlabels/{label}': members(
      { listedBy: 'owner', attribute: 'vm_labels', answers: 'action' },
      {
        memberVerbs: { one: 'vm-label', many: 'vm-labels', sample: 'gold' },
        list: ['follow', 'max'],
        add: [],
        remove: ['async'],
        required: [idOrName],
      },
    ),
    '/affinitylabels/{label}': owned({
      ...crud('list', 'add', 'get'),
      update: [],
      remove: [],
    }),
    '/hosts/{host}/affinitylabels/{label}': members(
      { listedBy: 'member', attribute: 'hosts', answers: 'object' },
      {
        verbs: attaching,
        list: ['follow'],
        add: [],
        get: ['follow'],
        remove: [],
        required: ['id'],
      },
    ),
  },
  definition: {
    writtenAt: ['/affinitylabels'],
    namedAt: [
      '/clusters/{cluster}/affinitygroups/{group}/hostlabels',
      '/clusters/{cluster}/affinitygroups/{group}/vmlabels',
    ],
    leftOut: {
      '/vms/{vm}/affinitylabels': 'each label lists its VMs',
      '/hosts/{host}/affinitylabels': 'each label lists its hosts',
    },
  },
  commands: {
    noun: 'affinitylabels',
    aliases: ['labels', 'al'],
    group: 'scheduling',
    position: 20,
    doc: 'Labels that tie VMs to hosts',
    one: 'affinity label',
    samples: { object: 'gold', newName: 'silver' },
  },
});
