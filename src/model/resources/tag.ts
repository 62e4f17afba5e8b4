/** Tags, and where they are assigned. */
import { asyncIgnored, below, computed, idOrName, owned } from '../notation/collections.ts';
import { system } from '../notation/permits.ts';
import { resource } from '../notation/resource.ts';

export const tag = resource('tag', {
  doc: 'A label for objects; tags form a tree.',
  identified: true,
  attributes: {
    name: { kind: 'string', mut: 'CU', doc: 'Unique: 1 to 50 letters, digits, `.`, `_` or `-`.' },
    description: { kind: 'string', mut: 'CU', doc: 'At most 4000 characters.' },
    comment: { kind: 'string', mut: 'CU' },
    host: { kind: 'ref host', mut: 'R', doc: 'What it is on, when shown from there.' },
    vm: { kind: 'ref vm', mut: 'R', doc: 'What it is on, when shown from there.' },
    user: { kind: 'ref user', mut: 'R', doc: 'What it is on, when shown from there.' },
    group: { kind: 'ref group', mut: 'R', doc: 'What it is on, when shown from there.' },
    template: { kind: 'ref template', mut: 'R', doc: 'What it is on, when shown from there.' },
    parent: { kind: 'ref tag', mut: 'CU', doc: 'By id or name; the root tag when not given.' },
  },
  naming: { pattern: 'letters', max: 50, unique: 'service' },
  required: ['name'],
  operations: {
    add: { permit: system('tag_management'), job: 'none' },
    update: { permit: system('tag_management'), job: 'none' },
    remove: { permit: system('tag_management'), job: 'none' },
  },
  paths: {
    ...below(
      ['/vms/{vm}', '/templates/{template}', '/hosts/{host}', '/users/{user}', '/groups/{group}'],
      'tags/{tag}',
      computed('assigned_tag', {
        verbs: { add: 'assign', remove: 'unassign' },
        list: ['follow', 'max'],
        add: [],
        get: ['follow'],
        remove: ['async'],
        required: [idOrName],
      }),
    ),
    '/tags/{tag}': owned({
      list: ['follow', 'max'],
      add: [],
      get: ['follow'],
      update: [asyncIgnored],
      remove: ['async'],
    }),
  },
  commands: {
    noun: 'tags',
    group: 'access',
    doc: 'Tags',
    columns: ['name', 'description', 'id'],
    samples: { object: 'production', newName: 'test' },
  },
});
