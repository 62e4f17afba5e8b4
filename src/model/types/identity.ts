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
      name: { kind: 'string', mut: 'R', doc: 'from directory' },
      department: { kind: 'string', mut: 'R', doc: 'from directory' },
      last_name: { kind: 'string', mut: 'R', doc: 'from directory' },
      email: { kind: 'string', mut: 'R', doc: 'from directory' },
      domain_entry_id: { kind: 'string', mut: 'R', doc: 'encoded directory id' },
      namespace: { kind: 'string', mut: 'C', doc: '"*" style namespace of the directory' },
      user_name: { kind: 'string', mut: 'C', doc: 'login@domain on output' },
      principal: { kind: 'string', mut: 'C' },
      password: {
        kind: 'string',
        mut: 'CU',
        writeOnly: true,
        doc: 'only in initialization structures',
      },
      domain: {
        kind: 'ref domain',
        mut: 'C',
        doc: 'id or name; may be part of user_name instead (user@domain)',
      },
      user_options: { kind: 'list struct property', mut: 'U', doc: 'deprecated' },
      logged_in: { kind: 'bool', mut: 'R' },
      roles: { kind: 'links role', mut: 'R' },
      groups: { kind: 'links group', mut: 'R' },
      permissions: { kind: 'links permission', mut: 'R' },
      tags: { kind: 'links tag', mut: 'R' },
      ssh_public_keys: { kind: 'links ssh_public_key', mut: 'R' },
      options: { kind: 'links user_option', mut: 'R' },
    },
  },
  group: {
    doc: 'A group of users.',
    identified: true,
    attributes: {
      name: { kind: 'string', mut: 'C', doc: 'group name, or name@domain' },
      namespace: { kind: 'string', mut: 'C' },
      domain: { kind: 'ref domain', mut: 'C', doc: 'id or name unless in name' },
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
      name: { kind: 'string', mut: 'CU', doc: 'max 126; letters digits _ -; unique' },
      description: { kind: 'string', mut: 'CU' },
      mutable: { kind: 'bool', mut: 'R', doc: 'false for predefined' },
      administrative: { kind: 'bool', mut: 'C', default: false },
      user: { kind: 'ref user', mut: 'R' },
      permits: {
        kind: 'links permit',
        mut: 'C',
        doc: 'list by id on add; later via permits sub-collection',
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
      role: { kind: 'ref role', mut: 'C', doc: 'by id or name' },
      user: {
        kind: 'ref user',
        mut: 'C',
        doc: 'by id; one of user/group mandatory below an object',
      },
      group: { kind: 'ref group', mut: 'C' },
      data_center: {
        kind: 'ref data_center',
        mut: 'C',
        doc: 'implied by URL; required below a user or group',
      },
      cluster: {
        kind: 'ref cluster',
        mut: 'C',
        doc: 'implied by URL; required below a user or group',
      },
      host: { kind: 'ref host', mut: 'C', doc: 'implied by URL; required below a user or group' },
      storage_domain: {
        kind: 'ref storage_domain',
        mut: 'C',
        doc: 'implied by URL; required below a user or group',
      },
      vm: { kind: 'ref vm', mut: 'C', doc: 'implied by URL; required below a user or group' },
      vm_pool: {
        kind: 'ref vm_pool',
        mut: 'C',
        doc: 'implied by URL; required below a user or group',
      },
      template: {
        kind: 'ref template',
        mut: 'C',
        doc: 'implied by URL; required below a user or group',
      },
      disk: { kind: 'ref disk', mut: 'C', doc: 'implied by URL; required below a user or group' },
    },
  },
  tag: {
    doc: 'A label for objects; tags form a tree.',
    identified: true,
    attributes: {
      name: { kind: 'string', mut: 'CU', doc: '1..50; letters digits . _ -; unique' },
      description: { kind: 'string', mut: 'CU', doc: 'max 4000' },
      comment: { kind: 'string', mut: 'CU' },
      host: { kind: 'ref host', mut: 'R', doc: 'owner when listed below an entity' },
      vm: { kind: 'ref vm', mut: 'R', doc: 'owner when listed below an entity' },
      user: { kind: 'ref user', mut: 'R', doc: 'owner when listed below an entity' },
      group: { kind: 'ref group', mut: 'R', doc: 'owner when listed below an entity' },
      template: { kind: 'ref template', mut: 'R', doc: 'owner when listed below an entity' },
      parent: { kind: 'ref tag', mut: 'CU', doc: 'root tag; id or name' },
    },
  },
  bookmark: {
    doc: 'A saved search.',
    identified: true,
    attributes: {
      name: { kind: 'string', mut: 'CU', doc: 'max 40, unique' },
      value: { kind: 'string', mut: 'CU', doc: '1..300' },
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
