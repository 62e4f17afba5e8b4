/** Permissions: user, role and object. */
import { below, byIdOrName, crud, owned, view } from '../notation/collections.ts';
import { column } from '../notation/commands.ts';
import { owner } from '../notation/permits.ts';
import { resource } from '../notation/resource.ts';

/** Types of the object of a permission, by attribute name. */
export const permissionObjects = [
  'data_center',
  'cluster',
  'host',
  'storage_domain',
  'vm',
  'vm_pool',
  'template',
  'disk',
] as const;

export const permission = resource('permission', {
  doc: 'A role of a user or group on an object.',
  identified: true,
  unwritten: permissionObjects,
  attributes: {
    role: { kind: 'ref role', mut: 'C', doc: 'Role by name or id.' },
    user: {
      kind: 'ref user',
      mut: 'C',
      excludes: 'group',
      doc: 'User (name or id); specify either --user or --group.',
    },
    group: { kind: 'ref group', mut: 'C' },
    data_center: {
      kind: 'ref data_center',
      mut: 'C',
      doc: 'Object of the permission; required below a user or group.',
    },
    cluster: {
      kind: 'ref cluster',
      mut: 'C',
      doc: 'Object of the permission; required below a user or group.',
    },
    host: {
      kind: 'ref host',
      mut: 'C',
      doc: 'Object of the permission; required below a user or group.',
    },
    storage_domain: {
      kind: 'ref storage_domain',
      mut: 'C',
      doc: 'Object of the permission; required below a user or group.',
    },
    vm: {
      kind: 'ref vm',
      mut: 'C',
      doc: 'Object of the permission; required below a user or group.',
    },
    vm_pool: {
      kind: 'ref vm_pool',
      mut: 'C',
      doc: 'Object of the permission; required below a user or group.',
    },
    template: {
      kind: 'ref template',
      mut: 'C',
      doc: 'Object of the permission; required below a user or group.',
    },
    disk: {
      kind: 'ref disk',
      mut: 'C',
      doc: 'Object of the permission; required below a user or group.',
    },
  },
  required: [byIdOrName('role')],
  operations: {
    add: { permit: owner('manipulate_permissions'), opposite: 'remove' },
    remove: { permit: owner('manipulate_permissions'), opposite: 'add' },
  },
  paths: {
    '/vms/{vm}/permissions/{permission}': view(
      { refersBy: 'vm' },
      { list: ['follow'], add: [], get: ['follow'], remove: ['async'] },
    ),
    '/templates/{template}/permissions/{permission}': view(
      { refersBy: 'template' },
      { list: ['follow'], add: [], get: ['follow'], remove: ['async'] },
    ),
    '/vmpools/{pool}/permissions/{permission}': view(
      { refersBy: 'vm_pool' },
      { list: ['follow'], add: [], get: ['follow'], remove: ['async'] },
    ),
    ...below(
      [
        '/storagedomains/{storagedomain}/disks/{disk}',
        '/disks/{disk}',
        '/datacenters/{datacenter}/storagedomains/{storagedomain}/disks/{disk}',
      ],
      'permissions/{permission}',
      view({ refersBy: 'disk' }, { list: ['follow'], add: [], get: ['follow'], remove: ['async'] }),
    ),
    '/storagedomains/{storagedomain}/permissions/{permission}': view(
      { refersBy: 'storage_domain' },
      { list: ['follow'], add: [], get: ['follow'], remove: ['async'] },
    ),
    '/diskprofiles/{diskprofile}/permissions/{permission}': owned({
      ...crud('add', 'get', 'remove'),
      list: ['follow'],
    }),
    '/cpuprofiles/{profile}/permissions/{permission}': owned({
      ...crud('add', 'get', 'remove'),
      list: ['follow'],
    }),
    '/macpools/{macpool}/permissions/{permission}': owned({
      ...crud('add', 'get', 'remove'),
      list: ['follow'],
    }),
    '/datacenters/{datacenter}/iscsibonds/{iscsibond}/networks/{network}/permissions/{permission}':
      owned({ list: ['follow'], add: [], get: ['follow'], remove: ['async'] }),
    '/datacenters/{datacenter}/iscsibonds/{iscsibond}/networks/{network}/vnicprofiles/{profile}/permissions/{permission}':
      owned({ list: ['follow'], add: [], get: ['follow'], remove: ['async'] }),
    '/datacenters/{datacenter}/quotas/{quota}/permissions/{permission}': owned({
      ...crud('add', 'get', 'remove'),
      list: ['follow'],
    }),
    '/networks/{network}/permissions/{permission}': owned({
      ...crud('add', 'get', 'remove'),
      list: ['follow'],
    }),
    '/networks/{network}/vnicprofiles/{profile}/permissions/{permission}': owned({
      ...crud('add', 'get', 'remove'),
      list: ['follow'],
    }),
    '/vnicprofiles/{profile}/permissions/{permission}': owned({
      ...crud('add', 'get', 'remove'),
      list: ['follow'],
    }),
    '/permissions/{permission}': owned({
      ...crud('add', 'get', 'remove'),
      list: ['follow'],
    }),
    '/clusters/{cluster}/permissions/{permission}': view(
      { refersBy: 'cluster' },
      { list: ['follow'], add: [], get: ['follow'], remove: ['async'] },
    ),
    '/datacenters/{datacenter}/permissions/{permission}': view(
      { refersBy: 'data_center' },
      { list: ['follow'], add: [], get: ['follow'], remove: ['async'] },
    ),
    '/hosts/{host}/permissions/{permission}': view(
      { refersBy: 'host' },
      { list: ['follow'], add: [], get: ['follow'], remove: ['async'] },
    ),
    '/users/{user}/permissions/{permission}': view(
      { refersBy: 'user' },
      { list: ['follow'], add: [], get: ['follow'], remove: ['async'] },
    ),
    '/groups/{group}/permissions/{permission}': view(
      { refersBy: 'group' },
      { list: ['follow'], add: [], get: ['follow'], remove: ['async'] },
    ),
  },
  definition: {
    leftOut: {
      '/networks/{network}/vnicprofiles/{profile}/permissions': 'exported with the profile',
      '/datacenters/{datacenter}/iscsibonds/{iscsibond}/networks/{network}/permissions':
        'exported with the network',
      '/datacenters/{datacenter}/iscsibonds/{iscsibond}/networks/{network}/vnicprofiles/{profile}/permissions':
        'exported with the profile',
    },
    writtenAt: [
      '/vms/{vm}/permissions',
      '/templates/{template}/permissions',
      '/vmpools/{pool}/permissions',
      '/storagedomains/{storagedomain}/permissions',
      '/disks/{disk}/permissions',
      '/diskprofiles/{diskprofile}/permissions',
      '/cpuprofiles/{profile}/permissions',
      '/macpools/{macpool}/permissions',
      '/datacenters/{datacenter}/quotas/{quota}/permissions',
      '/networks/{network}/permissions',
      '/vnicprofiles/{profile}/permissions',
      '/permissions',
      '/clusters/{cluster}/permissions',
      '/datacenters/{datacenter}/permissions',
      '/hosts/{host}/permissions',
    ],
  },
  commands: {
    noun: 'permissions',
    aliases: ['perms', 'grants'],
    group: 'access',
    doc: 'Roles of users and groups on objects',
    operationVerbs: { add: 'grant', remove: 'revoke' },
    columns: [
      'role.name',
      column('user', 'user.user_name'),
      'group.name',
      'vm.name',
      'host.name',
      'cluster.name',
      'data_center.name',
      'storage_domain.name',
      column('disk', 'disk.alias'),
      'id',
    ],
    knownBy: [],
    verbs: {
      grant: {
        namesObject: true,
        onlyAttributes: ['role', 'user', 'group'],
        sample: { flags: '--role UserVmManager --user jane@internal', on: 'vms/web01' },
      },
      revoke: {
        foundBy: ['role', 'user', 'group'],
        sample: { flags: '--role UserVmManager --user jane@internal', on: 'vms/web01' },
      },
    },
  },
});
