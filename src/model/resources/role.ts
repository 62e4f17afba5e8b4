/** Roles and their permits. */
import {
  asyncIgnored,
  below,
  crud,
  idOrName,
  members,
  owned,
  view,
} from '../notation/collections.ts';
import { attaching } from '../notation/commands.ts';
import { system } from '../notation/permits.ts';
import { resource } from '../notation/resource.ts';

/** Id of the role SuperUser. */
export const superUserRole = '00000000-0000-0000-0000-000000000001';

export const role = resource('role', {
  doc: 'A named set of permits.',
  identified: true,
  attributes: {
    name: {
      kind: 'string',
      mut: 'CU',
      doc: 'Name, unique (at most 126 letters, digits, `_` or `-`).',
    },
    description: { kind: 'string', mut: 'CU', length: [0, 4000] },
    mutable: {
      kind: 'bool',
      mut: 'R',
      doc: 'Whether the role can be changed; built-in roles cannot.',
    },
    administrative: { kind: 'bool', mut: 'C', default: false },
    user: { kind: 'ref user', mut: 'R' },
    permits: {
      kind: 'links permit',
      mut: 'C',
      doc: 'Permits by id; after creation, a separate collection.',
    },
  },
  naming: { pattern: 'identifier', max: 126, unique: 'service' },
  required: ['name', 'permits'],
  operations: {
    add: { permit: system('manipulate_roles') },
    update: { permit: system('manipulate_roles') },
    remove: { permit: system('manipulate_roles') },
  },
  // Lists are in order of creation.
  search: { order: [] },
  paths: {
    '/users/{user}/roles/{role}': view(
      { held: true },
      {
        list: ['follow', 'max'],
        get: ['follow'],
        update: [asyncIgnored],
        remove: ['async'],
        alwaysRefused: {
          remove: 'assigned to a user; `DELETE /roles/{role}` removes other roles',
        },
      },
    ),
    '/groups/{group}/roles/{role}': view(
      { held: true },
      {
        list: ['follow', 'max'],
        get: ['follow'],
        update: [asyncIgnored],
        remove: ['async'],
        alwaysRefused: {
          remove: 'assigned to a group; `DELETE /roles/{role}` removes other roles',
        },
      },
    ),
    '/roles/{role}': owned(crud()),
  },
  events: {
    ROLE_ADDED: {
      code: 864,
      severity: 'normal',
      text: 'Role {ObjectName} was created by {UserName}.',
    },
    ROLE_UPDATED: {
      code: 856,
      severity: 'normal',
      text: 'Role {ObjectName} was updated by {UserName}.',
    },
    ROLE_REMOVED: {
      code: 858,
      severity: 'normal',
      text: 'Role {ObjectName} was removed by {UserName}.',
    },
    PERMIT_ADDED_TO_ROLE: {
      code: 860,
      severity: 'normal',
      text: 'Permit {PermitName} was added to role {RoleName} by {UserName}.',
    },
    PERMIT_REMOVED_FROM_ROLE: {
      code: 862,
      severity: 'normal',
      text: 'Permit {PermitName} was removed from role {RoleName} by {UserName}.',
    },
  },
  definition: { writtenAt: ['/roles'], except: { mutable: [false] } },
  commands: {
    noun: 'roles',
    group: 'access',
    doc: 'Roles',
    columns: ['name', 'administrative', 'mutable', 'description', 'id'],
    verbs: { create: { sample: { flags: '--name Helpdesk --permits run_vm,stop_vm' } } },
    samples: { object: 'UserVmManager', objectAt: { '/roles': 'Operator' }, newName: 'Helpdesk' },
  },
});

export const permit = resource('permit', {
  doc: 'The permission for one kind of operation; its id is a decimal number.',
  identified: true,
  attributes: {
    name: { kind: 'string', mut: 'R' },
    administrative: { kind: 'bool', mut: 'R' },
    role: { kind: 'ref role', mut: 'R' },
  },
  operations: {
    add: { permit: system('manipulate_roles') },
    remove: { permit: system('manipulate_roles') },
  },
  // Lists are in order of creation.
  search: { order: [] },
  paths: {
    ...below(
      ['/users/{user}/roles/{role}', '/groups/{group}/roles/{role}'],
      'permits/{permit}',
      members(
        { listedBy: 'owner', attribute: 'permits', answers: 'object' },
        { verbs: attaching, list: ['follow', 'max'], add: [], get: ['follow'], remove: ['async'] },
      ),
    ),
    '/roles/{role}/permits/{permit}': members(
      { listedBy: 'owner', attribute: 'permits', answers: 'object' },
      {
        verbs: attaching,
        list: ['follow', 'max'],
        add: [],
        get: ['follow'],
        remove: ['async'],
        required: [idOrName],
      },
    ),
  },
  definition: { leftOut: 'permits are exported with their role' },
  commands: {
    noun: 'permits',
    group: 'access',
    position: 10,
    more: true,
    doc: 'Permits of a role',
    referredBy: 'name',
    samples: { object: 'run_vm' },
  },
});
