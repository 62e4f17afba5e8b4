/** Types of the identity family (specification 2.4). */
import { types } from '../notation.ts';

export const identityTypes = types({
  domain: {
    doc: 'A directory of users and groups; its id is opaque.',
    identified: true,
    attributes: {
      name: { kind: 'string', mut: 'R' },
      description: { kind: 'string', mut: 'R' },
      comment: { kind: 'string', mut: 'R' },
      groups: { kind: 'links group', mut: 'R' },
      users: { kind: 'links user', mut: 'R' },
    },
  },
  user: {
    doc: 'A user known to the service, or found in a directory.',
    identified: true,
    attributes: {
      name: { kind: 'string', mut: 'R', doc: 'Known to the directory.' },
      department: { kind: 'string', mut: 'R', doc: 'Known to the directory.' },
      last_name: { kind: 'string', mut: 'R', doc: 'Known to the directory.' },
      email: { kind: 'string', mut: 'R', doc: 'Known to the directory.' },
      domain_entry_id: { kind: 'string', mut: 'R', doc: 'Its id in the directory, encoded.' },
      namespace: {
        kind: 'string',
        mut: 'C',
        doc: 'The part of the directory it is in; `*` is all of it.',
      },
      user_name: {
        kind: 'string',
        mut: 'C',
        doc: 'The name to sign in with; shown with its domain.',
      },
      principal: { kind: 'string', mut: 'C' },
      password: {
        kind: 'string',
        mut: 'CU',
        writeOnly: true,
        doc: 'For the initialization of guests only.',
      },
      domain: {
        kind: 'ref domain',
        mut: 'C',
        doc: 'By id or name, unless the user name contains it.',
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
  },
  group: {
    doc: 'A group of users.',
    identified: true,
    attributes: {
      name: { kind: 'string', mut: 'C', doc: 'Its name, with or without its domain.' },
      namespace: { kind: 'string', mut: 'C' },
      domain: { kind: 'ref domain', mut: 'C', doc: 'By id or name, unless the name contains it.' },
      domain_entry_id: { kind: 'string', mut: 'R' },
      roles: { kind: 'links role', mut: 'R' },
      permissions: { kind: 'links permission', mut: 'R' },
      tags: { kind: 'links tag', mut: 'R' },
    },
  },
  role: {
    doc: 'A named set of permits.',
    identified: true,
    attributes: {
      name: { kind: 'string', mut: 'CU', doc: 'Unique: at most 126 letters, digits, `_` or `-`.' },
      description: { kind: 'string', mut: 'CU' },
      mutable: {
        kind: 'bool',
        mut: 'R',
        doc: 'Whether it can be changed; those that come with the service cannot.',
      },
      administrative: { kind: 'bool', mut: 'C', default: false },
      user: { kind: 'ref user', mut: 'R' },
      permits: {
        kind: 'links permit',
        mut: 'C',
        doc: 'By id on add; later, one by one, as a collection.',
      },
    },
  },
  permit: {
    doc: 'The right to one kind of operation; its id is a decimal number.',
    identified: true,
    attributes: {
      name: { kind: 'string', mut: 'R' },
      administrative: { kind: 'bool', mut: 'R' },
      role: { kind: 'ref role', mut: 'R' },
    },
  },
  permission: {
    doc: 'A role given to a user or group on an object.',
    identified: true,
    attributes: {
      role: { kind: 'ref role', mut: 'C', doc: 'By id or name.' },
      user: {
        kind: 'ref user',
        mut: 'C',
        doc: 'By id. Below an object, a user or a group is required.',
      },
      group: { kind: 'ref group', mut: 'C' },
      data_center: {
        kind: 'ref data_center',
        mut: 'C',
        doc: 'What it is given on. Required below a user or group, unless another object is.',
      },
      cluster: {
        kind: 'ref cluster',
        mut: 'C',
        doc: 'What it is given on. Required below a user or group, unless another object is.',
      },
      host: {
        kind: 'ref host',
        mut: 'C',
        doc: 'What it is given on. Required below a user or group, unless another object is.',
      },
      storage_domain: {
        kind: 'ref storage_domain',
        mut: 'C',
        doc: 'What it is given on. Required below a user or group, unless another object is.',
      },
      vm: {
        kind: 'ref vm',
        mut: 'C',
        doc: 'What it is given on. Required below a user or group, unless another object is.',
      },
      vm_pool: {
        kind: 'ref vm_pool',
        mut: 'C',
        doc: 'What it is given on. Required below a user or group, unless another object is.',
      },
      template: {
        kind: 'ref template',
        mut: 'C',
        doc: 'What it is given on. Required below a user or group, unless another object is.',
      },
      disk: {
        kind: 'ref disk',
        mut: 'C',
        doc: 'What it is given on. Required below a user or group, unless another object is.',
      },
    },
  },
  tag: {
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
  },
  bookmark: {
    doc: 'A saved search.',
    identified: true,
    attributes: {
      name: { kind: 'string', mut: 'CU', doc: 'Unique, at most 40 characters.' },
      value: { kind: 'string', mut: 'CU', doc: '1 to 300 characters.' },
    },
  },
  ssh_public_key: {
    identified: true,
    attributes: {
      content: { kind: 'string', mut: 'CU' },
      user: { kind: 'ref user', mut: 'CU' },
    },
  },
  user_option: {
    identified: true,
    attributes: {
      content: { kind: 'string', mut: 'CU' },
      user: { kind: 'ref user', mut: 'CU' },
    },
  },
  event_subscription: {
    identified: true,
    attributes: {
      event: { kind: 'enum notifiable_event', mut: 'CU' },
      user: { kind: 'struct user', mut: 'CU' },
      notification_method: { kind: 'enum notification_method', mut: 'CU' },
      address: { kind: 'string', mut: 'CU' },
    },
  },
});
