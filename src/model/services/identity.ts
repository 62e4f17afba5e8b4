/** Services of the identity family (specification 4.5): paths, operations and their parameters. */
import { services } from '../notation.ts';
import { permissions, permits, tags } from './shared.ts';

export const identityServices = services({
  '/users': {
    type: 'user',
    operations: {
      list: 'case_sensitive follow max search',
      add: '',
    },
  },
  '/users/{user}': {
    type: 'user',
    operations: {
      get: 'follow',
      update: 'merge',
      remove: 'async',
    },
  },
  '/users/{user}/eventsubscriptions': {
    type: 'event_subscription',
    operations: {
      list: 'follow max',
      add: '',
    },
  },
  '/users/{user}/eventsubscriptions/{eventsubscription}': {
    type: 'event_subscription',
    operations: {
      get: '',
      remove: 'async',
    },
  },
  '/users/{user}/groups': {
    type: 'group',
    operations: {
      list: 'follow',
    },
  },
  '/users/{user}/options': {
    type: 'user_option',
    operations: {
      list: '',
      add: '',
    },
  },
  '/users/{user}/options/{option}': {
    type: 'user_option',
    operations: {
      get: '',
      remove: '',
    },
  },
  ...permissions('/users/{user}'),
  '/users/{user}/roles': {
    type: 'role',
    operations: {
      list: 'follow max',
    },
  },
  '/users/{user}/roles/{role}': {
    type: 'role',
    operations: {
      get: 'follow',
      update: 'async',
      remove: 'async',
    },
  },
  ...permits('/users/{user}/roles/{role}'),
  '/users/{user}/sshpublickeys': {
    type: 'ssh_public_key',
    operations: {
      list: 'follow max',
      add: '',
    },
  },
  '/users/{user}/sshpublickeys/{key}': {
    type: 'ssh_public_key',
    operations: {
      get: 'follow',
      update: 'async',
      remove: 'async',
    },
  },
  ...tags('/users/{user}'),
  '/groups': {
    type: 'group',
    operations: {
      list: 'case_sensitive follow max search',
      add: '',
    },
  },
  '/groups/{group}': {
    type: 'group',
    operations: {
      get: 'follow',
      remove: 'async',
    },
  },
  ...permissions('/groups/{group}'),
  '/groups/{group}/roles': {
    type: 'role',
    operations: {
      list: 'follow max',
    },
  },
  '/groups/{group}/roles/{role}': {
    type: 'role',
    operations: {
      get: 'follow',
      update: 'async',
      remove: 'async',
    },
  },
  ...permits('/groups/{group}/roles/{role}'),
  ...tags('/groups/{group}'),
  '/domains': {
    type: 'domain',
    operations: {
      list: 'follow max',
    },
  },
  '/domains/{domain}': {
    type: 'domain',
    operations: {
      get: 'follow',
    },
  },
  '/domains/{domain}/groups': {
    type: 'group',
    operations: {
      list: 'case_sensitive follow max search',
    },
  },
  '/domains/{domain}/groups/{group}': {
    type: 'group',
    operations: {
      get: 'follow',
    },
  },
  '/domains/{domain}/users': {
    type: 'user',
    operations: {
      list: 'case_sensitive follow max search',
    },
  },
  '/domains/{domain}/users/{user}': {
    type: 'user',
    operations: {
      get: 'follow',
    },
  },
  '/roles': {
    type: 'role',
    operations: {
      list: 'follow max',
      add: '',
    },
  },
  '/roles/{role}': {
    type: 'role',
    operations: {
      get: 'follow',
      update: 'async',
      remove: 'async',
    },
  },
  ...permits('/roles/{role}'),
  '/permissions': {
    type: 'permission',
    operations: {
      list: 'follow',
      add: '',
    },
  },
  '/permissions/{permission}': {
    type: 'permission',
    operations: {
      get: 'follow',
      remove: 'async',
    },
  },
  '/tags': {
    type: 'tag',
    operations: {
      list: 'follow max',
      add: '',
    },
  },
  '/tags/{tag}': {
    type: 'tag',
    operations: {
      get: 'follow',
      update: 'async',
      remove: 'async',
    },
  },
  '/bookmarks': {
    type: 'bookmark',
    operations: {
      list: 'follow max',
      add: '',
    },
  },
  '/bookmarks/{bookmark}': {
    type: 'bookmark',
    operations: {
      get: 'follow',
      update: 'async',
      remove: 'async',
    },
  },
});
