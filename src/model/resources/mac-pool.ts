/** Pools of MAC addresses. */
import { crud, owned } from '../notation/collections.ts';
import { self, system } from '../notation/permits.ts';
import { resource, structure } from '../notation/resource.ts';

export const macPool = resource('mac_pool', {
  doc: 'A pool of MAC addresses for new NICs.',
  identified: true,
  attributes: {
    name: { kind: 'string', mut: 'CU', doc: 'Name, unique in the system.' },
    description: { kind: 'string', mut: 'CU' },
    allow_duplicates: { kind: 'bool', mut: 'CU', default: false },
    default_pool: {
      kind: 'bool',
      mut: 'R',
      doc: 'Whether this is the built-in pool; read-only.',
    },
    ranges: {
      kind: 'list struct range',
      mut: 'CU',
      doc: 'Ranges (from, to), at least one; replaces the list.',
    },
    permissions: { kind: 'links permission', mut: 'R' },
  },
  naming: { pattern: 'any', max: 40, unique: 'service' },
  required: ['name', 'ranges'],
  operations: {
    add: { permit: system('create_mac_pool') },
    update: { permit: self('edit_mac_pool') },
    remove: { permit: self('delete_mac_pool') },
  },
  search: { order: [{ path: 'default_pool' }] },
  paths: {
    '/macpools/{macpool}': owned(crud()),
  },
  events: {
    MAC_POOL_ADDED: {
      code: 10700,
      severity: 'normal',
      text: 'MAC pool {ObjectName} was added by {UserName}.',
    },
    MAC_POOL_UPDATED: {
      code: 10702,
      severity: 'normal',
      text: 'MAC pool {ObjectName} was updated by {UserName}.',
    },
    MAC_POOL_REMOVED: {
      code: 10704,
      severity: 'normal',
      text: 'MAC pool {ObjectName} was removed by {UserName}.',
    },
  },
  definition: { writtenAt: ['/macpools'] },
  commands: {
    noun: 'macpools',
    group: 'network',
    doc: 'MAC address pools',
    one: 'MAC pool',
    verbs: {
      create: {
        sample: {
          flags:
            '--name north --set-json \'ranges=[{"from":"00:1a:4b:00:00:00","to":"00:1a:4b:00:ff:ff"}]\'',
        },
      },
    },
    samples: { object: 'lab', newName: 'north' },
  },
});

export const range = structure('range', {
  attributes: {
    from: { kind: 'string', mut: 'CU' },
    to: { kind: 'string', mut: 'CU' },
  },
});
