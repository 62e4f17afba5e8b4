/** Tags and their assignments. */
import { below, computed, crud, idOrName, owned } from '../notation/collections.ts';
import { system } from '../notation/permits.ts';
import { resource } from '../notation/resource.ts';

export const tag = resource('tag', {
  doc: 'A label for objects; tags form a tree.',
  identified: true,
  attributes: {
    name: { kind: 'string', mut: 'CU', doc: 'Unique: 1 to 50 letters, digits, `.`, `_` or `-`.' },
    description: {
      kind: 'string',
      mut: 'CU',
      length: [0, 4000],
      doc: 'Description (at most 4000 characters).',
    },
    comment: { kind: 'string', mut: 'CU' },
    host: { kind: 'ref host', mut: 'R', doc: 'Tagged object, in its own list of tags.' },
    vm: { kind: 'ref vm', mut: 'R', doc: 'Tagged object, in its own list of tags.' },
    user: { kind: 'ref user', mut: 'R', doc: 'Tagged object, in its own list of tags.' },
    group: { kind: 'ref group', mut: 'R', doc: 'Tagged object, in its own list of tags.' },
    template: { kind: 'ref template', mut: 'R', doc: 'Tagged object, in its own list of tags.' },
    parent: {
      kind: 'ref tag',
      mut: 'CU',
      doc: 'Parent tag by name or id (default: the root tag).',
    },
  },
  naming: { pattern: 'letters', max: 50, unique: 'service' },
  required: ['name'],
  operations: {
    add: { permit: system('tag_management') },
    update: { permit: system('tag_management') },
    remove: { permit: system('tag_management') },
  },
  paths: {
    ...below(
      ['/vms/{vm}', '/templates/{template}', '/hosts/{host}', '/users/{user}', '/groups/{group}'],
      'tags/{tag}',
      computed('assigned_tag', {
        verbs: { add: 'assign', remove: 'unassign' },
        attaches: true,
        list: ['follow', 'max'],
        add: [],
        get: ['follow'],
        remove: ['async'],
        required: [idOrName],
      }),
    ),
    '/tags/{tag}': owned(crud()),
  },
  events: {
    TAG_UPDATED: {
      code: 430,
      severity: 'normal',
      text: 'Tag {ObjectName} configuration was updated by {UserName}.',
    },
    TAG_ADDED: {
      code: 432,
      severity: 'normal',
      text: 'New tag {ObjectName} was created by {UserName}.',
    },
    TAG_REMOVED: {
      code: 434,
      severity: 'normal',
      text: 'Tag {ObjectName} was removed by {UserName}.',
    },
    TAG_ATTACHED_TO_TEMPLATE: {
      code: 183,
      severity: 'normal',
      text: 'Tag {TagName} was attached to template {TemplateName} by {UserName}.',
    },
    TAG_DETACHED_FROM_TEMPLATE: {
      code: 185,
      severity: 'normal',
      text: 'Tag {TagName} was detached from template {TemplateName} by {UserName}.',
    },
    TAG_ATTACHED_TO_USER: {
      code: 436,
      severity: 'normal',
      text: 'Tag {TagName} was attached to user {TaggedName} by {UserName}.',
    },
    TAG_ATTACHED_TO_GROUP: {
      code: 438,
      severity: 'normal',
      text: 'Tag {TagName} was attached to group {TaggedName} by {UserName}.',
    },
    TAG_ATTACHED_TO_VM: {
      code: 440,
      severity: 'normal',
      text: 'Tag {TagName} was attached to VM {VmName} by {UserName}.',
    },
    TAG_ATTACHED_TO_HOST: {
      code: 442,
      severity: 'normal',
      text: 'Tag {TagName} was attached to host {HostName} by {UserName}.',
    },
    TAG_DETACHED_FROM_HOST: {
      code: 444,
      severity: 'normal',
      text: 'Tag {TagName} was detached from host {HostName} by {UserName}.',
    },
    TAG_DETACHED_FROM_VM: {
      code: 446,
      severity: 'normal',
      text: 'Tag {TagName} was detached from VM {VmName} by {UserName}.',
    },
    TAG_DETACHED_FROM_USER: {
      code: 448,
      severity: 'normal',
      text: 'Tag {TagName} was detached from user {TaggedName} by {UserName}.',
    },
    TAG_DETACHED_FROM_GROUP: {
      code: 450,
      severity: 'normal',
      text: 'Tag {TagName} was detached from group {TaggedName} by {UserName}.',
    },
    TAG_ON_USER_ALREADY: {
      code: 452,
      severity: 'warning',
      text: 'Tag {TagName} is already attached to user {TaggedName}.',
    },
    TAG_ON_GROUP_ALREADY: {
      code: 453,
      severity: 'warning',
      text: 'Tag {TagName} is already attached to group {TaggedName}.',
    },
    TAG_ON_VM_ALREADY: {
      code: 454,
      severity: 'warning',
      text: 'Tag {TagName} is already attached to VM {VmName}.',
    },
    TAG_ON_HOST_ALREADY: {
      code: 455,
      severity: 'warning',
      text: 'Tag {TagName} is already attached to host {HostName}.',
    },
    TAG_ON_TEMPLATE_ALREADY: {
      code: 460,
      severity: 'warning',
      text: 'Tag {TagName} is already attached to template {TemplateName}.',
    },
  },
  definition: {
    writtenAt: ['/tags'],
    namedAt: [
      '/vms/{vm}/tags',
      '/templates/{template}/tags',
      '/hosts/{host}/tags',
      '/users/{user}/tags',
      '/groups/{group}/tags',
    ],
    except: { name: ['root'] },
  },
  commands: {
    noun: 'tags',
    group: 'access',
    doc: 'Tags',
    columns: ['name', 'description', 'id'],
    samples: { object: 'production', newName: 'test' },
  },
});
