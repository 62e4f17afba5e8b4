/** Saved searches. */
import { crud, owned } from '../notation/collections.ts';
import { system } from '../notation/permits.ts';
import { resource } from '../notation/resource.ts';

export const bookmark = resource('bookmark', {
  doc: 'A saved search.',
  identified: true,
  attributes: {
    name: { kind: 'string', mut: 'CU', doc: 'Name, unique (at most 40 characters).' },
    value: { kind: 'string', mut: 'CU', length: [1, 300], doc: '1 to 300 characters.' },
  },
  naming: { pattern: 'any', max: 40, unique: 'service' },
  required: ['name', 'value'],
  operations: {
    add: { permit: system('bookmark_management') },
    update: { permit: system('bookmark_management') },
    remove: { permit: system('bookmark_management') },
  },
  search: { order: [] },
  paths: {
    '/bookmarks/{bookmark}': owned(crud()),
  },
  events: {
    BOOKMARK_ADDED: {
      code: 350,
      severity: 'normal',
      text: 'Bookmark {ObjectName} was added by {UserName}.',
    },
    BOOKMARK_UPDATED: {
      code: 352,
      severity: 'normal',
      text: 'Bookmark {ObjectName} was updated by {UserName}.',
    },
    BOOKMARK_REMOVED: {
      code: 354,
      severity: 'normal',
      text: 'Bookmark {ObjectName} was removed by {UserName}.',
    },
  },
  definition: { writtenAt: ['/bookmarks'] },
  commands: {
    noun: 'bookmarks',
    group: 'access',
    doc: 'Saved searches',
    columns: ['name', 'value', 'id'],
    samples: { object: 'running', newName: 'down' },
  },
});
