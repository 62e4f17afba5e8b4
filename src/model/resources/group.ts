/** Groups of users. */
import { computed, crud, owned } from '../notation/collections.ts';
import { system } from '../notation/permits.ts';
import { resource } from '../notation/resource.ts';
import { field } from '../notation/search-terms.ts';

/** Id of the group of all users. */
export const everyone = 'eee00000-0000-0000-0000-123456789eee';

export const group = resource('group', {
  doc: 'A group of users.',
  identified: true,
  unwritten: ['namespace'],
  attributes: {
    name: { kind: 'string', mut: 'C', doc: 'Name, with or without the directory.' },
    namespace: { kind: 'string', mut: 'C' },
    domain: {
      kind: 'ref domain',
      mut: 'C',
      doc: 'Directory by name or id, unless the name contains it.',
    },
    domain_entry_id: { kind: 'string', mut: 'R' },
    roles: { kind: 'links role', mut: 'R' },
    permissions: { kind: 'links permission', mut: 'R' },
    tags: { kind: 'links tag', mut: 'R' },
  },
  required: ['name'],
  operations: {
    add: { permit: system('manipulate_users') },
    remove: { permit: system('manipulate_users') },
  },
  paths: {
    '/users/{user}/groups': owned({ list: ['follow'] }),
    '/groups/{group}': owned({
      ...crud('add', 'get', 'remove'),
      list: ['case_sensitive', 'follow', 'max', 'search'],
    }),
    '/domains/{domain}/groups/{group}': computed('directory_group', {
      memberVerbs: { one: 'group', many: 'groups', alsoGeneric: true },
      list: ['case_sensitive', 'follow', 'max', 'search'],
      get: ['follow'],
    }),
  },
  search: {
    fields: { grpname: field.name, name: field.name },
    seenAs: { directory_group: { name: field.name, groupname: field.name, allnames: field.name } },
  },
  definition: { writtenAt: ['/groups'] },
  commands: {
    noun: 'groups',
    group: 'access',
    doc: 'User groups',
    columns: ['name', 'domain.name', 'id'],
    verbs: { create: { sample: { flags: '--name developers --domain internal-authz' } } },
    samples: { object: 'operators', newName: 'developers' },
  },
});
