/** Users, SSH keys, options and event subscriptions. */
import { computed, crud, owned } from '../notation/collections.ts';
import { others, own, system } from '../notation/permits.ts';
import { resource } from '../notation/resource.ts';
import { field, related } from '../notation/search-terms.ts';

export const user = resource('user', {
  doc: 'A user of the service or of a directory.',
  identified: true,
  unwritten: ['namespace', 'principal', 'domain'],
  attributes: {
    name: { kind: 'string', mut: 'R', doc: 'From the directory.' },
    department: { kind: 'string', mut: 'R', doc: 'From the directory.' },
    last_name: { kind: 'string', mut: 'R', doc: 'From the directory.' },
    email: { kind: 'string', mut: 'R', doc: 'From the directory.' },
    domain_entry_id: { kind: 'string', mut: 'R', doc: 'Encoded id in the directory.' },
    namespace: {
      kind: 'string',
      mut: 'C',
      doc: 'Namespace in the directory; `*` is all of it.',
    },
    user_name: {
      kind: 'string',
      mut: 'C',
      doc: 'User name, with the directory in answers.',
    },
    principal: { kind: 'string', mut: 'C' },
    password: {
      kind: 'string',
      mut: 'CU',
      secret: true,
      writeOnly: true,
      doc: 'Password, for guest initialization only.',
    },
    domain: {
      kind: 'ref domain',
      mut: 'C',
      doc: 'Directory by name or id, unless the user name contains it.',
    },
    user_options: { kind: 'list struct property', mut: 'U', doc: 'Deprecated.' },
    logged_in: { kind: 'bool', mut: 'R' },
    roles: { kind: 'links role', mut: 'R' },
    groups: { kind: 'links group', mut: 'R' },
    permissions: { kind: 'links permission', mut: 'R' },
    tags: { kind: 'links tag', mut: 'R' },
    ssh_public_keys: { kind: 'links ssh_public_key', mut: 'R' },
    options: { kind: 'links user_option', mut: 'R' },
    event_subscriptions: { kind: 'links event_subscription', mut: 'R' },
  },
  required: ['user_name'],
  operations: {
    add: { permit: system('manipulate_users') },
    update: { permit: system('manipulate_users') },
    remove: { permit: system('manipulate_users') },
  },
  paths: {
    '/users/{user}': owned({
      ...crud('add', 'get', 'remove'),
      list: ['case_sensitive', 'follow', 'max', 'search'],
      update: ['merge'],
    }),
    '/domains/{domain}/users/{user}': computed('directory_user', {
      memberVerbs: { one: 'user', many: 'users', alsoGeneric: true },
      list: ['case_sensitive', 'follow', 'max', 'search'],
      get: ['follow'],
    }),
  },
  search: {
    fields: {
      name: field.name,
      lastname: { kind: 'text', path: 'last_name' },
      usrname: { kind: 'user', path: 'user_name' },
      user_and_domain: { kind: 'user', path: 'user_name' },
      login: { kind: 'text', path: 'principal' },
      directory: { kind: 'text', path: 'domain.name' },
      department: { kind: 'text', path: 'department' },
      tag: field.tag,
      pool: {
        kind: 'text',
        through: [{ back: 'permission.user' }, { follow: 'vm_pool' }],
        path: 'name',
        doc: 'name of a pool that the user may use',
      },
      type: { kind: 'text', source: 'user or group' },
    },
    related: [
      { ...related.vms, steps: [{ back: 'permission.user' }, { follow: 'vm' }] },
      { ...related.hosts, steps: [{ back: 'permission.user' }, { follow: 'host' }] },
      { ...related.templates, steps: [{ back: 'permission.user' }, { follow: 'template' }] },
      { ...related.events, steps: [{ back: 'event.user' }] },
    ],
    seenAs: {
      directory_user: {
        name: field.name,
        username: { kind: 'text', path: 'user_name' },
        allnames: { kind: 'text', source: 'name, last name and user name' },
        lastname: { kind: 'text', path: 'last_name' },
        department: { kind: 'text', path: 'department' },
        title: { kind: 'text', source: 'title in the directory' },
      },
    },
  },
  definition: { writtenAt: ['/users'] },
  commands: {
    noun: 'users',
    group: 'access',
    doc: 'Users',
    columns: ['user_name', 'name', 'last_name', 'domain.name', 'email', 'id'],
    knownBy: ['user_name', 'principal', 'name'],
    samples: { object: 'jane@internal', search: 'usrname=j*' },
  },
});

export const sshPublicKey = resource('ssh_public_key', {
  identified: true,
  unwritten: ['user', 'name'],
  attributes: {
    content: { kind: 'string', mut: 'CU' },
    user: { kind: 'ref user', mut: 'CU' },
  },
  required: ['content'],
  operations: {
    add: { permit: own('edit_profile') },
    update: { permit: own('edit_profile') },
    remove: { permit: own('edit_profile') },
  },
  paths: {
    '/users/{user}/sshpublickeys/{key}': owned(crud()),
  },
  definition: { writtenAt: ['/users/{user}/sshpublickeys'] },
  commands: {
    noun: 'sshpublickeys',
    group: 'access',
    position: 20,
    more: true,
    doc: 'SSH keys of a user',
    one: 'SSH key',
    verbs: { update: { purpose: 'Replace {}' } },
  },
});

export const userOption = resource('user_option', {
  identified: true,
  attributes: {
    content: { kind: 'string', mut: 'CU' },
    user: { kind: 'ref user', mut: 'CU' },
  },
  required: ['name', 'content'],
  operations: {
    add: { permit: own('edit_profile') },
    remove: { permit: own('edit_profile') },
  },
  paths: { '/users/{user}/options/{option}': owned({ list: [], add: [], get: [], remove: [] }) },
  definition: { leftOut: 'settings of a user interface' },
  commands: {
    noun: 'options',
    group: 'access',
    more: true,
    doc: 'Settings of a user or of the service',
    verbs: {
      create: { sample: { flags: '--name webAdmin.rows --content 50' } },
      get: { sample: { object: 'DefaultMTU' } },
      wait: { sample: { object: 'DefaultMTU' } },
    },
    samples: { object: 'webAdmin.theme' },
  },
});

export const eventSubscription = resource('event_subscription', {
  identified: true,
  unwritten: ['user', 'name'],
  attributes: {
    event: { kind: 'enum notifiable_event', mut: 'CU' },
    user: { kind: 'struct user', mut: 'CU' },
    notification_method: { kind: 'enum notification_method', mut: 'CU' },
    address: { kind: 'string', mut: 'CU' },
  },
  required: ['event'],
  operations: {
    add: { permit: others('event_notification_management') },
    remove: { permit: others('event_notification_management') },
  },
  paths: {
    '/users/{user}/eventsubscriptions/{eventsubscription}': owned({
      ...crud('list', 'add', 'remove'),
      get: [],
    }),
  },
  definition: { writtenAt: ['/users/{user}/eventsubscriptions'] },
  commands: {
    noun: 'eventsubscriptions',
    group: 'access',
    more: true,
    doc: 'Event subscriptions of a user',
    verbs: {
      create: {
        sample: {
          flags: '--event host_high_cpu_use --notification-method smtp --address jane@example.com',
        },
      },
    },
    samples: { object: 'host_high_cpu_use' },
  },
});
